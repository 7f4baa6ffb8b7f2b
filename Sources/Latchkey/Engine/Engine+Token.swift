/// How a caller that found no good token in the table gets one.
extension Engine {
    /// Returns a token that meets `demand` for the account of `entry`; throws failures as callers see them.
    func token(_ demand: Demand, _ entry: AccountEntry) async throws(AuthError) -> AccessToken {
        do throws(AuthError) {
            return try await lanes.with(entry.key) { lane throws(AuthError) in try await lane.token(demand) }
        } catch {
            // What waited to be stored may have gone to another key meanwhile.
            if error.code == .signInRequired(.signedOut), let moved = accounts.entry(entry.account),
                moved.key != entry.key
            {
                return try await token(demand, moved)
            }
            throw accounts.explained(error, entry, retryAfter: error.retryAfter)
        }
    }

    /// Whether a caller that wants a token for `validity` gets `snapshot` though it is stale, while that is refreshed
    /// (``EngineSettings/StaleTokens``).
    func handsOut(
        _ snapshot: TokenSnapshot, of entry: AccountEntry, for validity: Duration, at now: MonotonicInstant
    ) -> Bool {
        guard case .handedOut(let least) = settings.staleTokens, now + max(least, validity) < snapshot.endsAt,
            let rules = services.named(in: entry.binding)?.rules, !rules.sharesCredential
        else { return false }
        // A program that asks on demand may end before the answer, which here would end the session.
        return settings.refresh == .ahead || rules.replay != .killsFamily
    }

    /// Begins a refresh that no caller waits for. From when this returns, ``AuthClient/finish(within:)`` waits for it.
    func refreshInBackground(_ demand: Demand, _ entry: AccountEntry) async {
        await lanes.with(entry.key) { lane in await lane.refreshInBackground(demand) }
    }
}
