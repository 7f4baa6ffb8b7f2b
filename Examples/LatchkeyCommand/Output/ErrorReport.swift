import Latchkey
import LatchkeyJSON

/// A failure as it is shown: one line and a hint for people, one object for programs.
struct ErrorReport: Hashable, Sendable {
    /// What the program ends with.
    var status: ExitStatus
    /// A stable name for scripts.
    var code: String
    /// One sentence without a full stop.
    var message: String
    /// What the caller does next, one word.
    var recovery: String
    /// What a person does next, one line.
    var hint: String?
    /// How a person is spoken to.
    var texts = ToolTexts.english
    /// How long to wait first.
    var retryAfter: Duration?
    /// The service's own code.
    var serviceCode: String?

    /// The report of an error of the engine.
    ///
    /// - Parameter texts: The language of the message and the hint. Only English has what the message says of the case.
    init(_ error: AuthError, profile: String? = nil, _ texts: ToolTexts = .english) {
        status = ExitStatus(error)
        code = error.code.name
        message = texts.language == .english ? Self.sentence(error.message) : error.text(in: texts.language)
        recovery = error.recovery.rawValue
        hint = Hints.hint(for: error, profile: profile, texts)
        self.texts = texts
        retryAfter = error.retryAfter
        serviceCode = error.serviceCode
    }

    /// The report of a wrong command line.
    init(_ error: UsageError) {
        status = .usage
        code = "usage"
        message = Self.sentence(error.message)
        recovery = "correctCommand"
        hint = error.hint
    }

    /// A report of its parts.
    init(status: ExitStatus, code: String, message: String, recovery: String, hint: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.recovery = recovery
        self.hint = hint
    }

    /// The lines for people.
    var lines: [String] {
        ["latchkey: \(Console.printable(message))"]
            + (hint.map { [texts("hint", ["hint": Console.printable($0)])] } ?? [])
    }

    /// The object for programs: `code`, `message`, `recovery`; `retryAfterSeconds` and `serviceCode` where they are known.
    var json: JSON {
        var members: [String: JSON] = [
            "code": .string(code), "message": .string(message), "recovery": .string(recovery),
        ]
        if let retryAfter { members["retryAfterSeconds"] = .integer(retryAfter.wholeSecondsUp) }
        members["serviceCode"] = serviceCode.map { .string($0) }
        return .object(members)
    }

    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}

extension Duration {
    /// Seconds, a begun one counted whole.
    var wholeSecondsUp: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
