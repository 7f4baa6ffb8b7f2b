public import Latchkey

/// What the person wants with the form.
public enum ModelPurpose: String, CaseIterable, Hashable, Sendable {
    /// Sign in, or sign in with a further account.
    case signIn
    /// Create an account.
    case signUp
    /// Get back into an account whose password is lost.
    case recover
    /// Add a way to sign in to the current account.
    case link

    /// The capability that a provider needs for it; `nil` if every provider can do it.
    public var capability: ProviderCapability? {
        switch self {
        case .signIn: nil
        case .signUp: .signUp
        case .recover: .recovery
        case .link: .linking
        }
    }
}
