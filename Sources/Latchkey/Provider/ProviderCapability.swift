/// What a provider can do beside signing people in, as data: what a screen or a tool may offer.
@nonexhaustive
public enum ProviderCapability: String, CaseIterable, Hashable, Sendable {
    /// Make an account: ``SignInRequest/signUp(_:)``.
    case signUp
    /// Get back into an account whose password is lost: ``SignInRequest/recover(identifier:)``.
    case recovery
    /// Add a way to sign in: ``AuthClient/link(_:account:options:asking:)``.
    case linking
    /// Prove more than the session has: ``AuthClient/stepUp(_:account:options:asking:)``.
    case stepUp
    /// End the person's other sessions: ``SignOutScope/others``.
    case signOutOfOthers
    /// End all of the person's sessions: ``SignOutScope/everywhere``.
    case signOutEverywhere
    /// Access tokens for more than the standard audience.
    case audiences
}

/// A way to sign in that only one provider has.
public struct CustomMethod: Hashable, Sendable, Identifiable {
    /// What ``SignInMethod/custom(name:fields:)`` calls it.
    public var name: String
    /// What it takes, by name.
    public var fields: [Ask.Field]
    /// Whether it sends a browser back, so that a presenter opens a redirect's address for it.
    public var returnsByRedirect: Bool

    /// A method of its parts.
    public init(name: String, fields: [Ask.Field] = [], returnsByRedirect: Bool = false) {
        self.name = name
        self.fields = fields
        self.returnsByRedirect = returnsByRedirect
    }

    /// The name.
    public var id: String { name }
}
