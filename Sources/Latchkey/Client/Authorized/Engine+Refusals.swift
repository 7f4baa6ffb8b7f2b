/// What the answers of resources say about a token.
extension Engine {
    /// Why `token` was refused just now, as far as this client can tell.
    func refusalCause(of token: AccessToken, at place: TokenPlace) -> AuthObservation.RefusalCause {
        if isNotAccepted(token, at: place) { return .notAccepted }
        guard let snapshot = table.entry(place.account)?.tokens[place.audience], snapshot.token == token else {
            return .superseded
        }
        let now = clock.now()
        if now >= snapshot.endsAt { return .expired }
        return now >= snapshot.staleAt ? .stale : .fresh
    }

    /// Whether the place has refused `token` although it came because the place had refused another one: here, or in
    /// another process that noted it in the store.
    func isNotAccepted(_ token: AccessToken, at place: TokenPlace) -> Bool {
        refusals.isSuccessor(token, at: place) || token.isRefused(at: place.origin)
    }

    /// Notes that a resource accepted `token`. If it had refused it before, the person need not sign in any more.
    ///
    /// - Returns: Whether that is to be noted in the store as well.
    func accepted(_ token: AccessToken, at place: TokenPlace) -> Bool {
        let wasTold = refusals.accept(token, at: place)
        if wasTold { accounts.waits.lapse(place.account, [.notAccepted]) }
        return wasTold || token.isRefused(at: place.origin)
    }

    /// Notes in the store, for processes that begin later, whether the place refuses the newest token. It is no loss if
    /// that fails: another refresh is all that it costs.
    func note(_ token: AccessToken, at place: TokenPlace, isRefused: Bool) async {
        guard let entry = table.entry(place.account) else { return }
        let noted = Flight<Void>()
        // A task of its own: the caller's may be cancelled, and what it stores with it.
        accounts.services.context.start("note") { [lanes] in
            try? await lanes.with(entry.key) { lane throws(AuthError) in
                await lane.note(token.value, of: place.account, isRefused, at: place.origin)
            }
            noted.land(.success(()))
        }
        try? await noted.value()
    }
}
