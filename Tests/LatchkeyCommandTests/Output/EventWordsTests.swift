import Foundation
import Latchkey
import Testing

@testable import LatchkeyCommand

@Suite("The sentences of events")
struct EventWordsTests {
    private static let ada = AccountID("supabase https://id.example.test ada")

    /// Every kind of event, with every reason and state.
    private static var events: [AuthEvent] {
        var events: [AuthEvent] = [
            .signedIn(ada), .refreshed(ada, .standard),
            .refreshed(ada, Audience("api")), .stepUpRequired(ada, StepUp()), .currentChanged(ada),
            .currentChanged(nil), .locked, .unlocked, .shieldChanged(isUp: true), .shieldChanged(isUp: false),
            .unlockOffered, .gap,
        ]
        events += [AccountState.restoring, .signedOut, .locked, .fresh, .stale].map { .stateChanged(ada, $0) }
        events.append(.stateChanged(ada, .offline(since: Date(timeIntervalSince1970: 0), accessUntil: nil)))
        for reason in AuthError.SignInRequiredReason.allCases {
            events += [.authenticationRequired(ada, reason), .stateChanged(ada, .signInRequired(reason))]
        }
        events += [AuthEvent.SignOutCause.app, .elsewhere, .service].map { .signedOut(ada, by: $0) }
        events += [
            UnlockAvailability.available, .notEnrolled, .lockedOut(nil), .invalidated, .missing(reason: "none"),
        ].map { .unlockAvailabilityChanged($0) }
        return events
    }

    @Test(
        "each is whole in every language: no key, no open place, no code word, and no verb after another",
        arguments: TextLanguage.allCases)
    func whole(language: TextLanguage) {
        let codes =
            AuthError.SignInRequiredReason.allCases.map(\.rawValue).filter { $0.contains(where: \.isUppercase) }
            + ["notEnrolled", "lockedOut", "expired)", "(refused"]
        for event in Self.events {
            let report = EventReport(
                event, at: Date(timeIntervalSince1970: 0), names: [Self.ada: "Ada"], ToolTexts(language: language))
            let line = report.line.dropFirst(10)
            #expect(!line.contains("{") && !line.contains("}") && !line.contains("event."), "\(line)")
            for code in codes { #expect(!line.contains(code), "\(line)") }
            for fault in ["is must", "is no token", "  ", "1 seconds", "1 secondes", " de a ", " de une "] {
                #expect(!line.contains(fault), "\(line)")
            }
        }
    }

    @Test("a token that a resource refuses does not end the session, and the sentence asks for no sign-in")
    func notAccepted() {
        let report = EventReport(
            .authenticationRequired(Self.ada, .notAccepted), at: Date(timeIntervalSince1970: 0),
            names: [Self.ada: "Ada"])
        #expect(report.line.hasSuffix("A resource refuses the newest token of Ada"))
    }
}
