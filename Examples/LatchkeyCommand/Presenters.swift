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

/// Who asks the person.
enum Presenters {
    /// Signs in by `request`, as the profile and the options say.
    static func signIn(
        _ workplace: Workplace, _ request: SignInRequest, _ options: SignInOptions
    ) async throws -> ConversationEnd {
        let (client, provider) = (workplace.client, Composition.provider(of: workplace.profile))
        switch workplace.profile.method {
        case .browser, .link:
            return try await client.converse(request, with: provider, options: options, asking: browser(workplace))
        default:
            return try await client.converse(
                request, with: provider, options: options, asking: asker(workplace.invocation))
        }
    }

    /// Asks at the terminal, or says what to do elsewhere where there is none.
    private static func asker(_ invocation: Invocation) -> any ChallengePresenter {
        hasTerminal ? TerminalAsker(invocation: invocation) : PlainPresenter(invocation: invocation)
    }

    /// Asks a person at the terminal.
    static func askAtTerminal(_ challenge: Challenge, _ invocation: Invocation) async throws -> Answer {
        guard hasTerminal else { throw ToolError(.configuration(.unsupported), "error.noTerminal") }
        return try await TerminalAsker(invocation: invocation).answer(challenge)
    }

    /// Asks for who signs in, which may show.
    static func identifier(_ invocation: Invocation) async throws -> String {
        let words = invocation.texts("ask.identifier")
        let answer = try await askAtTerminal(question(.fields([Ask.Field(name: words)])), invocation)
        guard case .fields(let answers) = answer, let text = answers[words] else {
            throw ToolError(.declined, "error.identifierDeclined")
        }
        return text.revealText()
    }

    /// A question of the tool's own.
    static func question(_ ask: Ask) -> Challenge {
        Challenge(id: "tool", binding: ProviderBinding(provider: "tool", authority: "", client: ""), ask: ask)
    }

    /// What somebody is told whom a terminal cannot ask.
    static func captcha(_ challenge: Challenge, _ invocation: Invocation) -> AuthError {
        AuthError(
            .refused(.captcha), invocation.shown("error.captcha") + ".", provider: challenge.binding.provider)
    }

    /// Asks for the client's secret, which must not show.
    static func clientSecret(_ invocation: Invocation) async throws -> Secret {
        guard hasTerminal else { throw ToolError(.configuration(.unsupported), "error.noTerminalSecret") }
        let words = invocation.texts("ask.clientSecret")
        let question = question(.fields([Ask.Field(name: words, secret: true)]))
        guard case .fields(let answers) = try await TerminalPresenter().answer(question), let secret = answers[words]
        else { throw ToolError(.declined, "error.clientSecretDeclined") }
        return secret
    }

    /// Asks for a passphrase; `nil`: the person said no.
    static func passphrase(for reason: String) async throws -> Secret? {
        try await TerminalPresenter().passphrase(for: reason)
    }

    /// Asks for a new passphrase; `nil`: the person said no.
    static func newPassphrase(for reason: String, shortest: Int) async throws -> Secret? {
        try await TerminalPresenter().newPassphrase(for: reason, shortest: shortest)
    }

    /// The lines of a QR code, in a terminal's colours; `nil` where it does not fit.
    static func picture(of text: Secret) -> [String]? { TerminalPresenter.picture(of: text.revealText()) }

    /// The redirect address of a login that nobody listens for: its answer is pasted.
    static func detachedRedirect(_ profile: Profile) -> String {
        "http://127.0.0.1:\(profile.redirectPort ?? 8_423)/callback"
    }

    /// Opens a browser, or shows its address, and waits for the way back.
    static func browser(_ workplace: Workplace) -> any RedirectReceiving {
        var options = LoopbackPresenter.Options()
        options.port = workplace.profile.redirectPort ?? 0
        options.opensBrowser = !workplace.invocation.arguments.has(.noBrowser)
        options.exposesServiceAddress = workplace.invocation.arguments.has(.exposeAddress)
        // The service sends no state back, and takes every address of this machine.
        options.usesRandomPath = workplace.profile.service.isDirect
        let paste: (@Sendable () async throws -> Secret)? =
            hasTerminal ? { @Sendable in try await TerminalPresenter().pastedAddress() } : nil
        return LoopbackPresenter(
            options, paste: paste, otherwise: asker(workplace.invocation), context: workplace.invocation.world)
    }

    /// Whether the process belongs to a terminal, wherever its output goes.
    static var hasTerminal: Bool {
        let file = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return false }
        close(file)
        return true
    }
}

/// The terminal, which cannot show everything.
private struct TerminalAsker: ChallengePresenter {
    let invocation: Invocation

    func answer(_ challenge: Challenge) async throws -> Answer {
        if case .captcha = challenge.ask { throw Presenters.captcha(challenge, invocation) }
        return try await TerminalPresenter().answer(challenge)
    }
}
