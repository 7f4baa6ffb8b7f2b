import LatchkeySystem

/// Minting side by side under a credential that several people share: `Documentation/Internals/Lane.md`, section 6.
extension Lane {
    /// A mint under way: the token wanted, and the login that asks for it.
    struct Mint: Hashable, Sendable {
        var want: Want
        var login: String?
    }

    /// The mint under way for `demand`, or a new one.
    nonisolated func mint(_ demand: Demand) async -> Flight<AccessToken> {
        let mint = Mint(want: demand.want, login: accounts.entry(demand.want.account)?.login)
        let known = minting.withLock { $0[mint] }
        return if let known { known } else { await start(mint, demand) }
    }

    private func start(_ mint: Mint, _ demand: Demand) -> Flight<AccessToken> {
        if let known = minting.withLock({ $0[mint] }) { return known }
        if let rest = rest(demand) { return .landed(rest) }
        let flight = Flight<AccessToken>()
        minting.withLock { $0[mint] = flight }
        noteKept()
        context.start("mint") { [self] in
            let begun = clock.now()
            let result = await land(demand)
            await conclude(mint, result, took: clock.now() - begun)
            flight.land(result.handedOut)
        }
        return flight
    }

    /// Removes the mint before the accounts learn of its end, for the reason that a refresh is closed first.
    private func conclude(_ mint: Mint, _ result: TokenResult, took: Duration) {
        minting.withLock { $0[mint] = nil }
        accounts.conclude(result, of: mint.want, took: took)
        noteKept()
    }

    /// Mints beside others. A refusal or an empty answer is checked in turn, when nobody is about
    /// to store another token.
    private func land(_ demand: Demand) async -> TokenResult {
        let doubted: String?
        switch await mintWithoutLock(demand) {
        case .landed(let result): return result
        case .doubted(let refreshTokenID): doubted = refreshTokenID
        }
        let ticket = await enter()
        let result = await refresh(demand, doubted: doubted)
        leave(ticket)
        return result
    }

    private enum Minted {
        case landed(TokenResult)
        /// The service refused the refresh token of this name, or answered without a token. `nil`:
        /// nothing was sent, because something is not stored yet.
        case doubted(String?)
    }

    private func mintWithoutLock(_ demand: Demand) async -> Minted {
        // What is not stored yet is newer than what would be sent.
        guard !unstored.holdsCredential, unstored.signIn == nil else { return .doubted(nil) }
        let present: Found?
        do throws(AuthError) { present = try await read() } catch {
            return .landed(fallback(demand, .storeFailed, error))
        }
        let ready: Ready
        switch consider(demand, present) {
        case .end(let ending): return .landed(await result(of: ending, demand))
        case .go(let usable): ready = usable
        }
        var sent = Sent(
            found: ready.found, credential: ready.credential, begun: clock.now(),
            until: clock.now() + settings.requestDeadline,
            isMarked: false, isWithoutLock: true)
        switch await send(&sent, ready.provider, nil, nil, ready.work) {
        case .answered(let answer) where answer.brings(demand.want):
            return .landed(await handOver(answer, demand, ready.found.record.login(of: demand.want.account)))
        case .answered, .refused: return .doubted(sent.record.refreshTokenID)
        case .notSent(let trouble):
            await note(ServicePause(trouble, at: clock.stamp), sent)
            return .landed(good(demand, in: sent.record, .notSent, trouble))
        case .unknown(let trouble):
            await note(ServicePause(trouble, at: clock.stamp), sent)
            return .landed(good(demand, in: sent.record, .unknown, trouble))
        }
    }

    /// Hands out what was minted if a reading shows that its login is still there. Nothing of it is stored.
    private func handOver(_ answer: Answered, _ demand: Demand, _ login: String?) async -> TokenResult {
        let want = demand.want
        var sent = answer.sent
        if let token = answer.change.refreshToken { await adopt(token, &sent) }
        let present: Found?
        do throws(AuthError) { present = try await read() } catch {
            return fallback(demand, .storeFailed, error)
        }
        let wasLeft = login.map { logins.hasEnded($0) } ?? false
        guard let found = present, found.record.login(of: want.account) == login, !wasLeft else {
            return lost(want, present?.record, wasLeft: wasLeft)
        }
        // Minting stores nothing, but for the end of a pause.
        if found.record.live?.pause != nil {
            await amend(from: found) { found -> Amendment<Void> in
                guard var next = found?.record, next.live?.pause != nil else { return .stop(()) }
                next.live?.pause = nil
                return .store(next)
            }
        }
        publish(found.record, bringing: answer.change)
        return snapshot(want, in: found.record).map { .token($0.token, .refreshed) } ?? .tokenless
    }
}
