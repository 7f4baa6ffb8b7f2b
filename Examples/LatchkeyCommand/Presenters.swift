import Latchkey
import LatchkeyLoopback
import LatchkeyTerminal

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Questions to the person.
enum Presenters {
    /// Signs in with `request`, as the profile and the options say.
    ///
    /// - Parameter asking: Called before the person is asked anything at the terminal.
    static func signIn(
        _ workplace: Workplace, _ request: SignInRequest, _ options: SignInOptions,
        asking: @escaping @Sendable () -> Void
    ) async throws -> ConversationEnd {
        let (client, provider) = (workplace.client, Composition.provider(of: workplace.profile))
        switch workplace.profile.method {
        case .browser, .link:
            return try await client.converse(request, with: provider, options: options, asking: browser(workplace))
        default:
            return try await client.converse(
                request, with: provider, options: options, asking: asker(workplace.invocation, asking))
        }
    }

    /// Returns a presenter that asks at the terminal, or shows instructions if there is none.
    private static func asker(
        _ invocation: Invocation, _ asking: @escaping @Sendable () -> Void = {}
    ) -> any ChallengePresenter {
        let asker: any ChallengePresenter =
            hasTerminal
            ? TerminalAsker(invocation: invocation, asking: asking) : PlainPresenter(invocation: invocation)
        return InputPresenter.answers(invocation)
            ? InputPresenter(invocation: invocation, otherwise: asker, asking: asking) : asker
    }

    /// Asks the person at the terminal.
    static func askAtTerminal(_ challenge: Challenge, _ invocation: Invocation) async throws -> Answer {
        guard hasTerminal else {
            throw ToolError(
                .configuration(.unsupported), "error.noTerminal", hint: way(to: challenge, invocation))
        }
        return try await TerminalAsker(invocation: invocation).answer(challenge)
    }

    /// How a challenge is answered without a terminal; `nil` if it cannot be.
    private static func way(to challenge: Challenge, _ invocation: Invocation) -> ToolText? {
        let option: String
        switch challenge.ask {
        case .code, .totp, .backupCode, .enrolment: option = "--\(Option.codeFromInput.name)"
        case .password, .newPassword: option = "--\(Option.passwordFromInput.name)"
        case .visit, .openedLink: option = "--\(Option.redirectFromInput.name)"
        case .choose(let choices): option = "--\(Option.choose.name) \(choices.first?.id.quotedForShell ?? "ID")"
        default: return nil
        }
        guard challenge.id != toolsOwn else { return ToolText("hint.byInput", ["option": option]) }
        return .run(invocation.shownLine("answer \(challenge.id) \(option)"))
    }

    private static let toolsOwn = "tool"

    /// Asks for the name of the person who signs in, with visible input.
    static func identifier(_ invocation: Invocation) async throws -> String {
        let words = invocation.texts("ask.identifier")
        let answer = try await askAtTerminal(question(.fields([Ask.Field(name: words)])), invocation)
        guard case .fields(let answers) = answer, let text = answers[words] else {
            throw ToolError(.declined, "error.identifierDeclined")
        }
        return text.revealText()
    }

    /// Creates a question of the tool itself.
    static func question(_ ask: Ask) -> Challenge {
        Challenge(id: toolsOwn, binding: ProviderBinding(provider: "tool", authority: "", client: ""), ask: ask)
    }

    /// Returns the error for a captcha, which a terminal cannot show.
    static func captcha(_ challenge: Challenge, _ invocation: Invocation) -> AuthError {
        AuthError(
            .refused(.captcha), invocation.shown("error.captcha") + ".", provider: challenge.binding.provider)
    }

    /// Asks for the client's secret, with hidden input.
    static func clientSecret(_ invocation: Invocation) async throws -> Secret {
        guard hasTerminal else { throw ToolError(.configuration(.unsupported), "error.noTerminalSecret") }
        let words = invocation.texts("ask.clientSecret")
        let question = question(.fields([Ask.Field(name: words, secret: true)]))
        guard case .fields(let answers) = try await TerminalPresenter().answer(question), let secret = answers[words]
        else { throw ToolError(.declined, "error.clientSecretDeclined") }
        return secret
    }

    /// Asks for a passphrase; `nil` if the person said no.
    static func passphrase(for reason: String) async throws -> Secret? {
        try await TerminalPresenter().passphrase(for: reason)
    }

    /// Asks for a new passphrase; `nil` if the person said no.
    static func newPassphrase(for reason: String, shortest: Int) async throws -> Secret? {
        try await TerminalPresenter().newPassphrase(for: reason, shortest: shortest)
    }

    /// Returns the lines of a QR code, in a terminal's colours; `nil` if it does not fit.
    static func picture(of text: Secret) -> [String]? { TerminalPresenter.picture(of: text.revealText()) }

    /// Returns the redirect address of a detached login. Nothing listens there: the person pastes the answer.
    static func detachedRedirect(_ profile: Profile) -> String {
        var place = profile.redirectPlace
        place.port = place.port ?? 8_423
        return place.description
    }

    /// Opens a browser, or shows its address, and waits for the redirect.
    static func browser(_ workplace: Workplace) -> any RedirectReceiving {
        var options = LoopbackPresenter.Options(redirect: workplace.profile.redirectPlace)
        options.appName = appName(workplace.profile)
        options.opensBrowser = !workplace.invocation.arguments.has(.noBrowser)
        options.exposesServiceAddress = workplace.invocation.arguments.has(.exposeAddress)
        // The service returns no state, and accepts every address of this machine.
        options.usesRandomPath = workplace.profile.service.isDirect
        let paste: LoopbackPresenter.Paste? =
            hasTerminal ? { @Sendable wrong in try await TerminalPresenter().pastedAddress(after: wrong) } : nil
        return LoopbackPresenter(
            options, paste: paste, otherwise: asker(workplace.invocation), context: workplace.invocation.world)
    }

    /// Returns the name that the browser's page shows at the end, with the profile unless it is the usual one.
    private static func appName(_ profile: Profile) -> String {
        profile.name == "default" ? "latchkey" : "latchkey (\(profile.name))"
    }

    /// Whether the process has a terminal, even if its output is redirected.
    static var hasTerminal: Bool {
        let file = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return false }
        close(file)
        return true
    }
}

/// The terminal, with the tool's own answer for challenges that it cannot show.
private struct TerminalAsker: RefusalShowing {
    let invocation: Invocation
    /// Called before anything is asked.
    var asking: @Sendable () -> Void = {}

    func answer(_ challenge: Challenge) async throws -> Answer {
        asking()
        if case .captcha = challenge.ask { throw Presenters.captcha(challenge, invocation) }
        var challenge = challenge
        if let refusal = challenge.refusal {
            try await show(refusal, of: challenge)
            // The refusal says the same in sentences.
            if case .newPassword = challenge.ask { challenge.ask = .newPassword(rules: []) }
        }
        return try await TerminalPresenter().answer(challenge)
    }

    func show(_ refusal: AuthError, of challenge: Challenge) async throws {
        guard refusal.code == .refused(.passwordNotAccepted) else {
            return try await TerminalPresenter().show(refusal, of: challenge)
        }
        // What the password lacks is in the sentences, and not in the code alone.
        let report = ErrorReport(refusal, isSignIn: true, invocation.texts)
        let said = report.serviceText?.text(in: invocation.texts.language)
        try await TerminalPresenter().say(["\(report.message).", said].compactMap(\.self))
    }
}
