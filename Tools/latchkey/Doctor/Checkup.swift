import Latchkey
import LatchkeyJSON

/// The result of one check.
struct Checkup: Sendable {
    /// The verdict.
    enum Verdict: String, Sendable {
        /// Everything is right.
        case ok
        /// It works, but the person should look at it.
        case warn
        /// It does not work.
        case fail
    }

    /// The name of the check, one word.
    var check: String
    /// The verdict.
    var verdict: Verdict
    /// One sentence without a full stop.
    var message: String
    /// What the person can do about it; `nil` if there is nothing to do.
    var remedy: String?
    /// The program's exit status if this is the first failure.
    var status: ExitStatus = .success

    static func ok(_ check: String, _ message: String) -> Checkup {
        Checkup(check: check, verdict: .ok, message: message)
    }

    static func warn(_ check: String, _ message: String, remedy: String) -> Checkup {
        Checkup(check: check, verdict: .warn, message: message, remedy: remedy)
    }

    /// Creates a failure, with the status and the remedy of the error.
    static func fail(
        _ check: String, _ error: any Error, remedy: String? = nil, profile: String, _ texts: ToolTexts
    ) -> Checkup {
        let report = ErrorReport(of: error, profile: profile, texts)
        // The hint of other commands is to run this one.
        let isPlace = report.code == AuthError.Code.store(.unavailable).name
        return Checkup(
            check: check, verdict: .fail, message: report.message,
            remedy: remedy ?? (isPlace ? texts("hint.unusablePlace") : report.hint) ?? texts("doctor.look"),
            status: report.status)
    }

    /// Returns the lines for people.
    func lines(_ texts: ToolTexts) -> [String] {
        let words = verdict.rawValue.padded(to: 5) + check.padded(to: 13) + message
        return [words] + (remedy.map { ["     \(texts("doctor.remedy", ["remedy": $0]))"] } ?? [])
    }

    /// The object for programs.
    var json: JSON {
        var members: [String: JSON] = [
            "check": .string(check), "message": .string(message), "verdict": .string(verdict.rawValue),
        ]
        members["remedy"] = remedy.map { .string($0) }
        return .object(members)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
