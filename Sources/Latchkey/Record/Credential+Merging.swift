/// How a service's answer is merged into a credential.
extension Credential {
    /// Merges a change: sessions first, then tokens, so that two mints never undo each other.
    mutating func apply(_ change: CredentialChange) {
        if let refreshToken = change.refreshToken { self.refreshToken = refreshToken }
        if let state = change.state { self.state = state }
        if let sessions = change.sessions {
            // If several people share the credential, a list of sessions neither ends one nor
            // brings back one that has ended meanwhile.
            self.sessions = isShared ? self.sessions.map { updated($0, by: sessions) } : sessions.map(merged)
        }
        for index in sessions.indices {
            sessions[index].tokens.merge(change.minted[sessions[index].id] ?? [:]) { $1.replacing($0) }
        }
        // If several people share it, tokens live in memory only.
        if isShared { for index in sessions.indices { sessions[index].tokens = [:] } }
    }

    /// Whether its sessions have logins of their own.
    var isShared: Bool { sessions.contains { $0.login != nil } }

    private func merged(_ session: AuthSession) -> AuthSession {
        var merged = session
        if let known = self.session(session.id) {
            merged.tokens = known.tokens.merging(session.tokens) { $1.replacing($0) }
            merged.unknown = known.unknown
            merged.limits = session.limits?.keeping(known.limits)
        }
        return merged
    }

    private func updated(_ known: AuthSession, by sessions: [AuthSession]) -> AuthSession {
        guard var new = sessions.first(where: { $0.id == known.id && $0.account == known.account }) else {
            return known
        }
        (new.login, new.unknown) = (known.login, known.unknown)
        new.limits = new.limits?.keeping(known.limits)
        return new
    }
}
