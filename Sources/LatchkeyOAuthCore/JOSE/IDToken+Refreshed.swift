package import Latchkey
import LatchkeyJSON

/// The ID token of a refresh. It is a bonus: the tokens beside it came over TLS from the token endpoint itself (OpenID
/// Connect Core 1.0, section 3.1.3.7 step 6), and the answer need not have one (section 12.2).
extension IDToken {
    /// Checks an ID token as ``validate(_:keys:rules:)`` does. If the key that it names has not signed it, each other
    /// key that fits is tried: Ory Hydra has signed with a new key under the name of the old one.
    package static func validate(
        refreshed token: Secret, keys: JSONWebKeySet, rules: IDTokenRules
    ) throws(JOSEError) -> IDTokenClaims {
        do throws(JOSEError) {
            return try validate(token, keys: keys, rules: rules)
        } catch {
            guard error.isOfKey else { throw error }
            do throws(JOSEError) {
                return try validate(token, keys: keys.nameless, rules: rules)
            } catch let other {
                throw other.isOfKey ? error : other
            }
        }
    }

    /// Whether an ID token was issued after another one, which was kept. Neither is checked.
    package static func isNewer(_ token: Secret, than kept: Secret) -> Bool {
        func issued(_ token: Secret) -> Double? { claims(ofKept: token)?[JOSEWire.Claim.issuedAt]?.number }
        guard let new = issued(token), let old = issued(kept) else { return false }
        return new > old
    }

    /// Returns what an ID token whose signature could not be checked says against the answer that brought it: another
    /// issuer, person or client. `nil` if it says nothing, or cannot be read.
    package static func objection(ofUnchecked token: Secret, rules: IDTokenRules) -> JOSEError? {
        guard let claims = claims(ofKept: token) else { return nil }
        do throws(JOSEError) {
            try IDTokenCheck(claims: claims, rules: rules).parties()
            return nil
        } catch {
            return error
        }
    }
}

extension JOSEError {
    /// Whether no key of the set fits, or none has made the signature. Other keys may have.
    package var isOfKey: Bool {
        switch code {
        case .signature, .unknownKeyID, .noKey, .keyMismatch, .weakKey, .invalidKey, .unsupportedKey: true
        default: false
        }
    }
}

extension JSONWebKeySet {
    /// The usable keys without their names, so that a token that names one is checked with each.
    var nameless: JSONWebKeySet {
        JSONWebKeySet(
            keys.map { key in
                var key = key
                key.keyID = nil
                return key
            })
    }
}
