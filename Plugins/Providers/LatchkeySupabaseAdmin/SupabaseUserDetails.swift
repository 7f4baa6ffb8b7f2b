public import Latchkey
public import LatchkeyJSON

/// The details of a new user, or the changes to an existing one. A property that is `nil` or empty
/// is left as it is.
public struct SupabaseUserDetails: Sendable {
    /// The mail address.
    public var email: String?
    /// The telephone number, with country code.
    public var phone: String?
    /// The password. Setting it for an existing user ends all of their sessions.
    public var password: Secret?
    /// Whether to mark the mail address as confirmed. This cannot be undone.
    public var confirmsEmail = false
    /// Whether to mark the telephone number as confirmed. This cannot be undone.
    public var confirmsPhone = false
    /// Metadata that the user may change, merged key by key at the top level; null removes a key.
    public var metadata: [String: JSON] = [:]
    /// Metadata that the user may not change, merged in the same way. It is in every access token.
    public var appMetadata: [String: JSON] = [:]
    /// The database role; ordinary users have `authenticated`.
    public var role: String?
    /// A ban to set or to lift.
    public var ban: SupabaseBan?

    /// Creates details.
    public init(
        email: String? = nil, phone: String? = nil, password: Secret? = nil, metadata: [String: JSON] = [:]
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.metadata = metadata
    }
}

/// A ban. It does not end sessions, and they continue after it; while it lasts, no token is refreshed.
public enum SupabaseBan: Hashable, Sendable {
    /// A ban from now on, for a second to a hundred years. Fractions of a second are rounded up.
    case lasting(Duration)
    /// No ban.
    case lifted
}
