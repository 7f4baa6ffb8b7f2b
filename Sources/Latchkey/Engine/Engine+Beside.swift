/// Refreshing beside the callers: they get the stale token at once (``EngineSettings/StaleTokens``).
extension Engine {
    /// Whether a caller that wants a token for `validity` gets `snapshot`, while that is refreshed beside it.
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
    func refreshBeside(_ demand: Demand, _ entry: AccountEntry) async {
        await lanes.with(entry.key) { lane in await lane.refreshBeside(demand) }
    }
}
