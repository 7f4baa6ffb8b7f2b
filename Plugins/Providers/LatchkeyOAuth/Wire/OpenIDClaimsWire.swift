import LatchkeyJSON

/// The names of claims (OpenID Connect Core, sections 2, 5.1, 5.1.1 and 5.6).
enum OpenIDClaimsWire {
    static let subject = "sub"
    static let issuer = "iss"
    static let name = "name"
    static let givenName = "given_name"
    static let familyName = "family_name"
    static let middleName = "middle_name"
    static let nickname = "nickname"
    static let preferredUsername = "preferred_username"
    static let profile = "profile"
    static let picture = "picture"
    static let website = "website"
    static let email = "email"
    static let isEmailVerified = "email_verified"
    static let gender = "gender"
    static let birthdate = "birthdate"
    static let zoneinfo = "zoneinfo"
    static let locale = "locale"
    static let phoneNumber = "phone_number"
    static let isPhoneNumberVerified = "phone_number_verified"
    static let address = "address"
    static let updatedAt = "updated_at"
    static let authenticatedAt = "auth_time"
    static let authenticationContext = "acr"
    static let authenticationMethods = "amr"
    static let expires = "exp"

    enum Address {
        static let formatted = "formatted"
        static let street = "street_address"
        static let locality = "locality"
        static let region = "region"
        static let postalCode = "postal_code"
        static let country = "country"
    }

    /// The claims that have a property.
    static let standard = proof.union([
        subject, name, givenName, familyName, middleName, nickname, preferredUsername, profile, picture, website,
        email, isEmailVerified, gender, birthdate, zoneinfo, locale, phoneNumber, isPhoneNumberVerified, address,
        updatedAt,
    ])

    /// What an ID token says about the proof. The userinfo endpoint cannot say it.
    static let proof: Set<String> = [authenticatedAt, authenticationContext, authenticationMethods]

    /// What is about a token instead of the person, or is secret. Claims from elsewhere (section 5.6.2) come with
    /// access tokens.
    private static let left: Set<String> = [
        issuer, "aud", "azp", expires, "nbf", "iat", "jti", "nonce", "at_hash", "c_hash", "s_hash", "sid", "typ",
        "events", "sub_jwk", "cnf", "_claim_names", "_claim_sources", "access_token", "refresh_token", "id_token",
        "session_state", "client_secret", "password", "secret",
    ]

    /// The claims of an ID token that are about the person.
    static func ofToken(_ claims: JSON?) -> [String: JSON] {
        (claims?.object ?? [:]).filter { !left.contains($0.key) && $0.value != .null }
    }

    /// The claims of the userinfo endpoint that are about the person.
    static func ofUserInfo(_ claims: JSON?) -> [String: JSON] {
        ofToken(claims).filter { !proof.contains($0.key) && $0.key != subject }
    }
}
