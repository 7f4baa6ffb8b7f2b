import LatchkeyHTTPServer
import LatchkeySystem

extension DevState {
    /// Gives tokens for a refresh token (RFC 6749 section 6), rotated as configured (RFC 9700 section 4.14.2).
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
        // Refused before the token is used up, so that the client can correct its request.
        let scopes = try parameters.scopes(allowed: family.scopes) ?? family.scopes
        try parameters.checkResources(issuer: issuer)
        let successor = rotate(token, record, now: now)
        if let successor { note.generation = refreshTokens[successor]?.generation }
        return try issue(record.family, scopes: scopes, nonce: nil, refreshToken: successor, now: now)
    }

    /// Returns the state of a refresh token; `nil` if the server does not know it.
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

    /// Returns the client's next refresh token; `nil` if it stays the same.
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

    /// Acts as if another program had used the token, which revokes its family.
    mutating func spend(_ token: String) {
        guard let record = refreshTokens[token] else { return }
        refreshTokens[token]?.spentAt = record.spentAt ?? 0
        kill(family: record.family)
    }

    /// Returns a first refresh token, if client and scopes allow one.
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
    /// The server's state of a refresh token, for tests that compare a client's view with it.
    package struct Standing: Hashable, Sendable {
        /// The approval that it came from, counted from 1.
        package var family: Int
        /// Its place in the family, from 0.
        package var generation: Int
        /// Whether the server would accept it now.
        package var isAccepted: Bool
        /// The newest entry of the log at that time; 0 for none. The use or the end of the token is in it or before
        /// it.
        package var sequence: Int
    }

    /// Returns the present state of a refresh token; `nil` if the server does not know it.
    package func standing(ofRefreshToken token: String) -> Standing? {
        state.withLock { $0.standing(of: token, now: now()) }
    }
}
