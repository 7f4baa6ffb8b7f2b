import Latchkey
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

/// The exit status of each code.
private let endings: [(code: AuthError.Code, status: Int32)] = [
    (AuthError.Code.signInRequired(.signedOut), Int32(3)), (.signInRequired(.refusedWithoutReason), 3),
    (.offline(.unreachable), 4), (.offline(.signIn), 4), (.offline(.graceOver), 4), (.serviceTrouble, 4),
    (.rateLimited, 4), (.busy, 4),
    (.locked, 5), (.unlockUnavailable(.missing), 5), (.refused(.wrongInput), 6), (.refused(.denied), 6),
    (.declined, 6), (.store(.damaged), 7), (.store(.insecurePermissions), 7), (.store(.full), 7),
    (.configuration(.changed), 8), (.configuration(.clientRefused), 8), (.configuration(.invalid), 8),
    (.untrusted(.state), 9), (.untrusted(.tls), 9),
]

@Suite("Errors as the tool shows them") struct ErrorReportTests {
    @Test(
        "each code has its exit status and a hint",
        arguments: endings)
    func statuses(_ code: AuthError.Code, _ status: Int32) {
        let report = ErrorReport(AuthError(code, "Something is wrong."))
        #expect(report.status.code == status)
        #expect(report.hint?.isEmpty == false)
        #expect(report.lines == ["latchkey: Something is wrong", "hint: \(report.hint ?? "")"])
    }

    @Test(
        "an answer of something else than the service has no hint to sign in while a person does just that",
        arguments: [200, 204, 302, 400, 401, 403, 404, 405, 407, 413, 429, 500, 511])
    func signingIn(_ status: Int) {
        let error = AuthError(ForeignAnswer(TransportResponse(status: status), from: "https://id.example.com/token"))
        #expect(ErrorReport(error, isSignIn: true).hint?.contains("latchkey login") != true)
    }

    @Test(
        "while a person signs in no hint says to do just that: of each code, at each kind of service, in each language",
        arguments: endings.map(\.code), [Composition.oauth, Composition.supabase])
    func neverInCircles(_ code: AuthError.Code, _ provider: ProviderID) throws {
        let broken = [nil, TransportError(.timedOut, wasSent: true), TransportError(.interrupted, wasSent: true)]
        for (language, isLost) in TextLanguage.allCases.flatMap({ [($0, false), ($0, true)] }) {
            for transport in broken {
                var error = AuthError(code, "No.", provider: provider)
                error.transport = transport
                error.isAnswerLost = isLost
                let texts = ToolTexts(language: language)
                let hint = Hints.hint(for: error, profile: "work", isSignIn: true, texts) ?? ""
                #expect(try !hint.contains(Regex("latchkey login( --profile work)?(;| ;|$)")), "\(code): \(hint)")
                guard isLost else { continue }
                // A longer time helps where time ran out, and not where a connection broke.
                #expect(hint.contains("--timeout") == (transport?.code == .timedOut), "\(code): \(hint)")
                let other = Hints.hint(for: error, profile: "work", isSignIn: false, texts) ?? ""
                #expect(other.contains("latchkey login --profile work"), "\(code): \(other)")
            }
        }
    }

    @Test("an interruption has its status and no hint")
    func cancelled() {
        let report = ErrorReport(AuthError(.cancelled, "Interrupted."))
        #expect(report.status.code == 130)
        #expect(report.hint == nil)
    }

    @Test("the JSON form has the documented members, a begun second counted whole")
    func json() {
        let report = ErrorReport(AuthError(.rateLimited, "Slow down.", retryAfter: .milliseconds(1_200)))
        let expected =
            #"{"code":"rateLimited","message":"Slow down","recovery":"retryLater","retryAfterSeconds":2}"#
        #expect(String(decoding: report.json.serialized(), as: UTF8.self) == expected)
        #expect(report.hint == "Try again in 2s")
    }

    @Test("what a plugin threw is named by its type alone")
    func unforeseen() {
        struct Leaky: Error { var token = "s3cr3t" }
        let report = ErrorReport(of: Leaky(), profile: nil)
        #expect(report.status.code == 1)
        #expect(report.lines.allSatisfy { !$0.contains("s3cr3t") })
    }

    @Test("a service's words cannot steer the terminal")
    func printable() {
        #expect(Console.printable("a\u{1B}[2Jb\nc\u{9B}d\u{202E}e") == "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d\u{FFFD}e")
        #expect(Console.printable("Ada Lovelace – ä ö") == "Ada Lovelace – ä ö")
    }

    @Test(
        "what a Supabase project says leads to what to do there, and the same elsewhere does not",
        arguments: [
            (
                "insufficient_aal" as String?, AuthError.Code.refused(.factorRequired),
                "latchkey supabase factors verify"
            ),
            ("otp_disabled", .refused(.other), "--sign-up"), ("captcha_failed", .refused(.captcha), "--provider NAME"),
            (nil, .configuration(.clientRefused), "latchkey profiles edit --key KEY"),
            ("user_banned", .signInRequired(.banned), "a new sign-in would be refused too"),
        ])
    func supabase(_ code: String?, _ outcome: AuthError.Code, _ hint: String) {
        let report = ErrorReport(
            AuthError(outcome, "No.", provider: "supabase", serviceCode: code), profile: "work")
        // Where no command helps, none is named.
        let isCommand = outcome != .signInRequired(.banned)
        #expect(report.hint?.contains(hint) == true && report.hint?.hasSuffix(" --profile work") == isCommand)
        #expect(report.json["serviceCode"]?.string == code)
        let other = ErrorReport(AuthError(outcome, "No.", provider: "oauth", serviceCode: code), profile: "work")
        #expect(other.hint?.contains(hint) == false)
    }
}
