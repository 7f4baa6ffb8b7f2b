import Latchkey

/// What the tool is made of: the only place that names plugins.
enum Composition {
    /// The provider's name within each client.
    static let provider: ProviderID = "oauth"

    /// Where the sessions of `profile` are kept.
    static func directory(for profile: Profile, in invocation: Invocation) throws -> String {
        throw AuthError(.configuration(.unsupported), "Not built yet.")
    }

    /// The client for `profile`.
    static func client(
        for profile: Profile, secret: Secret?, at directory: String, in invocation: Invocation
    ) throws -> AuthClient {
        throw AuthError(.configuration(.unsupported), "Not built yet.")
    }

    /// Signs in as the profile and the options say.
    static func signIn(_ workplace: Workplace, _ options: SignInOptions) async throws -> Session {
        throw AuthError(.configuration(.unsupported), "Not built yet.")
    }

    /// Asks a person at the terminal.
    static func askAtTerminal(_ challenge: Challenge, _ invocation: Invocation) async throws -> Answer {
        throw AuthError(.configuration(.unsupported), "Not built yet.")
    }

    /// The redirect address of a login that nobody listens for: its answer is pasted.
    static func detachedRedirect(_ profile: Profile) -> String { "http://127.0.0.1:\(profile.redirectPort ?? 8_423)/" }
}

/// Questions at the terminal.
enum TerminalQuestion {
    static func secret(_ words: String, in invocation: Invocation) async throws -> Secret {
        throw AuthError(.configuration(.unsupported), "Not built yet.")
    }
}
