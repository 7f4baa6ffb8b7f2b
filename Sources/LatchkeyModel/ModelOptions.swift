public import Latchkey

/// What the app decides about its screens. Everything else comes from the providers' rules.
public struct ModelOptions: Sendable {
    /// What an identifier is at the app's services. It decides which hints are given while typing.
    public enum IdentifierKind: String, Hashable, Sendable {
        /// An email address.
        case mail
        /// A phone number.
        case phone
        /// A user name, or any of several kinds.
        case any
    }

    /// The language of every text. Default: the environment's.
    public var language = TextLanguage.system
    /// The providers to offer, in this order; `nil` means every provider, by name.
    public var providers: [ProviderID]?
    /// The methods to offer, of those that a provider has; `nil` means every method that a form can start.
    public var methods: Set<SignInMethod.Kind>?
    /// How codes may be sent. There is one method for each. Default: by email.
    public var channels: [DeliveryChannel] = [.mail]
    /// The identity providers behind a service that the browser may go to at once, as the service
    /// names them: `google`. If empty, there is one method that leaves the choice to the service.
    public var connections: [String] = []
    /// The chains whose wallets may sign in. If empty, no wallet is offered.
    public var chains: [String] = []
    /// What an identifier is.
    public var identifierKind = IdentifierKind.mail
    /// What the service demands of a new password, as far as the app knows it.
    public var passwordRules = PasswordRules()
    /// Further fields of a new account, named as the service names them.
    public var signUpFields: [Ask.Field] = []
    /// Whether a new account gets a password at once. Default: `true`.
    public var signUpAsksPassword = true
    /// Options of every sign-in, for example ``/Latchkey/SignInOptions/redirect`` for an app that its own
    /// scheme or link opens.
    public var signIn = SignInOptions()

    /// Creates the default options.
    public init() {}
}
