import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore

/// The service's metadata and keys, fetched once for all callers. They are kept in the provider's cache and, between
/// processes, in the store (``/Latchkey/ServiceDocuments``).
struct ServiceDirectory: Sendable {
    let provider: OAuthProvider
    let context: ProviderContext
    /// Whether what another process has fetched is left alone: a sign-in asks the service itself, so that a person who
    /// signs in again gets rid of what was wrong.
    var asksAnew = false

    /// What the service said of itself.
    struct Known: Sendable {
        var metadata: ServerMetadata
        /// When it said so.
        var since: MonotonicInstant
        /// Whether another process asked.
        var isKept = false
    }

    /// A document that this process has fetched so short a time ago is not asked for again.
    private static let moment = Duration.seconds(60)

    /// The endpoints. If the document cannot be fetched again, the last one is used for a day.
    func metadata() async throws -> ServerMetadata {
        guard let issuer = provider.issuer else {
            let token = provider.endpoints.token ?? ""
            return provider.endpoints.applied(to: ServerMetadata(issuer: "", tokenEndpoint: token))
        }
        let last = try await last(issuer)
        do {
            let known = try await known(issuer)
            last.withLock { $0 = known }
            return provider.endpoints.applied(to: known.metadata)
        } catch {
            guard error.isTransient, let kept = last.withLock({ $0 }) else { throw error }
            return provider.endpoints.applied(to: kept.metadata)
        }
    }

    private func last(_ issuer: String) async throws -> Locked<Known?> {
        try await context.cache.value("oauth metadata \(issuer)") { (Locked(nil), fresh: Freshness.ceiling) }
    }

    private func known(_ issuer: String) async throws -> Known {
        let key = "oauth discovery \(issuer)"
        let known = try await context.cache.value(key) {
            if !asksAnew, let kept = await kept(issuer) { return kept }
            return try await discover(issuer)
        }
        guard asksAnew, known.isKept else { return known }
        await context.cache.forget(key)
        return try await context.cache.value(key) { try await discover(issuer) }
    }

    /// Asks for the document anew, because an endpoint that it names does not answer as such. What is kept of it is
    /// forgotten.
    ///
    /// - Returns: The new one, if it names another token endpoint than `old`. `nil` also if the document was fetched a
    ///   moment ago, or cannot be fetched now.
    func moved(from old: ServerMetadata) async -> ServerMetadata? {
        guard await forget() else { return nil }
        var anew = self
        anew.asksAnew = true
        guard let new = try? await anew.metadata(), new.tokenEndpoint != old.tokenEndpoint else { return nil }
        return new
    }

    /// Forgets the document, here and in the store. Returns `false`, and forgets nothing, if this process has fetched it
    /// a moment ago.
    @discardableResult
    func forget() async -> Bool {
        guard let issuer = provider.issuer, let known = try? await last(issuer).withLock({ $0 }),
            known.isKept || context.world.clock.now() - known.since >= Self.moment
        else { return false }
        await context.cache.forget("oauth discovery \(issuer)")
        await context.documents.forget((try? Discovery.addresses(of: issuer)) ?? [])
        return true
    }

    /// The document as another process has fetched it, if it may still be used.
    private func kept(_ issuer: String) async -> (Known, fresh: Duration)? {
        for (index, address) in ((try? Discovery.addresses(of: issuer)) ?? []).enumerated() {
            guard let document = await context.documents.read(address) else { continue }
            guard let metadata = try? read(document.body, of: issuer, index) else {
                await context.documents.forget([address])
                continue
            }
            let since = context.world.clock.now() - document.age
            return (Known(metadata: metadata, since: since, isKept: true), fresh: document.rest)
        }
        return nil
    }

    /// Reads the document of the address with this number; an empty one says that the service has none.
    private func read(_ body: [UInt8], of issuer: String, _ index: Int) throws(AuthError) -> ServerMetadata {
        if body.isEmpty, let token = provider.endpoints.token {
            return ServerMetadata(issuer: issuer, tokenEndpoint: token)
        }
        var metadata = try ServerMetadata.read(
            body, issuer: issuer, template: provider.known.issuerTemplate,
            needsTokenEndpoint: provider.endpoints.token == nil)
        metadata.isPlainOAuth = index > 0
        return metadata
    }

    private func discover(_ issuer: String) async throws -> (Known, fresh: Duration) {
        var unreadable: AuthError?
        let addresses = try Discovery.addresses(of: issuer)
        let now = context.world.clock.now()
        for (index, address) in addresses.enumerated() {
            let response = try await get(address)
            switch response.status {
            case 200 where Discovery.isDocument(response.body):
                let metadata = try read(response.body, of: issuer, index)
                await context.documents.keep(response.body, from: address, for: Freshness.kept(response.fields))
                return (Known(metadata: metadata, since: now), fresh: Freshness.of(response.fields))
            case 404: break
            case 429, 500...: throw foreign(response, address)
            // The service may support only the other standard.
            default: unreadable = unreadable ?? foreign(response, address)
            }
        }
        if let unreadable { throw unreadable }
        // A service without a document: what is configured is all there is.
        if let token = provider.endpoints.token {
            await context.documents.keep([], from: addresses[0], for: Freshness.ceiling)
            let metadata = ServerMetadata(issuer: issuer, tokenEndpoint: token)
            return (Known(metadata: metadata, since: now), fresh: Freshness.ceiling)
        }
        throw AuthError(
            .configuration(.invalid),
            "The issuer has no discovery document: \(addresses[0]) answers HTTP 404. A service without one needs its "
                + "endpoints named.",
            provider: provider.name)
    }

    func get(_ address: String) async throws -> TransportResponse {
        try await context.lookUp(TransportRequest("GET", address, fields: ["Accept": "application/json"]))
    }

    /// The error for an answer that is not the document that was asked for. The address is public.
    func foreign(_ response: TransportResponse, _ address: String) -> AuthError {
        AuthError(
            ForeignAnswer(response, from: address, showsPath: true), provider: provider.name,
            retryAfter: RetryAfter.read(response.fields, now: context.serverNow))
    }
}

extension Error {
    /// Whether trying again later may help.
    var isTransient: Bool {
        switch self {
        case let error as TransportError: ![.invalidRequest, .libraryMissing].contains(error.code)
        case let error as AuthError:
            [.serviceTrouble, .rateLimited, .offline(.unreachable)].contains(error.code)
        default: false
        }
    }
}
