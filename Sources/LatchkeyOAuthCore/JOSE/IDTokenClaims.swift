public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON

/// The claims of an ID token that has passed every check.
///
/// They are personal data, so only the issuer is printed.
public struct IDTokenClaims: Sendable {
    /// `iss`.
    public let issuer: String
    /// `sub`: the person's id at this issuer. Not empty, ASCII, at most 255 characters.
    public let subject: String
    /// `aud`: the audiences, among them this client.
    public let audience: [String]
    /// `exp`: when the token expires.
    public let expiresAt: Date
    /// `iat`: when the token was issued.
    public let issuedAt: Date
    /// `auth_time`: when the person last authenticated.
    public let authenticatedAt: Date?
    /// `nonce`: the value of the request.
    public let nonce: Secret?
    /// `acr`: how the person authenticated, in the issuer's words.
    public let acr: String?
    /// `email`. Identify people by ``subject``, never by this.
    public let email: String?
    /// Whether the issuer says that `email` belongs to the person; `false` if it says nothing.
    public let isEmailVerified: Bool
    /// `name`.
    public let name: String?
    /// `preferred_username`.
    public let preferredUsername: String?
    /// All claims.
    public let raw: JSON
}

extension IDTokenClaims: CustomStringConvertible, CustomReflectable {
    /// The issuer only, nothing about the person.
    public var description: String { "ID token of \(issuer)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
