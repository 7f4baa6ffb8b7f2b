extension AuthClient {
    /// Notes that a resource refused an access token, for programs that do not send their requests through
    /// ``authorized(_:origins:audience:account:originClass:)``. No process of the store hands that token out again: the next call of
    /// ``accessToken(for:of:minimumValidity:)`` refreshes, and throws if it cannot, however long the token would have
    /// lasted. If the service answers with the same token, that call throws `signInRequired(.notAccepted)`, which does
    /// not end the session.
    ///
    /// Nothing is sent, so it works offline. A token that is not the newest one of any account changes nothing, so
    /// ten requests that were refused with the same token cause one refresh.
    ///
    /// - Parameter token: The token's text, as it was sent.
    /// - Returns: Whether it was the token of an account.
    /// - Throws: ``AuthError``: `locked`; `store` if it could not be noted for other processes.
    @discardableResult
    public func discard(_ token: Secret) async throws(AuthError) -> Bool {
        try await engine.gate.requireOpen()
        // Another process may have refreshed since this one read the store.
        try await engine.reader.restore(again: true)
        return try await owned("discard") { engine in
            var wasKnown = false
            for entry in engine.table.entries where entry.tokens.values.contains(where: { $0.token.value == token }) {
                let isOwn = try await engine.lanes.with(entry.key) { lane throws(AuthError) in
                    try await lane.discard(token, of: entry.account)
                }
                wasKnown = wasKnown || isOwn
            }
            return wasKnown
        }
    }
}
