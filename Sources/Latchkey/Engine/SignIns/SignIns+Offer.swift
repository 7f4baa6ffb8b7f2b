/// Answers that may belong to another challenge.
extension SignIns {
    /// Gives `answer` to the stored challenge called `id`, and uses the challenge up only if the
    /// provider takes it.
    ///
    /// The challenge stays in the store while the service is asked, so a sign-in that waits for
    /// another answer loses nothing by it, even if this process dies meanwhile.
    func offer(_ answer: Answer, to id: String) async throws -> SignInStep {
        let (key, stored, record) = try await waiting(id)
        let binding = record.challenge.binding
        let provider = try services.provider(for: binding)
        if provider.rules.sharesCredential {
            // Any answer of the service may bring another token for those who are signed in.
            return try await exchange(provider, about: record.principal, answering: id) { [self] context in
                let turn = try await provider.answer(answer, to: record.challenge, in: context)
                let isAskedAgain = if case .asked(let next) = turn { next.id == id } else { false }
                if !isAskedAgain, await !claim(key, at: stored.version) {
                    await forgo(turn, provider, in: context)
                    throw Self.noChallenge
                }
                return turn
            }
        }
        let (plain, measured) = services.callContext(binding)
        var context = plain
        context.principal = await principal(asStored: record.principal)
        let prepared = context
        let call = takingBack(provider) { try await provider.answer(answer, to: record.challenge, in: $0) }
        return try await converse(at: key) { [self] exchange in
            let prepared = prepared.within(exchange)
            return try await granting(provider) { [self] in
                let begun = clock.now()
                let turn = try await call(prepared)
                services.learn(measured, prepared, of: binding)
                let isAskedAgain = if case .asked(let next) = turn { next.id == id } else { false }
                if !isAskedAgain, await !claim(key, at: stored.version) {
                    await forgo(turn, provider, in: prepared)
                    throw Self.noChallenge
                }
                return try await take(
                    turn.counted(from: begun, in: clock.boot), provider, in: prepared, about: record.principal,
                    answering: id)
            }
        }
    }

    /// Removes a challenge that was answered. Returns `false` if another caller has answered it meanwhile.
    private func claim(_ key: StoreKey, at version: RecordVersion) async -> Bool {
        var version = version
        // After a lost answer, this caller's removal and another's look the same.
        var mayBeOwn = false
        do {
            for _ in 0..<8 {
                do {
                    try await store.replace(key, at: version, with: nil)
                    return true
                } catch  where error.isSettledByReading {
                    mayBeOwn = mayBeOwn || !(error is StoreConflict)
                    // If the record changed, for example because another mail was asked for, it is
                    // still the same sign-in.
                    guard let present = try await store.read(key) else { return mayBeOwn }
                    version = present.version
                }
            }
        } catch {
            // What the service granted matters more than a challenge that stays behind, which ends by itself.
        }
        return true
    }

    /// Ends what the service granted and nobody keeps, for example if another process has answered
    /// the challenge too. Otherwise it would live on unseen.
    func forgo(_ turn: Turn, _ provider: any AuthProvider, in context: ProviderContext) async {
        let rules = provider.rules
        switch turn {
        case .continuesElsewhere: break
        case .asked(let next): _ = try? await provider.answer(.declined, to: next, in: context)
        case .signedIn(let grant):
            // If a revocation reached further, it would end the other process's session too.
            guard let provider = provider as? any SessionRevoking, !rules.revocationEndsEveryGrant else { return }
            // The others who share the credential stay signed in.
            let sessions = grant.shared == nil ? grant.sessions : grant.sessions.filter { $0.id == grant.current }
            let credential = Credential(
                id: Credential.ID(services.context.randomName()), binding: rules.binding,
                refreshToken: grant.refreshToken, sessions: sessions, state: grant.state)
            guard await !mayEndAnother(credential) else { return }
            try? await provider.revoke(Revocation(credential), in: context)
        }
    }
}
