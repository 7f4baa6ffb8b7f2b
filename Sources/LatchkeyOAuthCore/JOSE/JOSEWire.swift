import LatchkeyCrypto

/// Names on the wire in keys, headers and ID tokens: RFC 7515, 7517, 7518, 8037 and OpenID Connect Core 1.0.
enum JOSEWire {
    enum Header {
        static let algorithm = "alg"
        static let keyID = "kid"
        static let type = "typ"
        static let critical = "crit"
        static let isPayloadEncoded = "b64"
    }

    enum Key {
        static let keys = "keys"
        static let type = "kty"
        static let curve = "crv"
        static let x = "x"
        static let y = "y"
        static let modulus = "n"
        static let exponent = "e"
        static let keyID = "kid"
        static let algorithm = "alg"
        static let use = "use"
        static let operations = "key_ops"
        static let issuer = "issuer"
        static let signatures = "sig"
        static let verify = "verify"
        static let rsa = "RSA"
        static let ec = "EC"
        static let octetPair = "OKP"
        static let ed25519 = "Ed25519"
    }

    enum Claim {
        static let issuer = "iss"
        static let subject = "sub"
        static let tenant = "tid"
        static let audience = "aud"
        static let authorizedParty = "azp"
        static let expires = "exp"
        static let notBefore = "nbf"
        static let issuedAt = "iat"
        static let nonce = "nonce"
        static let accessTokenHash = "at_hash"
        static let authenticatedAt = "auth_time"
        static let authenticationContext = "acr"
        static let type = "typ"
        static let events = "events"
        static let email = "email"
        static let isEmailVerified = "email_verified"
        static let name = "name"
        static let preferredUsername = "preferred_username"
    }

    /// The payload's `typ` of an ID token at Keycloak, whose other values are `Bearer`, `Refresh` and `Logout`.
    static let idTokenType = "ID"

    /// Values of the header's `typ` that name another kind of token, RFC 8725 section 3.11.
    static let foreignTypes: Set<String> = [
        "at+jwt", "dpop+jwt", "logout+jwt", "secevent+jwt", "oauth-authz-req+jwt", "token-introspection+jwt",
        "client-authentication+jwt",
    ]

    static func name(_ curve: EllipticCurve) -> String {
        switch curve {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        }
    }
}
