public import Latchkey
public import LatchkeyJSON
public import LatchkeySupabase

/// What a link shall be for (`/admin/generate_link` of the service).
@nonexhaustive
public enum SupabaseLinkRequest: Sendable {
    /// Confirms the address of a new account, which is made.
    case signUp(email: String, password: Secret, metadata: [String: JSON] = [:])
    /// Invites somebody, whose account is made.
    case invite(email: String, metadata: [String: JSON] = [:])
    /// Signs somebody in. Where nobody has the address, an account is made, and ``SupabaseLink/type`` is `signup`.
    case magicLink(email: String)
    /// Signs somebody in who has lost their password.
    case recovery(email: String)
    /// Confirms a new address of a user: by the present one, or by the new one. Where the project wants both, each has
    /// a link of its own.
    case emailChange(from: String, to: String, confirmedBy: Address)

    /// Which address a change is confirmed by.
    public enum Address: String, Hashable, Sendable {
        /// The one that the user has.
        case current
        /// The one that the user shall have.
        case new
    }
}

/// A link that signs somebody in, and what else does. Whoever has one of the three is that person: good once, for as
/// long as the project says.
public struct SupabaseLink: Sendable {
    /// The address to be opened.
    public var url: Secret
    /// The code to be typed.
    public var code: Secret
    /// What a page of one's own hands to `/verify` as `token_hash`, so that mail scanners do not use the link up.
    public var tokenHash: Secret
    /// What `/verify` calls it: `signup`, `invite`, `magiclink`, `recovery`, `email_change_current`, `email_change_new`.
    public var type: String
    /// Where the link leads in the end; the project's own site where another address is not allowed.
    public var redirect: String
    /// Whose it is.
    public var user: SupabaseUser
}
