public import FoundationEssentials
import LatchkeySystem

/// What the engine passes to a provider with each call.
public struct ProviderContext: Sendable {
    /// The clock, randomness, disk and observer.
    public var world: PluginContext
    /// Sends requests. It follows no redirects, and limits size and time.
    public var transport: any HTTPTransport
    /// A cache for discovery documents, key sets and nonces. It is in memory and bounded, and makes
    /// one request at a time per key.
    public var cache: any ProviderCache
    /// How far the service's clock is ahead of this machine's wall clock, as far as known.
    public var serverOffset: Duration
    /// How long a request of this call may take that spends something, such as a code, a proof or a refresh token: giving
    /// up on it may lose what the service grants.
    public var deadline: Duration
    /// How long a request may take that spends nothing: documents, keys, nonces. It may be sent again.
    public var lookupDeadline: Duration
    /// What the provider remembers about this device between sign-ins.
    public var memory: DeviceMemory
    /// What the service's documents said, kept between processes.
    public var documents: ServiceDocuments
    /// The person who is already signed in. Set in `begin` and `answer` if the conversation links
    /// or steps up, otherwise `nil`. It is also `nil` with ``Answer/declined`` if the person's
    /// session can no longer be read.
    public var principal: Principal?
    /// The credential that other people are already signed in with, if the provider's people share
    /// one (``ProviderRules/sharesCredential``). Set in `begin` and `answer` of a sign-in, with the
    /// newest secrets. If the service creates the session under this refresh token, set
    /// ``Grant/shared`` to this credential's ID. `nil` if nobody is signed in, or if the sign-in
    /// uses its own credential.
    public var shared: Credential?
    /// What ``RefreshPreparing/prepareRefresh(of:for:in:)`` has returned for this refresh. `nil` in other calls, and in a
    /// refresh that was not prepared: then the provider gets what it needs itself.
    public internal(set) var prepared: (any Sendable)?
    /// The refresh token from ``carry(_:)``.
    let carried = Locked<Secret?>(nil)
    /// The tokens from ``giveBack(_:)``.
    private let givenBack = Locked<Credential?>(nil)
    /// Stores a refresh token at once, for ``keep(_:)``. Set by the engine where tokens rotate.
    var storing: (@Sendable (Secret) async -> Void)?
    /// What became of the last request of ``send(_:)``.
    private let sent = Locked(Spent.nothing)
    /// The offset from ``noteServiceTime(_:at:)``.
    let told = Locked<Duration?>(nil)
    /// The exchanges that the call is a part of.
    private(set) var exchanges: [OpenExchange] = []

    /// Creates a context. Both deadlines default to 10 seconds, and nothing is remembered or kept.
    public init(
        world: PluginContext, transport: any HTTPTransport, cache: any ProviderCache, serverOffset: Duration = .zero,
        deadline: Duration = .seconds(10), lookupDeadline: Duration = .seconds(10), memory: DeviceMemory? = nil,
        documents: ServiceDocuments = ServiceDocuments(), principal: Principal? = nil
    ) {
        self.world = world
        self.transport = transport
        self.cache = cache
        self.serverOffset = serverOffset
        self.deadline = deadline
        self.lookupDeadline = lookupDeadline
        let nobody = ProviderBinding(provider: "none", authority: "", client: "")
        self.memory = memory ?? DeviceMemory(MemoryStore(context: world), of: nobody)
        self.documents = documents
        self.principal = principal
    }

