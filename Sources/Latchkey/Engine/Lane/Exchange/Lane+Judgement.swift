/// Steps 2 and 3: whether a request may leave.
extension Lane {
    func judge(_ request: LaneRequest, _ found: Found?) -> Step<Ready> {
        switch request {
        case .refresh(let demand, _): judge(demand, found)
        case .operation(let operation): judge(operation, found)
        }
    }

    private func judge(_ demand: Demand, _ found: Found?) -> Step<Ready> {
        let ready: Ready
        switch consider(demand, found) {
        case .go(let usable): ready = usable
        case .end(let ending): return .end(ending)
        }
        // 3
        let record = ready.found.record
        if case .rest(let until, let keepsToken) = holdOff(record, ready.care, ready.provider) {
            let holder = record.mark?.by ?? "another process"
            if keepsToken, let token = unexpired(demand.want, in: record), token != demand.refused {
                // The trouble keeps the one sleeping task from asking again at once.
                let rest = (until ?? snapshot(demand.want, in: record)?.endsAt ?? clock.now()) - clock.now()
                let trouble = AuthError(.busy, "A request of \(holder) may still be under way.", retryAfter: rest)
                return .end(.trouble(trouble, .heldOff, record))
            }
            if let until {
                return .end(
                    .heldOff(Waiting(until: until, holder: holder, provider: ready.provider.rules.binding.provider)))
            }
        }
        return .go(ready)
    }

    private func judge(_ operation: LaneRequest.Operation, _ found: Found?) -> Step<Ready> {
        let entry = operation.entry
        guard let found, let credential = found.record.credential,
            entry.map({ found.record.has($0.login) && !logins.hasEnded($0.login) }) ?? true
        else {
            return .end(.nobody(found?.record, wasLeft: entry.map { logins.hasEnded($0.login) } ?? false))
        }
        let provider: any AuthProvider
        do throws(AuthError) { provider = try services.provider(for: credential.binding) } catch {
            return .end(.trouble(error, .unexplained, nil))
        }
        let ready = Ready(
            found: found, credential: credential, provider: provider,
            want: Want(account: entry?.account ?? credential.sessions[0].account), replay: operation.replay,
            work: operation.work, shown: operation.shown)
        // 3
        if case .rest(let until?, _) = holdOff(found.record, ready.care, ready.provider) {
            let holder = found.record.mark?.by ?? "another process"
            return .end(.heldOff(Waiting(until: until, holder: holder, provider: provider.rules.binding.provider)))
        }
        return .go(ready)
    }

    /// Step 2 of a refresh: shows the record, and adopts its token if that is newer than the
    /// demanded one and fresh. Otherwise returns what to send, if anything may be sent.
    func consider(_ demand: Demand, _ found: Found?) -> Step<Ready> {
        let want = demand.want
        guard let found, let credential = found.record.credential,
            let session = credential.sessions.first(where: { $0.account == want.account })
        else { return .end(.nobody(found?.record, wasLeft: false)) }
        // The login was signed out through this process since the record was read, or the store has
        // not taken that sign-out yet. In both cases the login is over.
        let login = found.record.login(of: session)
        guard !logins.hasEnded(login) else { return .end(.nobody(nil, wasLeft: true)) }
        noteLogin(ofFlight: login)
        publish(found.record)
        if let token = fresh(want, in: found.record), token != demand.old { return .end(.adopted(token)) }
        switch usable(found.record, credential, demand) {
        // The end of a pause would not help then.
        case .failure(let trouble): return .end(.trouble(trouble, .unexplained, found.record))
        case .success(let provider):
            if let rest = found.record.live?.pause?.rest(by: clock), !demand.ignoresPause {
                let trouble = ServicePause.trouble(rest, of: credential.binding.provider)
                return .end(.trouble(trouble, .heldOff, found.record))
            }
            let wish = TokenWant(session: session.id, audience: want.audience, newerThan: demand.old)
            return .go(
                Ready(
                    found: found, credential: credential, provider: provider, want: want,
                    replay: provider.rules.replay, mints: provider.rules.refresh == .mints, wish: wish
                ) { credential, context in try await provider.refresh(credential, for: wish, in: context) })
        }
    }

    /// Whether a refresh may be tried at all, and with which provider.
    private func usable(
        _ record: CredentialRecord, _ credential: Credential, _ demand: Demand
    ) -> Result<any AuthProvider, AuthError> {
        let provider: any AuthProvider
        do { provider = try services.provider(for: credential.binding) } catch { return .failure(error) }
        if record.format > CredentialRecord.currentFormat { return .failure(RecordPlace.isNewer) }
        if credential.refreshToken == nil, provider.rules.refresh != .fixed {
            return .failure(AuthError(.signInRequired(.expired), "The session has ended and nothing can refresh it."))
        }
        // A caller that forced it before the refusal shares that answer, and a later one asks anew.
        if let refused = record.unexplained, let age = clock.age(of: refused), age < settings.unexplainedRetry,
            demand.forcedAt.map({ age <= clock.now() - $0 }) ?? true
        {
            let reason = AuthError.SignInRequiredReason.refusedWithoutReason
            return .failure(
                AuthError(
                    .signInRequired(reason), reason.sentence, provider: credential.binding.provider,
                    retryAfter: settings.unexplainedRetry - age))
        }
        return .success(provider)
    }
}
