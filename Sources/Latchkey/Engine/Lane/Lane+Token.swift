import LatchkeySystem

/// How a caller gets a token: it joins the refresh under way, or begins one.
extension Lane {
    /// A token that meets `demand`: joins the refresh under way, or starts one.
    ///
    /// The refresh belongs to the engine: cancelling a caller ends its wait and nothing else.
    nonisolated func token(_ demand: Demand) async throws(AuthError) -> AccessToken {
        if isShared { return try await wait(for: await mint(demand), demand) }
        if let underWay = underWay.withLock({ $0 }), underWay.isOpen, underWay.want == demand.want {
            return try await wait(for: underWay.flight, demand)
        }
        return try await wait(for: try await flight(for: demand), demand)
    }

    /// Waits for the flight, at most as long as the caller's patience. If other callers were sent
    /// away already, a token that still lasts is returned at once.
    ///
    /// Another caller may have begun the refresh, and its failure means something else for this one: the token of before
    /// is good enough for a caller that asks, and not for one that forces a refresh.
    private nonisolated func wait(
        for flight: Flight<AccessToken>, _ demand: Demand
    ) async throws(AuthError) -> AccessToken {
        if flight.isLate, let token = remembered(demand) { return try handOut(token, demand.want) }
        let token: AccessToken
        do throws(AuthError) {
            token = try await flight.value(since: clock.now())
        } catch {
            guard error.speaksOfSession, let token = remembered(demand) else { throw error }
            return try handOut(token, demand.want)
        }
        if demand.isForced, token == demand.refused, let failure = failure(of: flight, demand) { throw failure }
        return try handOut(token, demand.want)
    }

    /// Why `flight` brought no token, though its own caller keeps the one of before. `nil` if it did bring one: a service
    /// may issue the same token again.
    private nonisolated func failure(of flight: Flight<AccessToken>, _ demand: Demand) -> AuthError? {
        if flight === underWay.withLock({ $0?.flight }) {
            if case .failure(let failure) = unanswered(demand) { return failure }
            return nil
        }
        let now = clock.now()
        guard let (failure, until) = accounts.entry(demand.want.account)?.rest(demand.want.audience, at: now) else {
            return nil
        }
        var rest = failure
        rest.retryAfter = until - now
        return rest
    }

    /// Begins a refresh that no caller waits for, unless one is under way.
    func refreshInBackground(_ demand: Demand) async {
        guard underWay.withLock({ $0 == nil }) else { return }
        _ = try? await flight(for: demand)
    }

    /// The flight under way for `demand`, or a new one.
    private func flight(for demand: Demand) async throws(AuthError) -> Flight<AccessToken> {
        let want = demand.want
        while let present = underWay.withLock({ $0 }) {
            // Who asks for a login is not told what became of the one before it.
            let login = accounts.entry(want.account)?.login
            if present.want == want, login == nil || login == present.login { return present.flight }
            // The result of the other refresh does not matter here; only this caller's own cancellation does.
            do {
                _ = try await present.flight.value(since: clock.now())
            } catch  where Task.isCancelled { throw error } catch {}
            // The other refresh is still under way, and this caller has waited as long as it would for its own.
            if present.flight.isLate, present.flight === underWay.withLock({ $0?.flight }) {
                return .landed(unanswered(demand))
            }
        }
        // A caller that arrives just after a refresh has ended gets that refresh's result.
        if let rest = rest(demand) { return .landed(rest) }
        let flight = Flight<AccessToken>()
        let login = accounts.entry(want.account)?.login
        underWay.withLock { $0 = UnderWay(flight: flight, want: want, login: login) }
        noteKept()
        context.start("refresh") { [self] in
            let ticket = await enter()
            let begun = clock.now()
            let result = await refresh(demand)
            await leave(ticket)
            await conclude(result, of: want, took: clock.now() - begun)
            flight.land(result.handedOut)
        }
        return flight
    }

    /// Closes the flight before the accounts learn of its end. They set the alarm for the next
    /// refresh, which would otherwise join this finished one.
    private func conclude(_ result: TokenResult, of want: Want, took: Duration) {
        underWay.withLock { $0 = nil }
        accounts.conclude(result, of: want, took: took)
        noteKept()
    }

    /// Sends away the callers of the refresh under way when their patience ends, until this task is cancelled.
    func dismissImpatient(_ demand: Demand) async {
        guard let flight = underWay.withLock({ $0?.flight }) else { return }
        let patience = settings.patience
        var begun = clock.now()
        while !Task.isCancelled {
            let end = max(flight.firstWaiting ?? clock.now(), begun) + patience
            do { try await clock.sleep(until: end) } catch { return }
            // After the machine has slept, the answer may be there already, and no caller had the
            // time to get it.
            guard clock.now() - end < .seconds(1) else {
                begun = clock.now()
                continue
            }
            flight.dismiss(waitingSince: clock.now() - patience, with: unanswered(demand))
        }
    }

    /// Notes that the refresh under way is for `login`.
    func noteLogin(ofFlight login: String) { underWay.withLock { $0?.login = login } }

    /// Notes that `login` is shown: from now on no caller joins a refresh for another one.
    func noteShown(_ login: String) {
        underWay.withLock { if let known = $0, known.login != login { $0?.isOpen = false } }
    }

    /// The last check before a token is handed out: while it was on its way, the gate may have closed, the person signed
    /// out, or another process been told that the session has ended.
    private nonisolated func handOut(_ token: AccessToken, _ want: Want) throws(AuthError) -> AccessToken {
        guard accounts.isOpen else { throw AuthError(.locked, "The sessions are locked.") }
        guard let entry = accounts.entry(want.account) else { throw AuthError.signedOut }
        if let end = accounts.end(of: entry) { throw end }
        return token
    }

    /// What a caller gets until a failed refresh may be tried again; `nil` if it may be tried now.
    func rest(_ demand: Demand) -> Result<AccessToken, AuthError>? {
        let now = clock.now()
        guard !demand.isForced, let entry = accounts.entry(demand.want.account),
            case (var failure, let until)? = entry.rest(demand.want.audience, at: now)
        else { return nil }
        if let token = remembered(demand) { return .success(token) }
        failure.retryAfter = until - now
        return .failure(failure)
    }

    /// The token that callers see, if it has not ended.
    nonisolated func remembered(_ demand: Demand) -> AccessToken? {
        guard let snapshot = accounts.entry(demand.want.account)?.tokens[demand.want.audience],
            clock.now() < snapshot.endsAt, snapshot.token != demand.refused, !snapshot.token.isRefused
        else { return nil }
        return snapshot.token
    }

    /// What a caller gets if its patience ends before the service has answered.
    private nonisolated func unanswered(_ demand: Demand) -> Result<AccessToken, AuthError> {
        if let token = remembered(demand) { return .success(token) }
        let message =
            switch services.exchanges.exchange(at: key)?.waitsFor {
            case .service(let origin)?: "\(origin) has not answered yet. Its answer is still awaited: try again soon."
            case .lock?: "Another process holds the session's lock. The refresh goes on: try again soon."
            case .store?, nil: "The store has not answered yet. The refresh goes on: try again soon."
            }
        return .failure(AuthError(.offline(.unreachable), message))
    }
}

extension Flight {
    /// A flight that has ended.
    static func landed(_ result: Result<Value, AuthError>) -> Flight {
        let flight = Flight()
        flight.land(result)
        return flight
    }
}
