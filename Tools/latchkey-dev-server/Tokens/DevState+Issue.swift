import LatchkeyHTTPServer
import LatchkeyJSON

extension DevState {
    /// Returns the answer of RFC 6749 section 5.1, with an ID token if a person signed in with `openid`.
    mutating func issue(
        _ family: Int, scopes: [String], nonce: String?, refreshToken: String?, now: Double
    ) throws(OAuthFailure) -> ServerResponse {
        guard let record = families[family] else { throw .grant }
        let token = Self.random("dat_")
        accessTokens[token] = AccessRecord(
            family: family, scopes: scopes, expires: now + Double(configuration.accessTokenLifetime))
        var members: [String: JSON] = [
            DevServerWire.accessToken: .string(token),
            DevServerWire.tokenType: .string(tokenType),
            DevServerWire.expiresIn: .integer(Int64(configuration.accessTokenLifetime)),
            DevServerWire.scope: .string(scopes.joined(separator: " ")),
        ]
        if let refreshToken {
            members[DevServerWire.refreshToken] = .string(refreshToken)
            members[DevServerWire.refreshExpiresIn] =
                configuration.tellsRefreshTokenLifetime ? .integer(Int64(configuration.refreshTokenLifetime)) : nil
        }
        if scopes.contains(DevServerWire.openid), let authTime = record.authTime {
            let claims = idClaims(
                record, scopes: scopes, authTime: authTime, nonce: nonce, accessToken: token, now: now)
            guard let signed = try? idToken(claims, now: wallClock(now)) else {
                throw OAuthFailure(.serverError, "The ID token could not be signed.", status: 500)
            }
            members[DevServerWire.idToken] = .string(signed)
        }
        var response = ServerResponse.json(JSON.object(members).serialized())
        response.set("Pragma", "no-cache")
        return response
    }

    /// Returns the claims of OpenID Connect Core section 2.
    private func idClaims(
        _ family: TokenFamily, scopes: [String], authTime: Int64, nonce: String?, accessToken: String, now: Double
    ) -> [String: JSON] {
        let issued = wallClock(now)
        var claims: [String: JSON] = [
            "iss": .string(issuer),
            "aud": .string(family.clientID),
            "iat": .integer(issued),
            "exp": .integer(issued + Int64(configuration.idTokenLifetime)),
            DevServerWire.authTime: .integer(authTime),
            DevServerWire.atHash: .string(keys.half(of: accessToken)),
        ]
        if let nonce { claims[DevServerWire.nonce] = .string(nonce) }
        claims.merge(personalClaims(family.subject, scopes: scopes)) { old, _ in old }
        return claims
    }

    /// Returns the subject and the claims that the scopes open, OpenID Connect Core section 5.4.
    ///
    /// - Parameter isWhole: Whether to return all of them, instead of those that an ID token has.
    func personalClaims(_ subject: String, scopes: [String], isWhole: Bool = false) -> [String: JSON] {
        var claims: [String: JSON] = ["sub": .string(subject)]
        guard let user = user(subject: subject) else { return claims }
        if scopes.contains(DevServerWire.profile) {
            claims["name"] = .string(user.displayName)
            claims[DevServerWire.preferredUsername] = .string(user.name)
            if isWhole { claims.merge(user.details) { $1 } }
        }
        if scopes.contains(DevServerWire.email) {
            claims["email"] = .string(user.email)
            claims[DevServerWire.emailVerified] = .bool(true)
        }
        return claims
    }
}

extension DevServer.User {
    /// The claims that only the userinfo endpoint gives.
    fileprivate var details: [String: JSON] {
        let words = displayName.split(separator: " ")
        guard let last = words.last, words.count > 1 else { return claims }
        let names: [String: JSON] = [
            "given_name": .string(words.dropLast().joined(separator: " ")), "family_name": .string(String(last)),
        ]
        return names.merging(claims) { $1 }
    }
}
