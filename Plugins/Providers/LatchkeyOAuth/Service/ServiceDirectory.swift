import Latchkey
import LatchkeyJSON
import LatchkeyLocked
import LatchkeyOAuthCore

/// The service's metadata and keys, fetched once for all callers and kept in the provider's cache.
struct ServiceDirectory: Sendable {
    let provider: OAuthProvider
    let context: ProviderContext

    private static let rule = KeySetRefreshRule()

    /// The endpoints. If the document cannot be fetched again, the last one is used for a day.
    func metadata() async throws -> ServerMetadata {
        guard let issuer = provider.issuer else {
            let token = provider.endpoints.token ?? ""
            return provider.endpoints.applied(to: ServerMetadata(issuer: "", tokenEndpoint: token))
        }
        let last = try await context.cache.value("oauth metadata \(issuer)") {
            (Locked<ServerMetadata?>(nil), fresh: Freshness.ceiling)
        }
        do {
            let found = try await context.cache.value("oauth discovery \(issuer)") { try await discover(issuer) }
            last.withLock { $0 = found }
            return provider.endpoints.applied(to: found)
        } catch {
            guard error.isTransient, let kept = last.withLock({ $0 }) else { throw error }
            return provider.endpoints.applied(to: kept)
        }
    }

    private func discover(_ issuer: String) async throws -> (ServerMetadata, fresh: Duration) {
        var unreadable: AuthError?
        let addresses = try Discovery.addresses(of: issuer)
        for (index, address) in addresses.enumerated() {
            let response = try await get(address)
            switch response.status {
            case 200 where Discovery.isDocument(response.body):
                var metadata = try ServerMetadata.read(
                    response.body, issuer: issuer, template: provider.known.issuerTemplate,
                    needsTokenEndpoint: provider.endpoints.token == nil)
                metadata.isPlainOAuth = index > 0
                return (metadata, Freshness.of(response.fields))
            case 404: break
            case 429, 500...: throw foreign(response, address)
            // The service may support only the other standard.
            default: unreadable = unreadable ?? foreign(response, address)
            }
        }
        if let unreadable { throw unreadable }
        // A service without a document: what is configured is all there is.
        if let token = provider.endpoints.token {
            return (ServerMetadata(issuer: issuer, tokenEndpoint: token), Freshness.ceiling)
        }
        throw AuthError(
            .configuration(.invalid),
            "The issuer has no discovery document: \(addresses[0]) answers HTTP 404. A service without one needs its "
                + "endpoints named.",
            provider: provider.name)
    }

    /// Makes sure, before a grant is spent, that the service has a key set. Asks for nothing: the keys are fetched when
    /// there is something to check, since the service may replace them until then.
    func demandKeys(_ metadata: ServerMetadata) throws { _ = try keyAddress(metadata) }

    /// Whether a check fetches the keys first.
    func lacksKeys(_ metadata: ServerMetadata) async -> Bool {
        guard let held = try? await heldKeys(metadata) else { return false }
        return held.withLock { isDue($0) }
    }

    /// Checks an ID token, as ``checked(_:_:)``.
    func check(
        _ token: Secret, _ rules: IDTokenRules, _ metadata: ServerMetadata
    ) async throws -> IDTokenClaims {
        try await checked(metadata) { keys throws(JOSEError) in
            try IDToken.validate(token, keys: keys, rules: rules)
        }
    }

    /// Checks a token with the keys. They are fetched first if there are none, or if they are old; if that fails, the
    /// last ones are used for a day. If no key fits, or none has made the signature, the key set is fetched once more,
    /// at most once a minute.
    func checked<Checked>(
        _ metadata: ServerMetadata, _ check: (JSONWebKeySet) throws(JOSEError) -> Checked
    ) async throws -> Checked {
        let held = try await heldKeys(metadata)
        if held.withLock({ isDue($0) }) {
            do { try await fetchKeys(metadata, into: held) } catch {
                guard error.isTransient, !held.withLock({ $0.keys.isEmpty }) else { throw error }
            }
        }
        do throws(JOSEError) {
            return try check(held.withLock { $0.keys })
        } catch {
            let state = held.withLock { $0 }
            guard [.unknownKeyID, .noKey, .signature].contains(error.code),
                Self.rule.decide(.unknownKeyID, in: state, now: context.world.clock.now()) == .fetch
            else { throw error }
        }
        try? await fetchKeys(metadata, into: held)
        return try check(held.withLock { $0.keys })
    }

    /// Whether the keys are to be fetched before the next check.
    private func isDue(_ held: HeldKeySet) -> Bool {
        guard let fetchedAt = held.fetchedAt else { return true }
        let now = context.world.clock.now()
        return now - fetchedAt >= Self.rule.maximumAge
            && held.attemptedAt.map { now - $0 >= Self.rule.minimumInterval } ?? true
    }

    private func heldKeys(_ metadata: ServerMetadata) async throws -> Locked<HeldKeySet> {
        try await context.cache.value("oauth keys \(try keyAddress(metadata))") {
            (Locked(HeldKeySet()), fresh: Freshness.ceiling)
        }
    }

    private func fetchKeys(_ metadata: ServerMetadata, into held: Locked<HeldKeySet>) async throws {
        let address = try keyAddress(metadata)
        // Not kept: calls that run meanwhile share the value, and the result lives in `held`.
        _ = try await context.cache.value("oauth key fetch \(address)") {
            held.withLock { $0.beginFetch(at: context.world.clock.now()) }
            let response = try await get(address)
            let document = try? JSON.parse(response.body)
            guard response.status == 200, let document, document[OAuthWire.keys] != nil else {
                throw foreign(response, address)
            }
            let set: JSONWebKeySet
            do {
                set = try JSONWebKeySet(parsing: document)
            } catch {
                throw AuthError(.serviceTrouble, "The key set cannot be read.", provider: provider.name)
            }
            held.withLock { $0.endFetch(with: set, at: context.world.clock.now()) }
            return (true, fresh: .zero)
        }
    }

    /// Throws if ID tokens are asked for that could not be checked, before a person signs in for nothing.
    func checkKeyAddress(_ metadata: ServerMetadata, for scopes: [String]) throws {
        if scopes.contains(OAuthWire.Scope.openid) { _ = try keyAddress(metadata) }
    }

    private func keyAddress(_ metadata: ServerMetadata) throws -> String {
        guard let address = metadata.jwksURI else {
            if let problem = metadata.problem(with: OAuthWire.jwksURI) { throw provider.named(problem) }
            throw AuthError(
                .configuration(.unsupported),
                "The service has no key set, so its ID tokens cannot be checked. Ask without the scope `openid`.",
                provider: provider.name)
        }
        return address
    }

    private func get(_ address: String) async throws -> TransportResponse {
        try await context.lookUp(TransportRequest("GET", address, fields: ["Accept": "application/json"]))
    }

    /// The error for an answer that is not the document that was asked for. The address is public.
    private func foreign(_ response: TransportResponse, _ address: String) -> AuthError {
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
