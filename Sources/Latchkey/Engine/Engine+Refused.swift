/// Tokens that a resource has refused.
extension Engine {
    /// Returns a token newer than `refused`, or `nil` if `refused` is the newest one available.
    ///
    /// However many callers ask, each refused token causes one refresh. A refresh that fails is not
    /// repeated before its time. A token that came meanwhile, and not because this one was refused, is returned without
    /// a refresh, and may be refused and asked about too.
    ///
    /// - Throws: ``AuthError`` that says why no newer token is available.
    func newer(than refused: AccessToken, at place: TokenPlace) async throws(AuthError) -> AccessToken? {
        let want = Want(account: place.account, audience: place.audience)
        // A refresh under way may have begun before this token was refused; the second one began afterwards.
        for _ in 0..<2 {
            let entry = try await reader.usableEntry(place.account)
            let now = clock.now()
            if let snapshot = entry.tokens[place.audience], snapshot.token != refused, now < snapshot.endsAt {
                // Another one, which came for another reason, may be as old as the refused one: it is asked about in
                // its turn.
                let isAskedFor = refusals.hasAsked(insteadOf: refused, at: place)
                if isAskedFor { refusals.succeed(snapshot.token, at: place) }
                if !refusals.isRefused(snapshot.token, at: place) { return snapshot.token }
                return await stored(insteadOf: snapshot.token, at: place)
            }
            if isNotAccepted(refused, at: place) { break }
            if let (failure, until) = entry.rest(place.audience, at: now) {
                throw accounts.explained(failure, entry, retryAfter: until - now)
            }
            refusals.ask(insteadOf: refused, at: place)
            let token = try await token(Demand(want: want, old: refused, isRefused: true), entry)
            if token != refused {
                if let token = settled(token, at: place) { return token }
                return await stored(insteadOf: token, at: place)
            }
        }
        return await notAccepted(refused, at: place)
    }

    /// Tells the app, once, that a resource refused the newest token. The service did not, so the
    /// session continues.
    ///
    /// - Returns: A token that another process has stored meanwhile: then nothing is told.
    @discardableResult
    func notAccepted(_ token: AccessToken, at place: TokenPlace) async -> AccessToken? {
        if let other = await stored(insteadOf: token, at: place) { return other }
        if refusals.refuse(token, at: place) {
            await note(token, at: place, isRefused: true)
            guard let provider = table.entry(place.account)?.binding.provider else { return nil }
            accounts.tellRequired(.notAccepted, of: place.account, at: provider)
        }
        return nil
    }

    /// Looks into the store for another token than `refused`, which the place has not refused: another process may have
    /// signed in anew and ended the session of `refused`. Nobody tells a client of that whose store has no watch, or that
    /// does not follow it.
    private func stored(insteadOf refused: AccessToken, at place: TokenPlace) async -> AccessToken? {
        guard let entry = accounts.entry(place.account) else { return nil }
        _ = try? await lanes.with(entry.key) { lane throws(AuthError) in try await lane.look(atNews: true) }
        guard let snapshot = accounts.entry(place.account)?.tokens[place.audience], snapshot.token != refused,
            clock.now() < snapshot.endsAt, !refusals.isRefused(snapshot.token, at: place)
        else { return nil }
        return snapshot.token
    }

    private func settled(_ token: AccessToken, at place: TokenPlace) -> AccessToken? {
        refusals.succeed(token, at: place)
        return refusals.isRefused(token, at: place) ? nil : token
    }
}
