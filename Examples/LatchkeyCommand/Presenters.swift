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
    /// Signs in as the profile and the options say.
    static func signIn(_ workplace: Workplace, _ options: SignInOptions) async throws -> Session {
        let (client, provider) = (workplace.client, Composition.provider)
        switch workplace.profile.method {
        case .device where hasTerminal:
            return try await client.signIn(with: provider, .device, options: options, asking: TerminalPresenter())
        case .device:
            let presenter = PlainPresenter(invocation: workplace.invocation)
            return try await client.signIn(with: provider, .device, options: options, asking: presenter)
        case .browser:
            return try await client.signIn(with: provider, .browser(), options: options, asking: browser(workplace))
        }
    }

    /// Asks a person at the terminal.
    static func askAtTerminal(_ challenge: Challenge) async throws -> Answer {
        guard hasTerminal else {
            throw AuthError(
                .configuration(.unsupported), "There is no terminal to ask at; the answer must come by standard input.")
        }
        return try await TerminalPresenter().answer(challenge)
    }

    /// Asks for something that must not show.
    static func secret(_ words: String) async throws -> Secret {
        guard hasTerminal else {
            throw AuthError(.configuration(.unsupported), "There is no terminal to ask for the \(words) at.")
        }
        let question = Challenge(
            id: words, binding: Binding(provider: Composition.provider, authority: "", client: ""),
            ask: .fields([Ask.Field(name: words, secret: true)]))
        guard case .fields(let answers) = try await TerminalPresenter().answer(question), let secret = answers[words]
        else { throw AuthError(.declined, "The \(words) was not entered.") }
        return secret
    }

    /// The redirect address of a login that nobody listens for: its answer is pasted.
    static func detachedRedirect(_ profile: Profile) -> String {
        "http://127.0.0.1:\(profile.redirectPort ?? 8_423)/callback"
    }

    private static func browser(_ workplace: Workplace) -> LoopbackPresenter {
        var options = LoopbackPresenter.Options()
        options.port = workplace.profile.redirectPort ?? 0
        options.opensBrowser = !workplace.invocation.arguments.has(.noBrowser)
        guard hasTerminal else { return LoopbackPresenter(options, context: workplace.invocation.world) }
        let terminal = TerminalPresenter()
        return LoopbackPresenter(
            options, paste: { try await terminal.pastedAddress() }, otherwise: terminal,
            context: workplace.invocation.world)
    }

    /// Whether the process belongs to a terminal, wherever its output goes.
    private static var hasTerminal: Bool {
        let file = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return false }
        close(file)
        return true
    }
}
