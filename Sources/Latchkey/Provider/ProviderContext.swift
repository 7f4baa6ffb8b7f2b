public import FoundationEssentials
import LatchkeyLocked

/// What providers get with each call.
public struct ProviderContext: Sendable {
    /// Clock, randomness, disk, observer.
    public var world: PluginContext
    /// Carries requests. Follows no redirects; bounds size and time.
    public var transport: any HTTPTransport
    /// Discovery documents, key sets, nonces: in memory, bounded, one request at a time per key.
    public var cache: any ProviderCache
    /// How far the service's clock is ahead of the wall clock here, as far as known.
    public var serverOffset: Duration
    /// How long the request may take that this call is about. Longer where giving up would end the session.
    public var deadline: Duration
    /// How long a request may take that spends nothing: for documents, keys, nonces.
    public var lookupDeadline: Duration
    /// What is remembered of this device between sign-ins.
    public var memory: DeviceMemory
    /// Who is signed in already: in `begin` and `answer` of a conversation that links or steps up, else `nil`. `nil` also
    /// with ``Answer/declined`` where nothing can be read of them any more.
    public var principal: Principal?
    /// What others are signed in with already, where the provider's people share a credential
    /// (``ProviderRules/sharesCredential``): in `begin` and `answer` of a sign-in, with the newest secrets. A session that
    /// is made under its refresh token is granted on it (``Grant/shared``). `nil`: nobody is signed in, or the sign-in is
    /// on a credential of its own.
    public var shared: Credential?
    /// What ``carry(_:)`` noted.
    let carried = Locked<Secret?>(nil)

    /// A context of its parts; both deadlines are 10 seconds by default, and nothing is remembered.
    public init(
        world: PluginContext, transport: any HTTPTransport, cache: any ProviderCache, serverOffset: Duration = .zero,
        deadline: Duration = .seconds(10), lookupDeadline: Duration = .seconds(10), memory: DeviceMemory? = nil,
        principal: Principal? = nil
    ) {
        self.world = world
        self.transport = transport
        self.cache = cache
        self.serverOffset = serverOffset
        self.deadline = deadline
        self.lookupDeadline = lookupDeadline
        let nobody = ProviderBinding(provider: "none", authority: "", client: "")
        self.memory = memory ?? DeviceMemory(MemoryStore(context: world), of: nobody)
        self.principal = principal
    }

    /// Sends the request that this call is about, within ``deadline``.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await transport.send(request, deadline: deadline)
    }

    /// Fetches what must be known besides, within ``lookupDeadline``.
    public func lookUp(_ request: TransportRequest) async throws -> TransportResponse {
        try await transport.send(request, deadline: min(lookupDeadline, deadline))
    }

    /// Notes a refresh token that an answer brought, where this call has no other way to hand it back: it throws, or asks the
    /// person something first. The lane stores it, if the store still holds the one that was sent.
    ///
    /// For services whose refresh token any answer may replace (``ProviderRules/RefreshRule/mints``,
    /// ``ProviderRules/RefreshRule/fixed``) and calls about somebody who is signed in; of no effect elsewhere. Never for a
    /// token that came instead of the session: it would take the good one's place.
    public func carry(_ refreshToken: Secret) { carried.withLock { $0 = refreshToken } }

    /// The time by the service's clock, as far as known.
    public var serverNow: Date { world.clock.wall().addingTimeInterval(serverOffset.inSeconds) }

    /// A lifetime that begins now.
    public func lifetime(_ lasts: Duration) -> Lifetime {
        Lifetime(receivedAt: world.clock.now(), boot: world.clock.boot, wall: serverNow, lasts: lasts)
    }
}

/// A bounded cache in memory whose values are made once, however many ask.
public protocol ProviderCache: Sendable {
    /// The value under `key` while it is fresh, else what `make` gives. Callers that come meanwhile share one `make`;
    /// a failure is not kept.
    func value<Value: Sendable>(
        _ key: String, _ make: @escaping @Sendable () async throws -> (Value, fresh: Duration)
    ) async throws -> Value

    /// Forgets the value under `key`.
    func forget(_ key: String) async
}
