import FoundationEssentials
import Latchkey
import LatchkeyJSON

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An event as `events` shows it. Events contain no tokens and no secrets.
struct EventReport {
    private var name: String
    private var words: String
    private var members: [String: JSON] = [:]
    private var time: Date

    /// - Parameter names: The names of accounts. An account without a name is shown by its ID, if
    ///   that is one that the service gave.
    init(_ event: AuthEvent, at time: Date, names: [AccountID: String] = [:], _ texts: ToolTexts = .english) {
        self.time = time
        func of(_ account: AccountID, _ key: String, _ values: [String: String] = [:]) -> String {
            texts(key, values.merging(["account": AccountReport.name(names[account], account, texts)]) { $1 })
        }
        switch event {
        case .signedIn(let account): (name, words) = ("signedIn", of(account, "event.signedIn"))
        case .refreshed(let account, let audience):
            (name, words) = ("refreshed", of(account, "event.refreshed"))
            if audience != .standard {
                words = of(account, "event.refreshedFor", ["audience": audience.name])
                members["audience"] = .string(audience.name)
            }
        case .stateChanged(let account, let state):
            let report = AccountReport(
                account: Account(id: account, provider: "", authority: "", state: state), now: time)
            if case .signInRequired(let reason) = state {
                (name, words) = ("state", of(account, reason.eventKey))
            } else {
                (name, words) = ("state", of(account, "event.state", ["state": report.words(texts)]))
            }
            members["state"] = .string(report.state)
        case .expiring(let account, let expiry):
            let key =
                switch expiry.cause {
                case .access: "event.expiring"
                case .idle: "event.expiring.idle"
                case .absolute: "event.expiring.absolute"
                }
            let time = Durations.describe(.seconds(expiry.rest.wholeSecondsUp))
            (name, words) = ("expiring", of(account, key, ["time": time]))
            members["what"] = .string(expiry.cause.rawValue)
        case .authenticationRequired(let account, let reason):
            name = "authenticationRequired"
            words = of(account, reason.eventKey)
            members["reason"] = .string(reason.rawValue)
        case .stepUpRequired(let account, _):
            (name, words) = ("stepUpRequired", of(account, "event.stepUpRequired"))
        case .signedOut(let account, let cause):
            let key =
                switch cause {
                case .app: "event.signedOut.app"
                case .elsewhere: "event.signedOut.elsewhere"
                case .service: "event.signedOut.service"
                }
            (name, words) = ("signedOut", of(account, key))
            members["by"] = .string(cause.rawValue)
        case .currentChanged(let account):
            (name, words) = (
                "currentChanged", account.map { of($0, "event.current") } ?? texts("event.noCurrent")
            )
        case .locked: (name, words) = ("locked", texts("event.locked"))
        case .unlocked: (name, words) = ("unlocked", texts("event.unlocked"))
        case .shieldChanged(let isUp):
            (name, words) = ("shield", texts(isUp ? "event.shieldUp" : "event.shieldDown"))
            members["up"] = .bool(isUp)
        case .unlockOffered: (name, words) = ("unlockOffered", texts("event.unlockOffered"))
        case .unlockAvailabilityChanged(let availability):
            (name, words) = ("unlockAvailability", texts(availability.eventKey))
            members["availability"] = .string(availability.name)
        case .integrityFindings(let findings):
            let kinds = findings.map(\.kind.rawValue)
            (name, words) = ("integrity", texts("event.integrity", ["findings": kinds.joined(separator: ", ")]))
            members["findings"] = .array(kinds.map { .string($0) })
        case .gap: (name, words) = ("gap", texts("event.gap"))
        }
        members["account"] = event.subject.map { .string($0.value) }
        members["label"] = event.subject.flatMap { names[$0] }.map { .string($0) }
    }

    /// The object for programs.
    var json: [String: JSON] {
        members.merging(["event": .string(name), "at": .string(AccountReport.text(time))]) { $1 }
    }

    /// The line for a person: local time, and what happened.
    var line: String { "\(Self.local(time))  \(words)" }

    /// Returns hours, minutes and seconds in the machine's time zone.
    static func local(_ time: Date) -> String {
        var seconds = time_t(time.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }
}

extension UnlockAvailability {
    /// The event's name for programs.
    fileprivate var name: String {
        switch self {
        case .available: "available"
        case .notEnrolled: "notEnrolled"
        case .lockedOut: "lockedOut"
        case .invalidated: "invalidated"
        case .missing: "missing"
        }
    }
}

extension AuthEvent {
    /// The account that the event is about.
    fileprivate var subject: AccountID? {
        switch self {
        case .signedIn(let account), .refreshed(let account, _), .stateChanged(let account, _),
            .expiring(let account, _), .authenticationRequired(let account, _), .stepUpRequired(let account, _),
            .signedOut(let account, _):
            account
        case .currentChanged(let account): account
        default: nil
        }
    }
}
