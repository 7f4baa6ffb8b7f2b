/// What the answers of resources say about a token.
extension Engine {
    /// Why `token` was refused just now, as far as this client can tell.
    func refusalCause(of token: AccessToken, at place: TokenPlace) -> AuthObservation.RefusalCause {
        if refusals.isSuccessor(token, at: place) { return .notAccepted }
        guard let snapshot = table.entry(place.account)?.tokens[place.audience], snapshot.token == token else {
            return .superseded
        }
        let now = clock.now()
        if now >= snapshot.endsAt { return .expired }
        return now >= snapshot.staleAt ? .stale : .fresh
    }

    /// Notes that a resource accepted `token`. If it had refused it before, the person need not sign in any more.
    func accepted(_ token: AccessToken, at place: TokenPlace) {
        if refusals.accept(token, at: place) { accounts.waits.lapse(place.account, .notAccepted) }
    }
}
