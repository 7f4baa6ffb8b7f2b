import LatchkeyLocked

/// Minting side by side under a credential that several people share: `Documentation/Lane.md`, section 6.
extension Lane {
    /// A token of `want` under way, for the login that asks for it.
    struct Mint: Hashable, Sendable {
        var want: Want
        var login: String?
    }

    /// Joins the mint under way for `want`, or begins one.
    nonisolated func mint(
        _ want: Want, newerThan old: AccessToken?, _ isRefused: Bool, _ isForced: Bool
    ) async throws(AuthError) -> AccessToken {
        let mint = Mint(want: want, login: engine.table.entry(want.account)?.login)
        let known = minting.withLock { $0[mint] }
        let flight =
            if let known { known } else { await start(mint, newerThan: old, isRefused: isRefused, isForced: isForced) }
        return try await flight.value(since: clock.now())
    }

    private func start(
        _ mint: Mint, newerThan old: AccessToken?, isRefused: Bool, isForced: Bool
    ) -> Flight<AccessToken> {
        if let known = minting.withLock({ $0[mint] }) { return known }
        let flight = Flight<AccessToken>()
        if !isForced, let rest = rest(mint.want, refused: isRefused ? old : nil) {
            flight.land(rest)
            return flight
        }
        minting.withLock { $0[mint] = flight }
        noteDebts()
        engine.context.start("mint") { [self] in
            let begun = clock.now()
            let landing = await land(mint.want, newerThan: old, isRefused: isRefused)
            await conclude(mint, landing, took: clock.now() - begun)
            flight.land(landing.result)
        }
        return flight
    }

    private func conclude(_ mint: Mint, _ landing: Landing, took: Duration) {
        let change = engine.settle(landing, of: mint.want)
        minting.withLock { $0[mint] = nil }
        noteDebts()
        if let change { engine.announce(change, landing, took: took) }
    }

    /// Beside others; what then is not as it should be is looked at alone, where nobody is about to store another token.
    private func land(_ want: Want, newerThan old: AccessToken?, isRefused: Bool) async -> Landing {
        let doubted: String?
        switch await mintBeside(want, newerThan: old, refused: isRefused ? old : nil) {
        case .landed(let landing): return landing
        case .doubted(let refreshTokenID): doubted = refreshTokenID
        }
        await enter()
        let landing = await refresh(want, newerThan: old, isRefused: isRefused, doubted: doubted)
        leave()
        return landing
    }

    private enum Beside {
        case landed(Landing)
        /// The service said no, or nothing of use, to the refresh token that is called so.
        case doubted(String?)
    }

    private func mintBeside(_ want: Want, newerThan old: AccessToken?, refused: AccessToken?) async -> Beside {
        // What is not stored yet is newer than what would be sent.
        guard !isUnsaved, unsavedSignIn == nil else { return .doubted(nil) }
        let present: Found?
        do throws(AuthError) { present = try await read() } catch {
            return .landed(await fallback(want, refused: refused, .storeFailed, error))
        }
        guard let found = present, let credential = found.record.credential,
            let session = credential.sessions.first(where: { $0.account == want.account })
        else { return .landed(lost(want, present?.record)) }
        let login = found.record.login(of: session)
        guard !isForgotten(login) else { return .landed(lost(want, nil, wasLeft: true)) }
        publish(found.record)
        if let token = fresh(want, in: found.record), token != old {
            return .landed(Landing(result: .success(token), outcome: .adopted))
        }
        let provider: any AuthProvider
        switch usable(found.record, credential) {
        case .success(let usable): provider = usable
        case .failure(let trouble):
            return .landed(good(want, in: found.record, refused: refused, .unexplained, trouble))
        }
        var sent = Sent(
            record: found, wasOpen: false, until: clock.now() + engine.settings.requestDeadline, isMarked: false,
            isBeside: true)
        let wish = TokenWant(session: session.id, audience: want.audience, newerThan: old)
        let reply = await send(&sent, provider) { credential, context in
            try await provider.refresh(credential, for: wish, in: context)
        }
        switch reply {
        case .answered(let answer) where answer.brings(want):
            return .landed(await handOver(answer, want, login, sent, refused: refused))
        case .answered, .refused: return .doubted(sent.record.record.refreshTokenID)
        case .notSent(let trouble):
            return .landed(good(want, in: sent.record.record, refused: refused, .notSent, trouble))
        case .unknown(let trouble):
            return .landed(good(want, in: sent.record.record, refused: refused, .unknown, trouble))
        }
    }

    /// What was minted is handed out if a reading shows its login still there; nothing of it is stored.
    private func handOver(
        _ answer: Answered, _ want: Want, _ login: String, _ sent: Sent, refused: AccessToken?
    ) async -> Landing {
        var sent = sent
        if let token = answer.change.refreshToken { await adopt(token, &sent) }
        let present: Found?
        do throws(AuthError) { present = try await read() } catch {
            return await fallback(want, refused: refused, .storeFailed, error)
        }
        guard let found = present, found.record.login(of: want.account) == login, !isForgotten(login) else {
            return lost(want, present?.record, wasLeft: isForgotten(login))
        }
        publish(found.record, bringing: answer.change)
        guard let token = snapshot(want, in: found.record)?.token else {
            let trouble = AuthError(.untrusted(.malformed), "The service's answer brought no token of the wanted kind.")
            return Landing(result: .failure(trouble), outcome: .unknown, trouble: trouble)
        }
        return Landing(result: .success(token), outcome: .refreshed)
    }
}
