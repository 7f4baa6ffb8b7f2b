import LatchkeyHTTPServer

extension SupabaseState {
    /// Refreshes with a token of generation 1.
    mutating func refresh(oldToken token: String, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        guard let record = oldTokens[token], var session = sessions[record.session] else { throw Self.unknownToken }
        note.family = session.serial
        let person = try holder(of: session)
        guard let revokedAt = record.revokedAt else {
            oldTokens[token]?.revokedAt = now
            if settings.refreshTokens == .v2 {
                session.generation = .v2
                session.current = nil
            } else {
                session.current = newOldToken(of: session.id, parent: token)
            }
            return try rotated(session, person, presented: session.counter, note: &note)
        }
        if let current = session.current, let newest = oldTokens[current], newest.revokedAt == nil,
            newest.parent == token
        {
            log(session.id, session.counter, session.counter, "reused")
            return try answer(session, person)
        }
        guard now < revokedAt + settings.reuseInterval || settings.alwaysAllowsReuse else {
            if settings.rotation, session.generation == .v1 { revokeOldTokens(of: session.id) }
            log(session.id, session.counter, session.counter, SupabaseCode.refreshTokenAlreadyUsed.rawValue)
            var failure = SupabaseFailure(400, .refreshTokenAlreadyUsed, "Invalid Refresh Token: Already Used")
            failure.fields = Self.owner(session)
            throw failure
        }
        // The session was upgraded to generation 2 meanwhile, so every answer has its one newest token.
        if session.generation == .v2 { return try answer(session, person) }
        session.current = newOldToken(of: session.id, parent: token)
        return try rotated(session, person, presented: session.counter, note: &note)
    }

    /// Revokes every refresh token of a session. Its access tokens stay valid.
    private mutating func revokeOldTokens(of session: String) {
        oldTokens.updateAll { [now] in if $0.session == session { $0.revokedAt = now } }
    }
}
