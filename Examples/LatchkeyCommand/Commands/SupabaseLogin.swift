import Latchkey

extension Option {
    static let supabase = value("supabase", "URL", .url, "The Supabase project, such as https://abc.supabase.co")
    static let key = value("key", "KEY", .text, "The project's publishable (or older anon) key; never a secret one")
    static let password = flag("password", "Supabase: signs in with a password; so if nothing else is said")
    static let passwordFromInput = flag(
        "password-from-stdin", "Reads the password from standard input")
    static let code = flag("code", "Supabase: signs in with a code that is sent by mail or text message")
    static let link = flag("link", "Supabase: signs in with a link that is sent by mail, to be opened on this machine")
    static let connection = value(
        "provider", "NAME", .text, "Supabase: signs in in a browser at this identity provider, such as github")
    static let signUp = flag("sign-up", "Supabase: makes the account, with --password, --code or --link")
}

/// What signing in at a Supabase project takes from the command line and the person.
enum SupabaseLogin {
    private static let passwordLimit = 4_096

    /// What to ask the project for.
    ///
    /// - Throws: ``UsageError`` where nobody says who signs in.
    static func request(_ workplace: Workplace) async throws -> SignInRequest {
        let (profile, arguments) = (workplace.profile, workplace.invocation.arguments)
        guard profile.method != .browser else { return .signIn(.browser(connection: profile.connection)) }
        let who = try await identifier(arguments)
        switch profile.method {
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

    private static func identifier(_ arguments: Arguments) async throws -> String {
        if let who = arguments[.loginHint] { return who }
        guard Presenters.hasTerminal else {
            throw UsageError("Nobody says who signs in", hint: "Add --account with a mail address or a number")
        }
        return try await Presenters.text("Mail address or telephone number")
    }

    // Never an argument: those are visible to every user of the machine.
    private static func password(isNew: Bool, _ invocation: Invocation) async throws -> Secret {
        if invocation.arguments.has(.passwordFromInput) {
            guard let bytes = try invocation.console.readLine(passwordLimit), !bytes.isEmpty else {
                throw UsageError("Standard input is empty", command: .login)
            }
            return Secret(bytes)
        }
        guard Presenters.hasTerminal else {
            throw UsageError(
                "There is no terminal to ask for the password at",
                hint: "Give it by standard input: --password-from-stdin")
        }
        let question = Presenters.question(isNew ? .newPassword(rules: []) : .password)
        guard case .password(let password) = try await Presenters.askAtTerminal(question) else {
            throw AuthError(.declined, "The password was not entered.")
        }
        return password
    }
}
