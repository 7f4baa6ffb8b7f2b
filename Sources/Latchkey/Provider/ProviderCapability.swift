/// What a provider can do in addition to signing people in. Screens and tools use it to decide what to offer.
@nonexhaustive
public enum ProviderCapability: String, CaseIterable, Hashable, Sendable {
    /// Create an account: ``SignInRequest/signUp(_:)``.
    case signUp
    /// Recover an account whose password is lost: ``SignInRequest/recover(identifier:)``.
    case recovery
    /// Add a way to sign in: ``AuthClient/link(_:account:options:asking:)``.
    case linking
    /// Give a stronger proof than the session has: ``AuthClient/stepUp(_:account:options:asking:)``.
    case stepUp
    /// End the person's other sessions: ``SignOutScope/others``.
    case signOutOfOthers
    /// End all of the person's sessions: ``SignOutScope/everywhere``.
    case signOutEverywhere
    /// Issue access tokens for audiences other than the standard one.
    case audiences
}

/// A way to sign in that only one provider has.
public struct CustomMethod: Hashable, Sendable, Identifiable {
    /// The name that you pass to ``SignInMethod/custom(name:fields:)``.
    public var name: String
    /// The fields to fill in.
    public var fields: [Ask.Field]
    /// Whether the method returns through a browser redirect, so that the presenter must open an address for it.
    public var returnsByRedirect: Bool

    /// Creates a method.
    public init(name: String, fields: [Ask.Field] = [], returnsByRedirect: Bool = false) {
        self.name = name
        self.fields = fields
        self.returnsByRedirect = returnsByRedirect
    }

    /// The name.
    public var id: String { name }
}
