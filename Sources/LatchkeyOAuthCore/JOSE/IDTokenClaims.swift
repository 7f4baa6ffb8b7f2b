public import FoundationEssentials
public import Latchkey
public import LatchkeyJSON

/// What an ID token says, after every check.
///
/// Personal data: prints only the issuer.
public struct IDTokenClaims: Sendable {
    /// `iss`.
    public let issuer: String
    /// `sub`: the person at this issuer. Not empty, ASCII, at most 255 characters.
    public let subject: String
    /// `aud`: contains this client.
    public let audience: [String]
    /// `exp`.
    public let expiresAt: Date
    /// `iat`.
    public let issuedAt: Date
    /// `auth_time`: when the person last proved who they are.
    public let authenticatedAt: Date?
    /// `nonce`.
    public let nonce: Secret?
    /// `acr`: how the person proved it, in the issuer's words.
    public let acr: String?
    /// `email`. Compare people by ``subject``, never by this.
    public let email: String?
    /// Whether the issuer says that `email` is the person's; `false` where it says nothing.
    public let isEmailVerified: Bool
    /// `name`.
    public let name: String?
    /// `preferred_username`.
    public let preferredUsername: String?
    /// All claims.
    public let raw: JSON
}

extension IDTokenClaims: CustomStringConvertible, CustomReflectable {
    /// The issuer, and nothing about the person.
    public var description: String { "ID token of \(issuer)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
