import LatchkeySystem

/// Revocations that may end more than the session that they are about: `Documentation/Internals/Lane.md`, section 5.
extension SignIns {
    /// Takes what other records owe, and what may end `credential`, off their lists. Called before `credential` is
    /// stored: if this process dies in between, its session is lost anyway.
    func dropOwed(sparing credential: Credential, of account: AccountID, _ provider: any AuthProvider) async {
        guard provider is any RevocationReaching, services.reachesFurther(provider) else { return }
        for key in await keys(beside: account, of: credential.binding) {
            await lanes.with(key) { lane in await lane.dropPending(sparing: credential) }
        }
    }

    private func keys(beside account: AccountID, of binding: ProviderBinding) async -> [StoreKey] {
        await services.keysBeside(account, of: binding) { try await reader.listedKeys() }
    }

    /// Whether revoking `credential`, which is stored nowhere, may end a session that is signed in here, of whichever
    /// account.
    func mayEndAnother(_ credential: Credential) async -> Bool {
        try? await reader.restore()
        if reader.opensByName {
            for session in credential.sessions { try? await reader.open(session.account) }
            // The records of all others are not read for this.
            if let provider = services.named(in: credential.binding), services.reachesFurther(provider) { return true }
        }
        for entry in accounts.table.entries where entry.binding == credential.binding {
            let record = try? await lanes.with(entry.key) { lane in try await lane.read() }?.record
            guard let present = record?.credential else { continue }
            if services.revoking(credential, mayEnd: present) { return true }
        }
        return false
    }

    /// Returns `call` with what follows if it fails: if the answer to a request is lost that may have spent something, the
    /// error says so. If the service has given tokens, they are revoked, and the error says what became of them.
    func takingBack(
        _ provider: any AuthProvider, _ call: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) -> @Sendable (ProviderContext) async throws -> Turn {
        { [self] context in
            do { return try await call(context) } catch {
                guard let credential = context.takeGivenBack() else { throw context.toldOfLostAnswer(error) }
                // Runs to its end, even if the caller has left.
                let flight = Flight<RefusedTokens>()
                services.context.start("give back") { [self] in
                    flight.land(.success(await revoke(credential, provider)))
                }
                var told = AuthError(error, provider: provider.rules.binding.provider)
                // A caller who has left is told nothing more.
                guard let fate = try? await flight.value() else { throw error }
                told.add(fate)
                throw told
            }
        }
    }

    private func revoke(_ credential: Credential, _ provider: any AuthProvider) async -> RefusedTokens {
        let rules = provider.rules
        guard let revoking = provider as? any SessionRevoking else { return .leftToExpire(.notOffered) }
        // Where a revocation ends every grant, nobody's session may go with tokens that nobody keeps.
        let isAnybodyIn = reader.opensByName || accounts.table.entries.contains { $0.binding == rules.binding }
        if rules.revocationEndsEveryGrant && isAnybodyIn { return .leftToExpire(.endsOthers) }
        if await mayEndAnother(credential) { return .leftToExpire(.endsOthers) }
        // Nothing asks again: no record holds these tokens.
        let (context, measured) = services.callContext(rules.binding)
        defer { services.learn(measured, of: rules.binding) }
        do {
            try await revoking.revoke(Revocation(credential), in: context)
            services.context.observer.observe(.signOut(rules.binding.provider, .done))
            return .revoked
        } catch {
            let error = AuthError(error)
            let isOffered = error.code != .configuration(.unsupported) || error.isRevocationRefused
            let outcome: AuthObservation.RevocationOutcome = error.isRevocationRefused ? .refused : .givenUp
            services.context.observer.observe(
                .signOut(rules.binding.provider, isOffered ? outcome : .notOffered))
            return .leftToExpire(isOffered ? .failed : .notOffered)
        }
    }
}
