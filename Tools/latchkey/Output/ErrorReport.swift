import Latchkey
import LatchkeyJSON

/// A failure for display: one line and a hint for people, one object for programs.
struct ErrorReport: Hashable, Sendable {
    /// The program's exit status.
    var status: ExitStatus
    /// A stable name for scripts.
    var code: String
    /// One sentence without a full stop.
    var message: String
    /// What the caller can do next, one word.
    var recovery: String
    /// What the person can do next, one line.
    var hint: String?
    /// The texts for the person.
    var texts = ToolTexts.english
    /// How long to wait before the next try.
    var retryAfter: Duration?
    /// The service's own code.
    var serviceCode: String?
    /// What the service says about it.
    var serviceText: ServiceText?

    /// Creates the report of an error of the engine.
    ///
    /// - Parameters:
    ///   - isSignIn: Whether the person was signing in, so that no hint says to do that.
    ///   - texts: The language of the message and the hint. The error's own message follows in English, in parentheses.
    init(_ error: AuthError, profile: String? = nil, isSignIn: Bool = false, _ texts: ToolTexts = .english) {
        status = ExitStatus(error)
        code = error.code.name
        message = Self.message(of: error, texts)
        recovery = error.recovery.rawValue
        hint = Hints.hint(for: error, profile: profile, isSignIn: isSignIn, texts)
        self.texts = texts
        retryAfter = error.retryAfter
        serviceCode = error.serviceCode
        serviceText = error.serviceText
    }

    /// Creates the report of a mistake in the command line.
    init(_ error: UsageError, _ texts: ToolTexts = .english) {
        (status, code, recovery) = (.usage, "usage", "correctCommand")
        (message, hint, self.texts) = (texts(error.text), texts(error.next), texts)
    }

    /// Creates the report of an error of the tool itself.
    init(_ error: ToolError, profile: String? = nil, isSignIn: Bool = false, _ texts: ToolTexts = .english) {
        (status, code, recovery) = (error.status, error.code, error.recovery)
        (message, self.texts) = (texts(error.text), texts)
        serviceText = error.error?.serviceText
        hint =
            error.hint.map { texts($0) }
            ?? error.error.flatMap { Hints.hint(for: $0, profile: profile, isSignIn: isSignIn, texts) }
    }

    /// The lines for people.
    var lines: [String] {
        ["latchkey: \(Console.printable(message))"]
            + (serviceText.map { [Console.printable($0.text(in: texts.language))] } ?? [])
            + (hint.map { [texts("hint", ["hint": Console.printable($0)])] } ?? [])
    }

    /// The object for programs: `code`, `message`, `recovery`; also `retryAfterSeconds`, `serviceCode`, `serviceText`
    /// and `serviceURI` if they are known.
    var json: JSON {
        var members: [String: JSON] = [
            "code": .string(code), "message": .string(message), "recovery": .string(recovery),
        ]
        if let retryAfter { members["retryAfterSeconds"] = .integer(retryAfter.wholeSecondsUp) }
        members["serviceCode"] = serviceCode.map { .string($0) }
        members["serviceText"] = serviceText?.words.map { .string($0) }
        members["serviceURI"] = serviceText?.address.map { .string($0) }
        return .object(members)
    }

    /// The code and the message of an error that concerns only a part of the output, for programs.
    static func short(_ error: AuthError) -> JSON {
        ["code": .string(error.code.name), "message": .string(error.message)]
    }

    private static func message(of error: AuthError, _ texts: ToolTexts) -> String {
        guard texts.language != .english else { return sentence(error.message) }
        guard let fate = error.refusedTokens else { return words(of: error, texts) }
        return "\(words(of: error, texts)). \(fate.text(in: texts.language))"
    }

    /// The message in another language, without what became of tokens.
    private static func words(of error: AuthError, _ texts: ToolTexts) -> String {
        let said = sentence(error.messageWithoutTokens)
        if let missing = error.missingLibrary {
            let values = ["file": missing.file, "package": missing.package]
            guard let refusal = missing.refusal else { return texts("error.library", values) }
            return texts("error.libraryRefused", values.merging(["refusal": refusal]) { $1 })
        }
        if let foreign = error.foreign, error.message == foreign.message { return foreign.text(in: texts.language) }
        // The sentence of a request is known in the person's language too.
        if let request = error.transport, error.message == request.message { return request.text(in: texts.language) }
        let sentence = error.text(in: texts.language)
        return said == error.text(in: .english) || said == sentence ? sentence : "\(sentence) (\(said))"
    }

    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}

extension Duration {
    /// The seconds, rounded up.
    var wholeSecondsUp: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
