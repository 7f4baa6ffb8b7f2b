extension AuthClient {
    /// Collects the parts of a client. It is a value: each method returns a changed copy.
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
        var gate = Gate.Parts()
        var context = PluginContext.system
        var observers: [any AuthObserver] = []
        var settings = EngineSettings()

        /// Creates an empty builder.
        public init() {}

        /// Adds a provider. Each provider needs its own name.
        public func provider(_ provider: some AuthProvider) -> Builder { with { $0.providers.append(provider) } }

        /// Keeps sessions in `store`. Default: a ``MemoryStore``, which forgets them when the process ends.
        public func store(_ store: some SessionStore) -> Builder { with { $0.store = store } }

        /// Sends requests with `transport`. Required.
        public func transport(_ transport: some HTTPTransport) -> Builder { with { $0.transport = transport } }

        /// Requires an unlock by `authenticator` before sessions can be used.
        ///
        /// `reason` is one sentence for the prompt, in the person's language, without a full stop.
        public func unlock(
            _ authenticator: some UnlockAuthenticator, reason: String, policy: UnlockPolicy = UnlockPolicy()
        ) -> Builder {
            with {
                $0.gate = Gate.Parts(authenticator: authenticator, reason: reason, policy: policy)
            }
        }

        /// Requires an unlock, with a second authenticator as a fallback.
        ///
        /// The fallback is asked only if you call ``AuthClient/unlock(with:)`` with
        /// ``UnlockChoice/fallback``, never automatically.
        public func unlock(
            _ authenticator: some UnlockAuthenticator, fallback: some UnlockAuthenticator, reason: String,
            policy: UnlockPolicy = UnlockPolicy()
        ) -> Builder {
            with {
                $0.gate = Gate.Parts(authenticator: authenticator, fallback: fallback, reason: reason, policy: policy)
            }
        }

        /// Adds an observer. Observers are called in the order in which you add them.
        public func observer(_ observer: some AuthObserver) -> Builder { with { $0.observers.append(observer) } }

        /// Takes time, randomness, tasks and a first observer from `context`. Default: the system,
        /// without an observer.
        public func context(_ context: PluginContext) -> Builder { with { $0.context = context } }

        /// Uses your deadlines and intervals in place of the defaults.
        public func settings(_ settings: EngineSettings) -> Builder { with { $0.settings = settings } }

        private func with(_ change: (inout Builder) -> Void) -> Builder {
            var copy = self
            change(&copy)
            return copy
        }
    }
}
