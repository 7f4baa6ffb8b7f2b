import LatchkeySystem

/// Asking the person.
extension Gate {
    /// Asks for the proof and opens. Callers that come while a prompt is up share it; cancelling one ends its wait.
    func open(_ choice: UnlockChoice) async throws(AuthError) {
        guard let authenticator else { return }
        accounts.alarm.start()
        if hasRecord { try await recall() }
        await follow(opens: true)
        guard isInForce else { return }
        guard let asked = choice == .usual ? authenticator : fallback else {
            throw AuthError(.configuration(.invalid), "No fallback is configured for the unlock.")
        }
        try await prompt(asked, choice)
    }

    /// Asks the person for a proof by `authenticator`.
    func prompt(
        _ authenticator: any UnlockAuthenticator, _ choice: UnlockChoice, enrolling: Bool = false
    ) async throws(AuthError) {
        // In the background nobody sees a prompt, and it would still be up for the next person who
        // opens the app.
        guard phase != .background else {
            throw AuthError(.locked, "The app is in the background, where nobody can be asked to unlock.")
        }
        let (flight, isFirst) = prompting.withLock { prompting in
            // A prompt that is up serves all callers, whichever choice they made: there are never two.
            if let flight = prompting[choice] ?? prompting.values.first { return (flight, false) }
            let flight = Flight<UnlockGrant>()
            prompting[choice] = flight
            return (flight, true)
        }
        if isFirst {
            context.start("unlock") { [self] in
                let result = await ask(authenticator, choice, enrolling)
                prompting.withLock { $0[choice] = nil }
                flight.land(result)
            }
        }
        _ = try await flight.value()
    }

    private func ask(
        _ authenticator: any UnlockAuthenticator, _ choice: UnlockChoice, _ enrolling: Bool
    ) async -> Result<UnlockGrant, AuthError> {
        var result = Result<UnlockGrant, AuthError>.failure(AuthError(.locked, "The sessions are locked."))
        await inTurn() {
            let begun = clock.now()
            do throws(AuthError) {
                let grant: UnlockGrant
                if enrolling, let enrols = authenticator as? any EnrollingUnlock {
                    grant = try await enrolled(by: enrols)
                } else {
                    try await checkAvailability(of: authenticator)
                    grant = try await self.grant(by: authenticator)
                }
                observe(choice, grant, since: begun)
                change(isProof: true) { $0.proved(at: min(grant.provenAt, $1), now: $1) }
                result = .success(grant)
            } catch {
                var error = error
                observe(choice, failure: error.code, since: begun)
                error.offersFallback = await isFallbackOffered(for: choice)
                result = .failure(error)
            }
        }
        if case .success(let grant) = result { await rememberProof(min(grant.provenAt, clock.now())) }
        return result
    }

    private func observe(
        _ choice: UnlockChoice, _ grant: UnlockGrant? = nil, failure: AuthError.Code? = nil,
        since begun: MonotonicInstant
    ) {
        let kind = grant.map(AuthObservation.UnlockKind.init)
        context.observer.observe(.unlock(choice, kind, failure: failure, took: clock.now() - begun))
    }

    private func checkAvailability(of authenticator: any UnlockAuthenticator) async throws(AuthError) {
        switch await authenticator.availability() {
        case .available: break
        case .notEnrolled:
            throw AuthError(.unlockUnavailable(.notEnrolled), "No way to unlock has been set up.")
        case .lockedOut(let rest):
            throw AuthError(.unlockUnavailable(.lockedOut), "Too many wrong tries.", retryAfter: rest)
        case .invalidated:
            throw AuthError(.unlockUnavailable(.invalidated), "What was set up to unlock has changed since.")
        case .missing(let reason): throw AuthError(.unlockUnavailable(.missing), reason)
        }
    }

    private func enrolled(by authenticator: any EnrollingUnlock) async throws(AuthError) -> UnlockGrant {
        do { return try await authenticator.enrol(UnlockPrompt(reason: reason)) } catch { throw AuthError(error) }
    }

    private func grant(
        by authenticator: any UnlockAuthenticator,
    ) async throws(AuthError) -> UnlockGrant {
        let prompt = UnlockPrompt(reason: reason)
        let wasOpened = Locked(false)
        do {
            guard isKeyed, let store = store as? any LockableStore,
                let releasing = authenticator as? any KeyReleasing
            else { return try await authenticator.unlock(prompt) }
            let grant = try await releasing.unlock(prompt) { key in
                try await store.open(with: key)
                wasOpened.withLock { $0 = true }
            }
            guard wasOpened.withLock({ $0 }) else {
                throw AuthError(.configuration(.invalid), "The unlock gave a grant and no key.")
            }
            return grant
        } catch {
            // Without a grant the store does not stay open.
            if wasOpened.withLock({ $0 }) { await (store as? any LockableStore)?.close() }
            throw AuthError(error)
        }
    }

    private func isFallbackOffered(for choice: UnlockChoice) async -> Bool {
        guard choice == .usual, let fallback else { return false }
        return await fallback.availability() == .available
    }
}

/// Changes of whether the person can be asked.
extension Gate {
    /// Tells of the availability if it has changed.
    func lookAtAvailability() async {
        guard let authenticator else { return }
        noteAvailability(await authenticator.availability())
    }

    func noteAvailability(_ now: UnlockAvailability) {
        let isNews = available.withLock { known in
            defer { known = now }
            return known != nil && known != now
        }
        if isNews { accounts.hub.tell(.unlockAvailabilityChanged(now)) }
    }

    /// Follows an authenticator that tells of changes by itself, for as long as the gate lives.
    func watchAvailability() {
        guard let watching = authenticator as? any AvailabilityWatching else { return }
        let stream = watching.availabilityChanges()
        context.start("availability") { [weak self] in
            for await now in stream {
                guard let self else { return }
                noteAvailability(now)
            }
        }
    }
}
