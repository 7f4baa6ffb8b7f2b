import FoundationEssentials
import Latchkey
package import LatchkeyJSON

extension IDTokenClaims {
    /// Claims that were checked once and kept: what a later ID token is compared with (OpenID Connect Core, section
    /// 12.2). `nil` where `iss`, `sub` or `aud` is missing. Never for claims that just came.
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
