import Latchkey
import LatchkeyJSON
import LatchkeySupabase

extension SupabaseDesk {
    /// Changes the password, with what the service wants beside it.
    func changePassword() async throws {
        var update = SupabaseUserUpdate()
        update.password = try await newPassword()
        if arguments.has(.currentPasswordFromInput) { update.currentPassword = try inputLine() }
        if arguments.has(.codeFromInput) { update.nonce = try inputLine() }
        var refusals = 0
        while true {
            do throws(AuthError) {
                try await ask { [update] handle throws(AuthError) in try await handle.update(update) }
                break
            } catch {
                // What a program gave is not replaced by what a person types.
                guard asks, !arguments.has(.newPasswordFromInput) else { throw error }
                if error.code != .refused(.factorRequired) { refusals += 1 }
                guard refusals < Self.tries else { throw error }
                try await supply(what: error, to: &update)
            }
        }
        try show(["changed": true], [invocation.texts("supabase.passwordChanged")])
    }

    /// Asks the person for what was missing or wrong.
    ///
    /// - Throws: `error` if nothing that they type would help.
    private func supply(what error: AuthError, to update: inout SupabaseUserUpdate) async throws {
        switch error.supabase {
        case .currentPasswordRequired? where update.currentPassword == nil:
            update.currentPassword = try await currentPassword()
        case .currentPasswordInvalid?:
            tell(error)
            update.currentPassword = try await currentPassword()
        case .reauthenticationNeeded? where update.nonce == nil:
            let address = try await sendNonce()
            update.nonce = try await code(.code(over: address.contains("@") ? .mail : .sms, sentTo: address))
        case .reauthenticationNotValid?:
            tell(error)
            update.nonce = try await code(.code(over: .mail, sentTo: nil))
        default:
            guard error.code == .refused(.passwordNotAccepted) else { throw error }
            tell(error)
            update.password = try await newPassword()
        }
    }

    private func newPassword() async throws -> Secret {
        if arguments.has(.newPasswordFromInput) { return try inputLine() }
        let ask = Ask.newPassword(rules: [])
        guard case .password(let password) = try await Presenters.ask(TerminalQuestion(ask), as: ask, invocation) else {
            throw ToolError(.declined, "error.passwordDeclined")
        }
        return password
    }

    private func currentPassword() async throws -> Secret {
        let words = invocation.texts("ask.currentPassword")
        guard let password = try await Presenters.line(TerminalQuestion(.currentPassword), words, invocation) else {
            throw ToolError(.declined, "error.passwordDeclined")
        }
        return password
    }

    /// Has the service send a code for a change of the password.
    func reauthenticate() async throws {
        let address = try await sendNonce()
        let next = line("supabase password --password-from-stdin --code-from-stdin")
        try show(
            ["sentTo": .string(address)],
            [
                invocation.texts("supabase.sentTo", ["address": address]),
                invocation.texts("hint.run", ["command": next]),
            ])
    }

    /// Returns where the code was sent.
    private func sendNonce() async throws(AuthError) -> String {
        try await ask { handle throws(AuthError) in
            try await handle.reauthenticate()
            let user = try await handle.user()
            return user.email ?? user.phone.map { "+\($0)" } ?? ""
        }
    }
}
