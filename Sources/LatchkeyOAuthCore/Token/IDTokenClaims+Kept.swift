import FoundationEssentials
package import Latchkey
package import LatchkeyJSON

extension IDToken {
    /// Returns the claims of a token that was checked when it came and has been kept since. `nil` if it is no token.
    /// Do not use it for a token that has just arrived.
    package static func claims(ofKept token: Secret) -> JSON? {
        guard let parts = try? CompactToken(token.reveal()),
            let claims = try? JSON.parse(parts.payload, reader: .portable), claims.object != nil
        else { return nil }
        return claims
    }
}

extension IDTokenClaims {
    /// Reads claims that were checked once and then kept, to compare a later ID token with them
    /// (OpenID Connect Core, section 12.2). `nil` if `iss`, `sub` or `aud` is missing. Do not use
    /// it for claims that have just arrived.
    package init?(kept claims: JSON) {
        let audience = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
        guard let issuer = claims[OAuthWire.iss]?.string, let subject = claims[OAuthWire.sub]?.string,
            !audience.isEmpty
        else { return nil }
        func date(_ name: String) -> Date? { claims[name]?.number.map(Date.init(timeIntervalSince1970:)) }
        self.init(
            issuer: issuer, subject: subject, audience: audience, expiresAt: date("exp") ?? .distantPast,
            issuedAt: date("iat") ?? .distantPast, authenticatedAt: date("auth_time"),
            nonce: claims[OAuthWire.nonce]?.string.map { Secret($0) }, acr: claims["acr"]?.string, email: nil,
            isEmailVerified: false, name: nil, preferredUsername: nil, raw: claims)
    }
}
