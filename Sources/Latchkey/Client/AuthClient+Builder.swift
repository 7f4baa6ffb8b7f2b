extension AuthClient {
    /// Collects what a client is made of. A value: each method returns a changed copy.
    ///
    /// ```swift
    /// let auth = try AuthClient.Builder()
    ///     .provider(.oauth(issuer: "https://id.example.com", clientID: "notes"))
    ///     .store(.file(unencryptedAt: directory))
    ///     .transport(.curl())
    ///     .build()
    /// ```
    public struct Builder: Sendable {
        var providers: [any AuthProvider] = []
        var store: (any SessionStore)?
        var transport: (any HTTPTransport)?
        var gate: GateParts?
        var context = PluginContext.system
        var observers: [any AuthObserver] = []
        var settings = EngineSettings()

        /// Nothing so far.
        public init() {}

        /// Adds a provider. Each needs a name of its own.
        public func provider(_ provider: some AuthProvider) -> Builder { with { $0.providers.append(provider) } }

        /// Keeps sessions in `store`. Default: a ``MemoryStore``, which forgets them with the process.
        public func store(_ store: some SessionStore) -> Builder { with { $0.store = store } }

        /// Carries requests by `transport`. Required.
        public func transport(_ transport: some HTTPTransport) -> Builder { with { $0.transport = transport } }

        /// What the gate is made of.
        struct GateParts: Sendable {
            var authenticator: any UnlockAuthenticator
            var fallback: (any UnlockAuthenticator)?
            var reason: String
            var policy: UnlockPolicy
        }

        /// Puts a gate before the sessions, opened by `authenticator`.
        ///
        /// `reason` is one sentence for the prompt, in the person's language, without a full stop.
        public func unlock(
            _ authenticator: some UnlockAuthenticator, reason: String, policy: UnlockPolicy = UnlockPolicy()
        ) -> Builder {
            with {
                $0.gate = GateParts(authenticator: authenticator, fallback: nil, reason: reason, policy: policy)
            }
        }

        /// The same with another authenticator to fall back to. It is asked only when ``AuthClient/unlock(with:)`` is
        /// called with ``UnlockChoice/fallback``, never by itself.
        public func unlock(
            _ authenticator: some UnlockAuthenticator, fallback: some UnlockAuthenticator, reason: String,
            policy: UnlockPolicy = UnlockPolicy()
        ) -> Builder {
            with {
                $0.gate = GateParts(authenticator: authenticator, fallback: fallback, reason: reason, policy: policy)
            }
        }

        /// Shows what happens to `observer` too, after those given before.
        public func observer(_ observer: some AuthObserver) -> Builder { with { $0.observers.append(observer) } }

        /// Takes time, randomness, tasks and a first observer from `context`. Default: the system, which sees nothing.
        public func context(_ context: PluginContext) -> Builder { with { $0.context = context } }

        /// Uses other deadlines and intervals than the default ones.
        public func settings(_ settings: EngineSettings) -> Builder { with { $0.settings = settings } }

        private func with(_ change: (inout Builder) -> Void) -> Builder {
            var copy = self
            change(&copy)
            return copy
        }
    }
}
