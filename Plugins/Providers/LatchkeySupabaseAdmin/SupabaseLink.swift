public import Latchkey
public import LatchkeyJSON
public import LatchkeySupabase

/// The purpose of a link (`/admin/generate_link` of the service).
@nonexhaustive
public enum SupabaseLinkRequest: Sendable {
    /// Creates an account and confirms its address.
    case signUp(email: String, password: Secret, metadata: [String: JSON] = [:])
    /// Creates an account and invites its person.
    case invite(email: String, metadata: [String: JSON] = [:])
    /// Signs a person in. If no account has the address, one is created, and ``SupabaseLink/type`` is `signup`.
    case magicLink(email: String)
    /// Signs in a person who has lost their password.
    case recovery(email: String)
    /// Confirms a user's new address, through a link to the current one or to the new one. If the
    /// project requires both, make a link for each.
    case emailChange(from: String, to: String, confirmedBy: Address)

    /// The address that confirms a change.
    public enum Address: String, Hashable, Sendable {
        /// The address that the user has now.
        case current
        /// The address that the user is changing to.
        case new
    }
}

/// A link that signs a person in, with its code and its hash. Anyone who has one of the three can
/// sign in as that person, once, for as long as the project allows.
public struct SupabaseLink: Sendable {
    /// The address to open.
    public var url: Secret
    /// The code to type.
    public var code: Secret
    /// The hash that your own page sends to `/verify` as `token_hash`, so that mail scanners do not
    /// use the link up.
    public var tokenHash: Secret
    /// The type to send to `/verify`: `signup`, `invite`, `magiclink`, `recovery`,
    /// `email_change_current`, `email_change_new`.
    public var type: String
    /// The address that the link finally leads to; the project's own site if the requested address is not allowed.
    public var redirect: String
    /// The user that the link signs in.
    public var user: SupabaseUser
}
