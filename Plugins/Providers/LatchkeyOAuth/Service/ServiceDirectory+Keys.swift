import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore

/// The service's keys. They are fetched when there is something to check, since the service may replace them until then.
extension ServiceDirectory {
    /// When the keys are fetched again although they have the right one. The tokens of a refresh come over TLS from the
    /// service itself, so there a withdrawn key may stay for as long as the document is kept.
    private var rule: KeySetRefreshRule {
        asksAnew ? KeySetRefreshRule() : KeySetRefreshRule(maximumAge: Freshness.ceiling)
    }

    /// Makes sure, before a grant is spent, that the service has a key set. Asks for nothing.
    func demandKeys(_ metadata: ServerMetadata) throws { _ = try keyAddress(metadata) }

    /// Whether checking `token` begins with fetching the keys: there are none, they are old, or the one that signed it
    /// is not among them.
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
    /// at most once a minute; before that, `fetching` runs.
    func checked<Checked>(
        _ metadata: ServerMetadata, fetching: () async -> Void = {},
        _ check: (JSONWebKeySet) throws(JOSEError) -> Checked
    ) async throws -> Checked {
        let held = try await heldKeys(metadata)
        if held.withLock({ isDue($0) }) {
            await fetching()
            do { try await fetchKeys(metadata, into: held) } catch {
                guard error.isTransient, !held.withLock({ $0.keys.isEmpty }) else { throw error }
            }
        }
        do throws(JOSEError) {
            return try check(held.withLock { $0.keys })
        } catch {
            let state = held.withLock { $0 }
            guard [.unknownKeyID, .noKey, .signature].contains(error.code),
                rule.decide(.unknownKeyID, in: state, now: context.world.clock.now()) == .fetch
            else { throw error }
        }
        await fetching()
        try? await fetchKeys(metadata, into: held)
        return try check(held.withLock { $0.keys })
    }

    /// Whether the keys are to be fetched before the next check.
    private func isDue(_ held: HeldKeySet) -> Bool {
        guard let fetchedAt = held.fetchedAt, !(asksAnew && held.isKept) else { return true }
        let now = context.world.clock.now()
        return now - fetchedAt >= rule.maximumAge
            && held.attemptedAt.map { now - $0 >= rule.minimumInterval } ?? true
    }

    private func heldKeys(_ metadata: ServerMetadata) async throws -> Locked<HeldKeySet> {
        let address = try keyAddress(metadata)
        return try await context.cache.value("oauth keys \(address)") {
            (Locked(asksAnew ? HeldKeySet() : await keptKeys(address)), fresh: Freshness.ceiling)
        }
    }

    /// The keys as another process has fetched them.
    private func keptKeys(_ address: String) async -> HeldKeySet {
        guard let document = await context.documents.read(address) else { return HeldKeySet() }
        guard let set = try? JSONWebKeySet(parsing: try JSON.parse(document.body)), !set.isEmpty else {
            await context.documents.forget([address])
            return HeldKeySet()
        }
        return HeldKeySet(set, fetchedAt: context.world.clock.now() - document.age)
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
            if !set.isEmpty {
                await context.documents.keep(response.body, from: address, for: Freshness.kept(response.fields))
            }
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
}
