import Latchkey

/// Command lines that end what a login has met.
extension Command {
    /// Returns the command line that asks for no scope, if a service refuses the default scopes.
    static func withoutScopes(_ error: AuthError, _ invocation: Invocation) -> ToolText? {
        guard error.code == .refused(.scope), invocation.arguments.command.name == login.name,
            let profile = try? LoginProfile.make(invocation), profile.service == .oauth, profile.method != .service,
            profile.scopes.isEmpty, !profile.asksNoScope
        else { return nil }
        return ToolText("hint.noScope", ["command": invocation.again(.noScope)])
    }

    /// Returns the command line that makes the account that a person who came back from a browser does not have.
    static func makingAccount(_ error: AuthError, _ invocation: Invocation) -> ToolText? {
        guard error.provider == Composition.clerk, error.serviceCode == "external_account_not_found" else { return nil }
        let isLogin = invocation.arguments.command.name == login.name && !invocation.arguments.has(.signUp)
        let command = isLogin ? invocation.again(.signUp) : invocation.shownLine("login --sign-up")
        return ToolText("hint.signUpThere", ["command": command])
    }
}
