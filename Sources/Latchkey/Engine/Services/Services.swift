import FoundationEssentials
import LatchkeySystem

/// The configured providers, and what this process knows of their services: how far their clocks are ahead, and the
/// context that each call of a provider gets.
final class Services: Sendable {
    let providers: [ProviderID: any AuthProvider]
    /// Those that read a resource's answer. Asked for with each request; a cast would cost more than the look-up.
    let judges: [ProviderID: any AnswerJudging]
    /// Whether one of them prepares its refreshes.
    let prepares: Bool
    let context: PluginContext
    let settings: EngineSettings
    private let transport: any HTTPTransport
    private let store: any SessionStore
    private let cache: MemoryCache
    /// What the services' documents say; `nil` if that is not kept.
    let documents: DocumentShelf?
    let signInRests = SignInRests()
    let exchanges = OpenExchanges()
    private let offsets = Locked<[ProviderBinding: Duration]>([:])
    /// How long the slowest recent answer of each service took.
    let slowest = Locked<[ProviderBinding: Duration]>([:])

    init(
        _ providers: [ProviderID: any AuthProvider], over transport: any HTTPTransport, store: any SessionStore,
        context: PluginContext, settings: EngineSettings
    ) {
        self.providers = providers
        judges = providers.compactMapValues { $0 as? any AnswerJudging }
        prepares = providers.values.contains { $0 is any RefreshPreparing }
        self.transport = transport
        self.store = store
        self.context = context
        self.settings = settings
        cache = MemoryCache(context)
        documents = settings.keepsDocuments ? DocumentShelf(store, transport, context.clock) : nil
    }

    var clock: any AuthClock { context.clock }

    /// The provider that `binding` was made with, if the configuration is still the same.
    func provider(for binding: ProviderBinding) throws(AuthError) -> any AuthProvider {
        guard let provider = providers[binding.provider] else {
            throw AuthError(
                .configuration(.changed), "No provider named \"\(binding.provider.name)\" is configured.",
                provider: binding.provider)
        }
        let configured = provider.rules.binding
        guard configured == binding else {
            let part = configured.authority == binding.authority ? "client" : "issuer"
            throw AuthError(
                .configuration(.changed),
                "The stored session was made with another \(part) than the one that is configured; nothing was sent.",
                provider: binding.provider)
        }
        return provider
    }

    func provider(named name: ProviderID) throws(AuthError) -> any AuthProvider {
        guard let provider = providers[name] else {
            throw AuthError(
                .configuration(.invalid), "No provider named \"\(name.name)\" is configured.", provider: name)
        }
        return provider
    }

    /// The provider named in `binding`, whatever its configuration is by now.
    func named(in binding: ProviderBinding) -> (any AuthProvider)? { providers[binding.provider] }

    /// The same, if the service can be told that a session is over.
    func revoking(_ binding: ProviderBinding) -> (any SessionRevoking)? {
        providers[binding.provider] as? any SessionRevoking
    }

    /// How long a request may take that spends something. Giving up on it may lose what the service grants.
    var spendingDeadline: Duration { max(settings.requestDeadline, settings.familyDeadline) }

    /// A context for one call of a provider.
    ///
    /// - Parameters:
    ///   - until: When all requests of the call end at the latest; `nil` if nothing but their own deadlines bounds them,
    ///   as in a conversation.
    ///   - deadline: How long a request may take that spends something; `nil` for the usual time.
    func callContext(
        _ binding: ProviderBinding, until: MonotonicInstant? = nil, deadline: Duration? = nil
    ) -> (context: ProviderContext, transport: MeasuredTransport) {
        // What has an end of its own can be done again: it tells the service of an end, or looks something up.
        let usual = until == nil ? spendingDeadline : settings.requestDeadline
        let measured = MeasuredTransport(transport, context, until: until, tellsRefusals: true)
        let context = ProviderContext(
            world: context, transport: measured, cache: cache, serverOffset: offset(of: binding),
            deadline: deadline ?? usual, lookupDeadline: settings.requestDeadline,
            memory: DeviceMemory(store, of: binding), documents: ServiceDocuments(documents, of: binding))
        return (context, measured)
    }
}

/// How far the services' clocks are ahead of this machine's.
extension Services {
    /// Remembers what the service's clock showed. Returns the offset to store.
    ///
    /// - Parameters:
    ///   - context: The context of the call, for what the provider has read of the clock.
    ///   - error: What the call has ended with. An answer that is not the service's says nothing about its clock.
    @discardableResult
    func learn(
        _ measured: MeasuredTransport, _ context: ProviderContext? = nil, after error: (any Error)? = nil,
        of binding: ProviderBinding
    ) -> Duration {
        let summary = measured.summary
        summary.slowest.map { noteAnswer(after: $0, of: binding) }
        let isForeign = error.map { AuthError($0).foreign != nil } ?? false
        // What was read of the clock is as old as the answer, which may have waited in a machine that slept.
        let told = summary.roundTrip < .seconds(30) ? context?.told.withLock { $0 } : nil
        return offsets.withLock { offsets in
            let known = offsets[binding] ?? .zero
            // A difference of up to two seconds is noise: the field counts whole seconds.
            guard !isForeign, let found = told ?? summary.offset, abs((found - known).inSeconds) > 2 else {
                return known
            }
            offsets[binding] = found
            return found
        }
    }

    /// Takes over an offset that was stored, if this process knows none of its own.
    func recall(_ offset: Duration, of binding: ProviderBinding) {
        offsets.withLock { offsets in
            if offsets[binding] == nil { offsets[binding] = offset }
        }
    }

    func offset(of binding: ProviderBinding) -> Duration { offsets.withLock { $0[binding] ?? .zero } }

    /// What tells the age of the tokens in `record`.
    func serverTime(for record: CredentialRecord) -> ServerTime {
        guard let binding = record.credential?.binding else { return .offset(.zero) }
        return record.isAhead(of: clock.wall()) ? .setBack : .offset(offset(of: binding))
    }
}

/// What this machine's wall clock says about the service's.
enum ServerTime: Sendable {
    /// The service's is ahead by so much.
    case offset(Duration)
    /// Nothing: the clock was set back since. A token of another boot counts as ended.
    case setBack
}
