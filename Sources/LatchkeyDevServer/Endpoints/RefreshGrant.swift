import LatchkeyHTTPServer
import LatchkeyLocked

extension DevState {
    /// Tokens for a refresh token (RFC 6749 section 6), rotated as configured (RFC 9700 section 4.14.2).
    mutating func refresh(
        _ parameters: Parameters, _ client: DevServer.Client, now: Double, note: inout Note
    ) throws(OAuthFailure) -> ServerResponse {
        let token = try parameters.required(DevServerWire.refreshToken)
        guard let record = refreshTokens[token], let family = families[record.family], family.clientID == client.id,
            family.isAlive, record.expires > now
        else { throw .grant }
        (note.family, note.generation) = (record.family, record.generation)
        let isReuse = record.spentAt != nil
        if isReuse, !mayReuse(record, now: now) {
            kill(family: record.family)
            throw .grant
        }
        // Refused before anything is spent, so that the client can correct itself.
        let scopes = try parameters.scopes(allowed: family.scopes) ?? family.scopes
        try parameters.checkResources(issuer: issuer)
        let successor = rotate(token, record, now: now)
        if let successor { note.generation = refreshTokens[successor]?.generation }
        return try issue(record.family, scopes: scopes, nonce: nil, refreshToken: successor, now: now)
    }

    /// What the server holds of a refresh token; `nil` for one that it does not know.
    func standing(of token: String, now: Double) -> DevServer.Standing? {
        guard let record = refreshTokens[token], let family = families[record.family] else { return nil }
        return DevServer.Standing(
            family: record.family, generation: record.generation,
            isAccepted: family.isAlive && record.expires > now && (record.spentAt == nil || mayReuse(record, now: now)),
            sequence: log.total)
    }

    private func mayReuse(_ record: RefreshRecord, now: Double) -> Bool {
        guard let spentAt = record.spentAt, now - spentAt <= Double(configuration.rotationGrace) else { return false }
        switch configuration.rotation {
        case .strict, .none: return false
        case .graceNewSuccessor: return true
        case .graceSameSuccessor:
            guard let successor = record.successor.flatMap({ refreshTokens[$0] }) else { return false }
            return successor.spentAt == nil
        }
    }

    /// What the client uses next time; `nil` when that stays the same.
    private mutating func rotate(_ token: String, _ record: RefreshRecord, now: Double) -> String? {
        switch configuration.rotation {
        case .none: return nil
        case .graceSameSuccessor where record.spentAt != nil: return record.successor
        case .strict, .graceNewSuccessor, .graceSameSuccessor:
            let successor = newRefreshToken(record.family, generation: record.generation + 1, now: now)
            refreshTokens[token]?.spentAt = record.spentAt ?? now
            refreshTokens[token]?.successor = successor
            return successor
        }
    }

    /// Acts as if somebody else had used the token, and the family had been killed for it.
    mutating func spend(_ token: String) {
        guard let record = refreshTokens[token] else { return }
        refreshTokens[token]?.spentAt = record.spentAt ?? 0
        kill(family: record.family)
    }

    /// A first refresh token, where client and scopes allow one.
    mutating func firstRefreshToken(_ family: Int, _ client: DevServer.Client, now: Double) -> String? {
        guard client.grants.contains(.refreshToken),
            families[family]?.scopes.contains(DevServerWire.offlineAccess) == true
        else { return nil }
        return newRefreshToken(family, generation: 0, now: now)
    }

    private mutating func newRefreshToken(_ family: Int, generation: Int, now: Double) -> String {
        let token = Self.random("drt_")
        refreshTokens[token] = RefreshRecord(
            family: family, expires: now + Double(configuration.refreshTokenLifetime), generation: generation)
        return token
    }
}

extension DevServer {
    /// The truth about a refresh token, for tests that hold a client's opinion against it.
    package struct Standing: Hashable, Sendable {
        /// Which approval it came of, counted from 1.
        package var family: Int
        /// Its place in the family, from 0.
        package var generation: Int
        /// Whether it would be taken now.
        package var isAccepted: Bool
        /// The newest entry that the log had then; 0 for none. What spent the token, or ended it, is in it or before it.
        package var sequence: Int
    }

    /// What the server holds of a refresh token now; `nil` for one that it does not know.
    package func standing(ofRefreshToken token: String) -> Standing? {
        state.withLock { $0.standing(of: token, now: now()) }
    }
}