    /// Sends a request that may spend something, within ``deadline``: a code, a proof, a password, a token. From then on
    /// the call goes on to its end, even if no caller waits for it any more. If it gets no answer in a conversation, the
    /// error says that the service may have acted (``AuthError/isAnswerLost``).
    ///
    /// - Throws: What the transport throws; ``NotSent`` if the call was given up before, for example because the program
    ///   ends. Pass it on.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        for exchange in exchanges { try exchange.noteSending(to: request.url) }
        defer { for exchange in exchanges { exchange.noteAnswered() } }
        do {
            let response = try await transport.send(request, deadline: deadline)
            sent.withLock { $0 = .answered }
            return response
        } catch let error as TransportError {
            sent.withLock { $0 = error.wasSent ? .unanswered : .nothing }
            throw error
        }
    }

    /// Sends a request that spends nothing and may be sent again, such as one for keys or for a code to show, within
    /// ``lookupDeadline``. After an answer to ``send(_:)`` it has as long as that: what the answer grants would be lost with
    /// it, for example where keys are needed to judge a token.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isOptional: Whether the call succeeds without the answer, too. Then it never has longer than ``lookupDeadline``.
    public func lookUp(_ request: TransportRequest, isOptional: Bool = false) async throws -> TransportResponse {
        for exchange in exchanges { exchange.noteAsking(request.url) }
        defer { for exchange in exchanges { exchange.noteAnswered() } }
        let isNeeded = !isOptional && sent.withLock { $0 == .answered }
        return try await transport.send(request, deadline: isNeeded ? deadline : min(lookupDeadline, deadline))
    }

    /// Returns `error`, which ended a call of a conversation; if it is that the answer to a request is lost that may have
    /// spent something, it says so.
    func toldOfLostAnswer(_ error: any Error) -> any Error {
        guard sent.withLock({ $0 == .unanswered }), error is TransportError || error is AuthError else { return error }
        var told = AuthError(error)
        guard told.code == .offline(.unreachable), told.transport?.wasSent == true, !told.isAnswerLost else {
            return error
        }
        told.noteLostAnswer()
        return told
    }

    /// Returns the context for a call that is a part of `exchange`.
    func within(_ exchange: OpenExchange) -> ProviderContext {
        var context = self
        context.exchanges.append(exchange)
        return context
    }

    /// Saves a refresh token from an answer in case this call cannot return it, because it throws or
    /// asks the person something first. The engine stores it, provided the store still holds the
    /// token that was sent.
    ///
    /// If refresh tokens rotate, pass the new one as soon as an answer brings it, and judge the rest
    /// of the answer afterwards: the token that was sent is spent, whatever else is wrong. If the call then
    /// throws, the new token is stored, and the caller gets the error; only a definite ``Refusal`` drops it. If any
    /// answer may replace the token (``ProviderRules/RefreshRule/mints``,
    /// ``ProviderRules/RefreshRule/fixed``), pass it in the same way.
    ///
    /// It has an effect in calls about a person who is signed in. Do not pass a token that the
    /// service sent instead of the session, or for a new session: it would replace the good one.
    public func carry(_ refreshToken: Secret) { carried.withLock { $0 = refreshToken } }

    /// The token that ``carry(_:)`` has saved last.
    package var carriedToken: Secret? { carried.withLock { $0 } }

    /// Hands over tokens that the service gave for a sign-in which this call is about to refuse, by throwing: for
    /// example because the ID token is another person's.
    ///
    /// The engine revokes them, unless that might end a session that is signed in here, and says in the error what became
    /// of them (``AuthError/refusedTokens``). It has an effect in ``AuthProvider/begin(_:_:in:)`` and
    /// ``AuthProvider/answer(_:to:in:)``. Do not pass a token that the service did not make for this call.
    public func giveBack(_ tokens: Credential) { givenBack.withLock { $0 = tokens } }

    /// Returns, once, the tokens that ``giveBack(_:)`` has handed over.
    package func takeGivenBack() -> Credential? {
        givenBack.withLock { tokens in
            defer { tokens = nil }
            return tokens
        }
    }

    /// Saves a refresh token as ``carry(_:)`` does, and has it stored before this returns.
    ///
    /// Call it before a request that is still needed to judge the answer, such as one for keys: if the program ends
    /// meanwhile, the next one has the new token. If it cannot be stored now, it is stored with the rest of the answer.
    public func keep(_ refreshToken: Secret) async {
        carry(refreshToken)
        await storing?(refreshToken)
    }

    /// Says what the service's clock showed at an instant of this machine's wall clock, for a service whose answers
    /// have no `Date`, or one that something in front of the service has written. It counts more than the field, if the
    /// call succeeds.
    public func noteServiceTime(_ time: Date, at wall: Date) {
        told.withLock { $0 = .seconds(time.timeIntervalSince(wall)) }
    }

    /// The current time by the service's clock, as far as known.
    public var serverNow: Date { world.clock.wall().addingTimeInterval(serverOffset.inSeconds) }

    /// Returns a lifetime that begins now.
    public func lifetime(_ lasts: Duration) -> Lifetime {
        Lifetime(receivedAt: world.clock.now(), boot: world.clock.boot, wall: serverNow, lasts: lasts)
    }
}

/// What a call has spent, as far as is known.
private enum Spent: Sendable {
    /// Nothing, or nothing that left.
    case nothing
    /// Something that the service has answered.
    case answered
    /// Something that may have arrived, and got no answer.
    case unanswered
}

/// A bounded in-memory cache that makes each value once, however many callers ask.
public protocol ProviderCache: Sendable {
    /// Returns the value under `key` while it is fresh, otherwise the result of `make`. Concurrent
    /// callers share one `make`; a failure is not cached.
    func value<Value: Sendable>(
        _ key: String, _ make: @escaping @Sendable () async throws -> (Value, fresh: Duration)
    ) async throws -> Value

    /// Forgets the value under `key`.
    func forget(_ key: String) async
}
