public import FoundationEssentials
public import LatchkeyJSON

/// What a service says about the person: the claims of the ID token, and over them those of the userinfo endpoint
/// ([OpenID Connect Core, section 5.1](https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims)).
///
/// A standard claim of a wrong type, or an empty one, has no value in its property, and is in ``json`` as it came.
/// Claims about a token (`aud`, `exp`, `nonce`, `at_hash`, `sid` and the like) and the addresses and tokens of claims
/// from elsewhere (`_claim_sources`) are left out. Everything is personal data, so only the issuer is printed.
public struct OpenIDClaims: Hashable, Sendable {
    /// `iss`: the issuer that the person signed in at.
    public let issuer: String
    /// `sub`: the person's id at the issuer. Together with ``issuer`` it identifies the person; nothing else does.
    public let subject: String
    /// Every claim, by its own name.
    public let json: JSON

    /// Creates claims from a document, such as one for a test.
    ///
    /// - Parameters:
    ///   - issuer: The issuer that the claims are from.
    ///   - json: An object with `sub`; what is left out of claims is left out here.
    /// - Returns: `nil` if there is no `sub`.
    public init?(issuer: String, json: JSON) {
        guard let subject = json[OpenIDClaimsWire.subject]?.string, !subject.isEmpty else { return nil }
        self.init(issuer: issuer, subject: subject, members: OpenIDClaimsWire.ofToken(json))
    }

    init(issuer: String, subject: String, members: [String: JSON]) {
        (self.issuer, self.subject) = (issuer, subject)
        json = .object(members.merging([OpenIDClaimsWire.subject: .string(subject)]) { $1 })
    }

    /// The claim called `name`, also one of another standard or of the service itself; `nil` if there is none.
    public subscript(name: String) -> JSON? { json[name] }

    /// The claims that have no property here.
    public var others: [String: JSON] {
        (json.object ?? [:]).filter { !OpenIDClaimsWire.standard.contains($0.key) }
    }
}

extension OpenIDClaims {
    /// `name`: the full name for display.
    public var name: String? { text(OpenIDClaimsWire.name) }
    /// `given_name`.
    public var givenName: String? { text(OpenIDClaimsWire.givenName) }
    /// `family_name`.
    public var familyName: String? { text(OpenIDClaimsWire.familyName) }
    /// `middle_name`.
    public var middleName: String? { text(OpenIDClaimsWire.middleName) }
    /// `nickname`.
    public var nickname: String? { text(OpenIDClaimsWire.nickname) }
    /// `preferred_username`. It may change, and need not be unique.
    public var preferredUsername: String? { text(OpenIDClaimsWire.preferredUsername) }
    /// `profile`: the address of the person's page.
    public var profile: String? { text(OpenIDClaimsWire.profile) }
    /// `picture`: the address of a picture of the person.
    public var picture: String? { text(OpenIDClaimsWire.picture) }
    /// `website`.
    public var website: String? { text(OpenIDClaimsWire.website) }
    /// `email`. It may change, and need not be unique.
    public var email: String? { text(OpenIDClaimsWire.email) }
    /// `email_verified`: whether the issuer has seen that ``email`` is the person's.
    public var isEmailVerified: Bool? { json[OpenIDClaimsWire.isEmailVerified]?.bool }
    /// `gender`.
    public var gender: String? { text(OpenIDClaimsWire.gender) }
    /// `birthdate`: `YYYY-MM-DD`, with the year `0000` if it is not told, or `YYYY`.
    public var birthdate: String? { text(OpenIDClaimsWire.birthdate) }
    /// `zoneinfo`: a time zone such as `Europe/Paris`.
    public var zoneinfo: String? { text(OpenIDClaimsWire.zoneinfo) }
    /// `locale`: a language tag such as `en-US`.
    public var locale: String? { text(OpenIDClaimsWire.locale) }
    /// `phone_number`.
    public var phoneNumber: String? { text(OpenIDClaimsWire.phoneNumber) }
    /// `phone_number_verified`: whether the issuer has seen that ``phoneNumber`` is the person's.
    public var isPhoneNumberVerified: Bool? { json[OpenIDClaimsWire.isPhoneNumberVerified]?.bool }
    /// `address`: the postal address.
    public var address: Address? { json[OpenIDClaimsWire.address].flatMap(Address.init) }
    /// `updated_at`: when the issuer last changed the claims.
    public var updatedAt: Date? { instant(OpenIDClaimsWire.updatedAt) }
    /// `auth_time` of the ID token: when the person last proved who they are.
    public var authenticatedAt: Date? { instant(OpenIDClaimsWire.authenticatedAt) }
    /// `acr` of the ID token: how strong that proof was, in the issuer's words.
    public var authenticationContext: String? { text(OpenIDClaimsWire.authenticationContext) }
    /// `amr` of the ID token: what the person proved it with, such as `pwd` and `otp` (RFC 8176). Empty if not told.
    public var authenticationMethods: [String] {
        json[OpenIDClaimsWire.authenticationMethods]?.array?.compactMap(\.string) ?? []
    }

    /// The name that an account is shown by: the mail address, else the user name, else the full name.
    var label: String? { email ?? preferredUsername ?? name }

    private func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    private func instant(_ name: String) -> Date? {
        guard let seconds = json[name]?.number, (0...32_503_680_000).contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }
}

extension OpenIDClaims {
    /// A postal address (section 5.1.1).
    public struct Address: Hashable, Sendable {
        /// `formatted`: the whole address for a label, in lines.
        public var formatted: String?
        /// `street_address`, perhaps in several lines.
        public var street: String?
        /// `locality`: the town.
        public var locality: String?
        /// `region`: the state or province.
        public var region: String?
        /// `postal_code`.
        public var postalCode: String?
        /// `country`.
        public var country: String?

        init?(_ json: JSON) {
            guard json.object != nil else { return nil }
            func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
            formatted = text(OpenIDClaimsWire.Address.formatted)
            street = text(OpenIDClaimsWire.Address.street)
            locality = text(OpenIDClaimsWire.Address.locality)
            region = text(OpenIDClaimsWire.Address.region)
            postalCode = text(OpenIDClaimsWire.Address.postalCode)
            country = text(OpenIDClaimsWire.Address.country)
        }
    }
}

extension OpenIDClaims: CustomStringConvertible, CustomReflectable {
    /// The issuer only, nothing about the person.
    public var description: String { "claims of \(issuer)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OpenIDClaims.Address: CustomStringConvertible, CustomReflectable {
    /// A fixed text without content.
    public var description: String { "postal address" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
