import Latchkey

/// The limit of one variable in a program's environment.
enum TokenVariable {
    /// The most bytes of `NAME=VALUE` and the byte after it that Linux takes (`MAX_ARG_STRLEN`).
    static let limit = 128 << 10

    /// Whether `token` fits into the variable `name`.
    static func fits(_ name: String, _ token: Secret) -> Bool {
        name.utf8.count + token.reveal().count + 2 <= limit
    }

    /// Why a token that does not fit cannot be given to a program, and what to do.
    static func failure(_ name: String, _ token: Secret) -> ToolError {
        ToolError(
            .cannotRun, code: "exec", recovery: "correctCommand", "error.tokenLarge",
            ["size": "\(token.reveal().count)", "variable": name, "limit": "\(limit)"],
            hint: ToolText("hint.tokenFile", ["command": "latchkey exec --refresh"]))
    }
}
