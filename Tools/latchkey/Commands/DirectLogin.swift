import Latchkey
import LatchkeySystem

extension Option {
    static let supabase = value("supabase", "URL", .url, "The Supabase project, such as https://abc.supabase.co")
    static let key = value("key", "KEY", .text, "The project's publishable (or older anon) key; never a secret one")
    static let clerk = value("clerk", "KEY", .text, "The Clerk instance, by its publishable key, such as pk_live_…")
    static let proxy = value(
        "proxy-url", "URL", .url, "Clerk: where the Frontend API is reached, instead of at its own address")
    static let password = flag("password", "Supabase, Clerk: signs in with a password; this is the default")
    static let passwordFromInput = flag(
        "password-from-stdin", "Reads the password from standard input")
    static let code = flag("code", "Supabase, Clerk: signs in with a code that is sent by mail or text message")
    static let link = flag(
        "link", "Supabase, Clerk: signs in with a link that is sent by mail, to be opened on this machine")
    static let connection = value(
        "provider", "NAME", .text, "Supabase, Clerk: signs in in a browser at this identity provider, such as github")
    static let forgot = flag(
        "forgot", "Supabase, Clerk: for a lost password; sends a code, asks for it and for a new password, and signs in"
    )
    static let guest = flag(
        "guest", "Supabase: signs in without an address, as a new guest, whose account can become a permanent one later"
    )
    static let signUp = flag(
        "sign-up",
        "Supabase, Clerk: makes the account, with --password, --code or --link, and at Clerk also with --provider")
}

/// The input for signing in without a web page of the service, from the command line and the person.
enum DirectLogin {
    private static let passwordLimit = 4_096

    /// Returns the request to the service.
    ///
    /// - Throws: ``UsageError`` if it is unknown who signs in.
    static func request(_ workplace: Workplace) async throws -> SignInRequest {
        let (profile, arguments) = (workplace.profile, workplace.invocation.arguments)
        guard !arguments.has(.guest) else { return .signIn(.anonymous) }
        guard profile.method != .browser else { return .signIn(.browser(connection: profile.connection)) }
        let who = try await identifier(workplace.invocation)
        guard !arguments.has(.forgot) else { return .recover(identifier: who) }
        switch profile.method {
        // At Supabase the provider decides about the account.
        case .code where arguments.has(.signUp) && profile.service == .clerk,
            .link where arguments.has(.signUp) && profile.service == .clerk:
            return .signUp(SignUpForm(identifier: who))
        case .code: return .signIn(.code(identifier: who, over: who.contains("@") ? .mail : .sms))
        case .link: return .signIn(.link(identifier: who))
        default:
            let isNew = arguments.has(.signUp)
            let password = try await password(isNew: isNew, workplace.invocation)
            return isNew
                ? .signUp(SignUpForm(identifier: who, password: password))
                : .signIn(.password(identifier: who, password))
        }
    }

    /// Ends a login before the service sends a code that could not be given, so that no mail is sent in vain.
    ///
    /// - Throws: ``ToolError`` if there is no terminal, and standard input does not have every answer that is sure to be
    ///   wanted.
    static func checkAnswers(to request: SignInRequest, byLink: Bool = false, _ invocation: Invocation) throws {
        guard !Presenters.hasTerminal else { return }
        let wanted: [TerminalQuestion]
        switch request {
        case .recover(let who): wanted = [TerminalQuestion(codeSentTo: who), TerminalQuestion(.newPassword)]
        case .signIn(.code(let who, _)): wanted = [TerminalQuestion(codeSentTo: who)]
        case .signUp(let form) where form.password == nil && !byLink:
            wanted = [TerminalQuestion(codeSentTo: form.identifier)]
        default: return
        }
        let options = wanted.compactMap(\.option)
        guard let missing = options.firstIndex(where: { !invocation.arguments.has($0) }) else { return }
        // A script that gives the code by standard input can give the password there too.
        let hint: ToolText =
            missing == 0
            ? .run(invocation.again(.detach)) : ToolText("hint.questionInput", ["option": "--\(options[missing].name)"])
        throw wanted[missing].refusal("error.noTerminalSend", hint: hint)
    }

    /// How often a person may enter a password at the terminal.
    private static let passwordTries = 3

    /// Leads the person through the sign-in, with further tries at a password that was refused.
    static func converse(
        _ workplace: Workplace, _ request: SignInRequest, _ options: SignInOptions
    ) async throws -> ConversationEnd {
        var request = request
        var tries = 1
        while true {
            let wasAsked = Locked(false)
            do {
                return try await Presenters.signIn(workplace, request, options) { wasAsked.withLock { $0 = true } }
            } catch let refusal as AuthError {
                // After a question, what was refused is its answer.
                guard tries < passwordTries, !wasAsked.withLock({ $0 }),
                    let next = try await another(request, after: refusal, workplace.invocation)
                else { throw refusal }
                (request, tries) = (next, tries + 1)
            }
        }
    }

    /// Asks a person at the terminal for another password after one that was refused, so that it is not typed at the shell
    /// next. Programs get the refusal at once.
    ///
    /// - Returns: The request with the new password; `nil` if there is no terminal, or another password would not help.
    private static func another(
        _ request: SignInRequest, after refusal: AuthError, _ invocation: Invocation
    ) async throws -> SignInRequest? {
        let arguments = invocation.arguments
        guard Presenters.hasTerminal, !arguments.has(.passwordFromInput), !arguments.has(.json) else { return nil }
        let say = { invocation.console.note(ErrorReport(refusal, isSignIn: true, invocation.texts).lines[0]) }
        switch (request, refusal.code) {
        case (.signIn(.password(let who, _)), .refused(.wrongInput)):
            say()
            return .signIn(.password(identifier: who, try await password(isNew: false, invocation)))
        case (.signUp(var form), .refused(.passwordNotAccepted)):
            say()
            form.password = try await password(isNew: true, invocation)
            return .signUp(form)
        default: return nil
        }
    }

    private static func identifier(_ invocation: Invocation) async throws -> String {
        if let who = invocation.arguments[.loginHint] { return who }
        let words = invocation.texts("ask.identifier")
        guard let text = try await Presenters.line(TerminalQuestion(.account), words, secret: false, invocation) else {
            throw ToolError(.declined, "error.identifierDeclined")
        }
        return text.revealText()
    }

    // Never an argument: every user of the machine can see those.
    private static func password(isNew: Bool, _ invocation: Invocation) async throws -> Secret {
        if invocation.arguments.has(.passwordFromInput) {
            return try PipedText.line(invocation, limit: passwordLimit)
        }
        let ask = isNew ? Ask.newPassword(rules: []) : .password
        guard case .password(let password) = try await Presenters.ask(TerminalQuestion(ask), as: ask, invocation) else {
            throw ToolError(.declined, "error.passwordDeclined")
        }
        return password
    }
}
