import Latchkey

/// What the tool itself could not do, in every language.
///
/// It passes through no engine and no plugin: what is thrown there is an ``/Latchkey/AuthError``, as
/// ``Invocation/failure(_:_:_:)`` makes it.
struct ToolError: Error, Sendable {
    /// One sentence without a full stop.
    let text: ToolText
    /// What the program ends with.
    let status: ExitStatus
    /// A stable name for scripts.
    let code: String
    /// What the caller does next, one word.
    let recovery: String
    /// What a person does next, where it is not what ``error`` leads to.
    let hint: ToolText?
    /// The same as the engine would say it; `nil` for what only a tool can meet.
    let error: AuthError?

    /// An error of a kind that the engine has too.
    init(
        _ code: AuthError.Code, _ key: String, _ values: [String: String] = [:], parts: [String: ToolText] = [:],
        provider: ProviderID? = nil, hint: ToolText? = nil
    ) {
        text = ToolText(key, values, parts: parts)
        let error = AuthError(code, text.english + ".", provider: provider)
        (status, self.code, recovery) = (ExitStatus(error), code.name, error.recovery.rawValue)
        (self.error, self.hint) = (error, hint)
    }

    /// An error of the tool alone.
    init(
        _ status: ExitStatus, code: String, recovery: String, _ key: String, _ values: [String: String] = [:],
        hint: ToolText? = nil
    ) {
        text = ToolText(key, values)
        (self.status, self.code, self.recovery, self.hint, error) = (status, code, recovery, hint, nil)
    }

    /// ``text`` in English.
    var message: String { text.english }
}
