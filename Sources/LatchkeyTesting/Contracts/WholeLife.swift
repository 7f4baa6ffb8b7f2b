public import Latchkey
import LatchkeySystem

/// Takes a person through everything that can happen with a provider, in the client that apps use:
///
/// ```swift
/// try await WholeLife(way, refused: gone) { setting }.run()
/// ```
///
/// | Step | Expected result |
/// | --- | --- |
/// | sign in | one account, and an access token |
/// | refresh, refresh again | a token each, for the same account |
/// | restart | another client over the same store knows the account, has a token, and refreshes it |
/// | be refused | a definite refusal ends the session, every other answer keeps it; only if `refused` is given |
/// | sign out | the service is told if possible, and nobody is signed in then, also after another restart |
///
/// For the refusal, the person signs in again at a separate service. The step that fails is thrown
/// as a ``ContractViolation`` with the step as its clause. ``ProviderContract`` checks more
/// closely; this is the short proof that the parts work together.
public struct WholeLife<Provider: AuthProvider>: Sendable {
    /// One way to sign in, with a person who answers.
    public typealias Conversation = ProviderContract<Provider>.Conversation
    /// An answer of the service to a refresh, and the error that the provider must throw for it.
    public typealias RefusedRefresh = ProviderContract<Provider>.RefusedRefresh
    /// A provider and the service it talks to.
    public typealias Setting = ProviderContract<Provider>.Setting

    private let conversation: Conversation
    private let refused: RefusedRefresh?
    private let make: @Sendable () async throws -> Setting
    private let clauses: Clauses

    /// Creates a run in the settings that `make` creates, each with its service in the same state.
    ///
    /// - Parameters:
    ///   - conversation: Signs in, and leads to a credential that refreshes.
    ///   - refused: What the service answers when it refuses a refresh; `nil` skips that step.
    ///   - timeLimit: How long a step may take, in real time.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        _ conversation: Conversation, refused: RefusedRefresh? = nil,
        timeLimit: Duration = ClauseLimit.standard,
        _ make: @escaping @Sendable () async throws -> Setting
    ) {
        self.conversation = conversation
        self.refused = refused
        self.make = make
        clauses = Clauses(contract: "WholeLife", limit: timeLimit)
    }

    /// Runs every step.
    ///
    /// - Throws: ``ContractViolation``.
    public func run() async throws {
        let life = LifeInStore(try await make(), conversation)
        let first = try life.start()
        let account = try await clauses.clause("sign in") { try await life.signIn(first) }
        try await clauses.clause("refresh") { try await life.refresh(first, account) }
        try await clauses.clause("refresh again") { try await life.refresh(first, account) }
        let second = try await clauses.clause("restart") {
            let next = try await life.restart(first)
            try expect(try await next.restore().map(\.id) == [account], "the store does not hold the account alone")
            try expect(!(try await next.accessToken(for: life.audience).value.isEmpty), "the token is empty")
            try await life.refresh(next, account)
            return next
        }
        if let refused { try await clauses.clause("be refused") { try await beRefused(refused) } }
        try await clauses.clause("sign out") { try await life.signOut(second, account) }
    }

    private func beRefused(_ refused: RefusedRefresh) async throws {
        let life = LifeInStore(try await make(), conversation)
        let client = try life.start()
        let account = try await life.signIn(client)
        life.service.refuse(with: refused.answer)
        var error: AuthError?
        do throws(AuthError) { try await client.refresh(for: life.audience) } catch let thrown { error = thrown }
        let next = try await life.restart(client)
        let isKept = try await next.restore().contains { $0.id == account && !$0.state.isOver }
        if refused.kind == .definite {
            try expect(error?.code.endsSession == true, "it is \(error?.code.name ?? "no error"), and ends nothing")
            try expect(!isKept, "the session is in the store")
        } else {
            try expect(error?.code.endsSession != true, "it ends the session")
            try expect(isKept, "the session is lost")
        }
        await next.finish()
    }
}

/// Several clients in turn, over one store and one service.
private struct LifeInStore<Provider: AuthProvider>: Sendable {
    let setting: ProviderContract<Provider>.Setting
    let conversation: ProviderContract<Provider>.Conversation
    let service: RefusingTransport
    let store: MemoryStore

    init(_ setting: ProviderContract<Provider>.Setting, _ conversation: ProviderContract<Provider>.Conversation) {
        (self.setting, self.conversation) = (setting, conversation)
        service = RefusingTransport(setting.context.transport)
        store = MemoryStore(context: setting.context.world)
    }

    var audience: Audience { conversation.options.audience }

    func start() throws(AuthError) -> AuthClient {
        try AuthClient.Builder().provider(setting.provider).store(store).transport(service)
            .context(setting.context.world).build()
    }

    func restart(_ client: AuthClient) async throws -> AuthClient {
        await client.finish()
        return try start()
    }

    func signIn(_ client: AuthClient) async throws -> AccountID {
        let name = setting.provider.rules.binding.provider
        var step = try await client.begin(conversation.request, with: name, options: conversation.options)
        for _ in 1...32 {
            switch step {
            case .signedIn(let session):
                try expect(
                    try await client.accounts().map(\.id) == [session.account], "the account is not the only one")
                try expect(!(try await client.accessToken(for: audience).value.isEmpty), "the token is empty")
                return session.account
            case .continuesElsewhere: throw Broken("the conversation ends without a session")
            case .asked(let challenge):
                step = try await client.answer(try await conversation.answering(challenge), to: challenge.id)
            }
        }
        throw Broken("the conversation did not end within 32 turns")
    }

    func refresh(_ client: AuthClient, _ account: AccountID) async throws {
        let token = try await client.refresh(for: audience, of: account)
        try expect(!token.value.isEmpty, "the token is empty")
        try expect(try await client.accounts().map(\.id) == [account], "the account is not the only one")
    }

    func signOut(_ client: AuthClient, _ account: AccountID) async throws {
        let result = try await client.signOut(of: account)
        let isTold = setting.provider is any SessionRevoking
        // If the service turns out to be unable to, that is no fault of the provider.
        try expect(result == .localOnly || isTold && result == .revoked, "it came to \(result)")
        try expect(try await client.accounts().isEmpty, "somebody is signed in")
        let next = try await restart(client)
        try expect(try await next.restore().isEmpty, "somebody is signed in after a restart")
        await next.finish()
    }
}

/// Passes requests on, until it is set to refuse those that may spend a credential.
private final class RefusingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let refusal = Locked<TransportResponse?>(nil)

    init(_ inner: any HTTPTransport) { self.inner = inner }

    func refuse(with answer: TransportResponse) { refusal.withLock { $0 = answer } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        if request.method == "POST", let refusal = refusal.withLock({ $0 }) { return refusal }
        return try await inner.send(request, deadline: deadline)
    }
}

extension AccountState {
    fileprivate var isOver: Bool {
        switch self {
        case .signInRequired(let reason): reason != .refusedWithoutReason
        case .signedOut: true
        default: false
        }
    }
}

extension AuthError.Code {
    fileprivate var endsSession: Bool {
        guard case .signInRequired(let reason) = self else { return false }
        return reason != .refusedWithoutReason
    }
}
