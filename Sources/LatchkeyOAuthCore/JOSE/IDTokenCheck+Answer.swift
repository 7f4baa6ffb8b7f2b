import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// The rules for claims of the userinfo endpoint, section 5.3.2. They come over TLS in the answer to a token of this
/// client, so what an ID token must have may be absent here. What is there must be right.
extension IDTokenCheck {
    /// Checks `iss` and `aud`.
    func answerParties() throws(JOSEError) {
        if let issuer = try text(Claim.issuer), try !isExpected(issuer) {
            throw JOSEError(.issuer, "the claims come from another issuer")
        }
        guard let named = claims[Claim.audience], named != .null else { return }
        let isOurs = try audience().contains { isClient($0) || isTrusted($0) }
        guard isOurs else { throw JOSEError(.audience, "the claims are for another client") }
    }

    /// Checks `exp`, `nbf` and `iat`.
    func answerTimes() throws(JOSEError) {
        let now = try time(Claim.issuedAt).map(rules.now(issuedAt:)) ?? rules.now.timeIntervalSince1970
        if let expires = try time(Claim.expires), expires <= now - rules.leewaySeconds {
            throw late(.expired, "the claims have expired, by", now - expires)
        }
        if let notBefore = try time(Claim.notBefore), notBefore > now + rules.leewaySeconds {
            throw late(.notYetValid, "the claims are valid only in", notBefore - now)
        }
        if let issued = try time(Claim.issuedAt), issued > now + rules.leewaySeconds {
            throw late(.issuedInFuture, "the claims were issued in the future, by", issued - now)
        }
    }
}
