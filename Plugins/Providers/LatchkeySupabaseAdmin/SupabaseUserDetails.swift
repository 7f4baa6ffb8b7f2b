public import Latchkey
public import LatchkeyJSON

/// What a user is made of, or changed to. What is `nil` or empty is left as it is.
public struct SupabaseUserDetails: Sendable {
    /// The mail address.
    public var email: String?
    /// The telephone number, with country code.
    public var phone: String?
    /// The password. For somebody who is there already, it ends all of their sessions.
    public var password: Secret?
    /// Whether the mail address counts as confirmed from now on. There is no way back.
    public var confirmsEmail = false
    /// Whether the telephone number counts as confirmed from now on. There is no way back.
    public var confirmsPhone = false
    /// What the app keeps, which its user may change: merged key by key at the top level; null removes a key.
    public var metadata: [String: JSON] = [:]
    /// What the app keeps and its user may not change: merged in the same way. It is in every access token.
    public var appMetadata: [String: JSON] = [:]
    /// The database role, `authenticated` for everybody ordinary.
    public var role: String?
    /// A ban, or the end of one.
    public var ban: SupabaseBan?

    /// Details of their parts.
    public init(
        email: String? = nil, phone: String? = nil, password: Secret? = nil, metadata: [String: JSON] = [:]
    ) {
        self.email = email
        self.phone = phone
        self.password = password
        self.metadata = metadata
    }
}

/// How long somebody is kept out. Sessions are not ended by it, and go on after it; until then no token is refreshed.
public enum SupabaseBan: Hashable, Sendable {
    /// From now on, for so long: a second to a hundred years; a part of a second counts as one.
    case lasting(Duration)
    /// No more.
    case lifted
}
