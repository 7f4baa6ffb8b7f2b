import Latchkey
import LatchkeyJSON
import LatchkeySupabase

/// Manages the signed-in person of a Supabase login.
struct SupabaseDesk {
    let invocation: Invocation
    let workplace: Workplace
    let handle: SupabaseHandle
    /// The words after those that name the action.
    let operands: [String]

    /// - Throws: `configuration(unsupported)` for a profile of another kind of service.
    init(_ invocation: Invocation, _ operands: [String]) async throws {
        (self.invocation, self.operands) = (invocation, operands)
        let profile = try invocation.profile()
        guard profile.service == .supabase else {
            try profile.checkKnown()
            throw ToolError(.configuration(.unsupported), "error.notSupabase", ["profile": profile.name])
        }
        workplace = try await Workplace.open(invocation, profile)
        let account = try await workplace.account(among: try await workplace.accounts())
        handle = try workplace.client.supabase(account: account?.id)
    }

    var arguments: Arguments { invocation.arguments }

    /// Whether a person is there to answer, and did not ask for a program's way.
    var asks: Bool { !arguments.has(.json) && Presenters.hasTerminal }

    /// Shows a result, with the profile for programs.
    func show(_ members: [String: JSON], _ lines: [String]) throws {
        let profile = JSON.string(workplace.profile.name)
        try invocation.show(.object(members.merging(["profile": profile]) { $1 }), lines)
    }

    /// Returns a line to type, for the same profile and person.
    func line(_ words: String) -> String {
        let person = arguments[.account].map { " --account \($0.quotedForShell)" } ?? ""
        return invocation.line(words + person, for: workplace.profile.name)
    }

    /// Asks the service.
    @discardableResult
    func ask<Result: Sendable>(
        _ work: (SupabaseHandle) async throws(AuthError) -> Result
    ) async throws(AuthError) -> Result {
        try await workplace.waiting("progress.asking") { _ throws(AuthError) in try await work(handle) }
    }

    /// Tells a person at the terminal what was wrong with an answer.
    func tell(_ refusal: AuthError) {
        var report = ErrorReport(refusal, invocation.texts)
        report.hint = nil
        for line in report.lines { invocation.console.note(line) }
    }

    /// Returns the next line of standard input.
    ///
    /// - Throws: ``UsageError`` if there is none.
    func inputLine(_ limit: Int = 4_096) throws -> Secret {
        try PipedText.line(invocation, limit: limit)
    }

    /// Returns what a person does next about an error of a change; `nil` if nothing more than for any other command.
    static func hint(for error: AuthError, _ invocation: Invocation) -> ToolText? {
        guard invocation.arguments.command.name == Command.supabase.name else { return nil }
        let person = invocation.arguments[.account].map { " --account \($0.quotedForShell)" } ?? ""
        func line(_ words: String) -> String { invocation.shownLine(words + person) }
        let password = "supabase password --password-from-stdin"
        return switch error.supabase {
        case .currentPasswordRequired?, .currentPasswordInvalid?:
            ToolText("hint.currentPassword", ["command": line("\(password) --current-password-from-stdin")])
        case .reauthenticationNeeded?, .reauthenticationNotValid?:
            ToolText(
                "hint.reauthenticate",
                ["send": line("supabase reauthenticate"), "command": line("\(password) --code-from-stdin")])
        case .otpExpired?: ToolText("hint.resend", ["command": line("supabase resend")])
        case .insufficientAAL?: ToolText("hint.factor", ["command": line("supabase factors verify")])
        default: nil
        }
    }
}

extension SupabaseDesk {
    /// Shows the person.
    func showUser() async throws {
        let user = try await ask { handle throws(AuthError) in try await handle.user() }
        var members: [String: JSON] = [
            "id": .string(user.id), "anonymous": .bool(user.isAnonymous),
            "emailConfirmed": .bool(user.isEmailConfirmed), "phoneConfirmed": .bool(user.isPhoneConfirmed),
            "metadata": .object(user.metadata),
        ]
        members["email"] = user.email.map(JSON.string)
        members["newEmail"] = user.newEmail.map(JSON.string)
        members["phone"] = user.phone.map(JSON.string)
        members["newPhone"] = user.newPhone.map(JSON.string)
        let texts = invocation.texts
        func confirmed(_ text: String?, _ isConfirmed: Bool) -> String? {
            text.map { isConfirmed ? $0 : texts("supabase.unconfirmed", ["value": $0]) }
        }
        let waiting = [user.newEmail, user.newPhone.map { "+\($0)" }].compactMap(\.self).joined(separator: ", ")
        let ways = user.identities.map(\.provider).joined(separator: ", ")
        let factors = user.factors.filter(\.isVerified).map(\.type).joined(separator: ", ")
        try show(
            [
                "user": .object(members), "factors": .array(user.factors.map(Self.json)),
                "identities": .array(user.identities.map(Self.json)),
            ],
            Columns.lines([
                ("id", user.id), (texts("label.email"), confirmed(user.email, user.isEmailConfirmed)),
                (texts("label.phone"), confirmed(user.phone.map { "+\($0)" }, user.isPhoneConfirmed)),
                (texts("label.unconfirmed"), waiting.isEmpty ? nil : waiting),
                (texts("label.anonymous"), user.isAnonymous ? texts("yes") : nil),
                (texts("label.identities"), ways.isEmpty ? texts("none") : ways),
                (texts("label.factors"), factors.isEmpty ? texts("none") : factors),
            ]))
    }
}
