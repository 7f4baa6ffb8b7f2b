import Latchkey

/// An error of the tool itself, in every language.
///
/// It is never thrown through the engine or a plugin: code that they call throws an ``/Latchkey/AuthError``, as
/// ``Invocation/failure(_:_:_:)`` creates it.
struct ToolError: Error, Sendable {
    /// One sentence without a full stop.
    let text: ToolText
    /// The program's exit status.
    let status: ExitStatus
    /// A stable name for scripts.
    let code: String
    /// What the caller can do next, one word.
    let recovery: String
    /// What the person can do next, if that is not the hint for ``error``.
    let hint: ToolText?
    /// The same error of the engine; `nil` for errors that only a tool has.
    let error: AuthError?

    /// Creates an error of a kind that the engine has too.
    @inline(never)  // Hundreds of places create one, and none of them is fast.
    init(
        _ code: AuthError.Code, _ key: String, _ values: [String: String] = [:], parts: [String: ToolText] = [:],
        provider: ProviderID? = nil, hint: ToolText? = nil
    ) {
        text = ToolText(key, values, parts: parts)
        let error = AuthError(code, text.english + ".", provider: provider)
        (status, self.code, recovery) = (ExitStatus(error), code.name, error.recovery.rawValue)
        (self.error, self.hint) = (error, hint)
    }

    /// Creates an error of a kind that only the tool has.
    @inline(never)
    init(
        _ status: ExitStatus, code: String, recovery: String, _ key: String, _ values: [String: String] = [:],
        parts: [String: ToolText] = [:], hint: ToolText? = nil
    ) {
        text = ToolText(key, values, parts: parts)
        (self.status, self.code, self.recovery, self.hint, error) = (status, code, recovery, hint, nil)
    }

    /// ``text`` in English.
    var message: String { text.english }
}
