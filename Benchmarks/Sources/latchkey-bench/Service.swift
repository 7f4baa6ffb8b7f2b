import Latchkey
import Synchronization

/// A service in this process that signs in one person after the other, with tokens of a usual length.
final class Service: AuthProvider {
    let rules: ProviderRules
    let subject: @Sendable () -> String
    let lifetime: Duration
    private let made = Atomic(0)
    /// The length of a signed token with a few claims.
    static let tokenLength = 600

    init(
        binding: ProviderBinding = ProviderBinding(
            provider: "bench", authority: "https://id.example.com", client: "app"),
        lifetime: Duration = .seconds(3_600), subject: @escaping @Sendable () -> String = { "alice" }
    ) {
        rules = ProviderRules(binding: binding, methods: [.anonymous])
        self.subject = subject
        self.lifetime = lifetime
    }

    func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn {
        let subject = subject()
        let session = AuthSession(
            id: AuthSession.ID("session-\(subject)"), account: account(subject), label: subject,
            tokens: [.standard: token(in: context)])
        return .signedIn(Grant(refreshToken: Secret("refresh-\(subject)"), session))
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        throw AuthError(.configuration(.unsupported), "Nothing is asked.")
    }

    func refresh(_ credential: Credential, for want: TokenWant, in context: ProviderContext) async throws
        -> CredentialChange
    {
        CredentialChange(
            refreshToken: Secret("renewal"), minted: [want.session: [want.audience: token(in: context)]])
    }

    func account(_ subject: String) -> AccountID { AccountID(subject: subject, of: rules.binding) }

    private func token(in context: ProviderContext) -> AccessToken {
        // A different one each time, as services give them.
        var text = Array("token-\(made.wrappingAdd(1, ordering: .relaxed).oldValue)-".utf8)
        text += [UInt8](repeating: 0x61, count: Self.tokenLength - text.count)
        return AccessToken(
            Secret(text), lifetime: context.lifetime(lifetime),
            scopes: ["openid", "email"])
    }

    /// Creates a client of this service, without any session.
    func client(_ change: (AuthClient.Builder) -> AuthClient.Builder = { $0 }) throws -> AuthClient {
        try change(AuthClient.Builder().provider(self).transport(NoTransport())).build()
    }
}

extension Service {
    /// Signs in this many people, `subject-0` and on, and keeps their sessions in `store`.
    static func filling(_ store: any SessionStore, with count: Int) async throws -> Service {
        let number = Atomic(0)
        let service = Service { "subject-\(number.wrappingAdd(1, ordering: .relaxed).oldValue)" }
        let auth = try service.client { $0.store(store) }
        for _ in 0..<count { _ = try await auth.signIn(with: "bench", .anonymous) }
        return service
    }
}

/// A transport that sends nothing, because the service is in this process.
struct NoTransport: HTTPTransport {
    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        throw TransportError(.unreachable, wasSent: false)
    }
}
