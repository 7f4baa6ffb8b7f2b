public import LatchkeyJSON

/// What a conversation is to achieve. The last two are about somebody who is signed in: the engine gives the provider
/// their credential (``ProviderContext/principal``), which no app sees.
public enum SignInRequest: Sendable {
    /// Sign in.
    case signIn(SignInMethod)
    /// Make an account.
    case signUp(SignUpForm)
    /// Get back into an account whose password is lost.
    case recover(identifier: String)
    /// Add a way to sign in to an account; `nil`: the current one.
    case link(SignInMethod, account: AccountID? = nil)
    /// Prove more than the session of an account has; `nil`: the current one.
    case stepUp(StepUp, account: AccountID? = nil)
}

/// How a person, or a program, signs in.
public enum SignInMethod: Sendable {
    /// A password.
    case password(identifier: String, Secret)
    /// A code that the service sends.
    case code(identifier: String, over: DeliveryChannel)
    /// A link that the service sends.
    case link(identifier: String)
    /// A visit to the service in a browser; `connection` names an identity provider behind it.
    case browser(connection: String? = nil)
    /// The identity provider of an organization.
    case enterprise(domain: String)
    /// A code that is entered on another device (RFC 8628).
    case device
    /// An ID token from elsewhere.
    case idToken(Secret, issuer: String, nonce: Secret?)
    /// A ticket from the app's own server.
    case ticket(Secret)
    /// A passkey.
    case passkey
    /// A signature of a wallet.
    case wallet(chain: String)
    /// Nobody in particular.
    case anonymous
    /// The program itself (RFC 6749, section 4.4).
    case clientCredentials
    /// A way that only this provider has: one of ``ProviderRules/customMethods``, with its fields by name.
    case custom(name: String, fields: [String: Secret] = [:])

    /// The method without its content.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// See the method of the same name.
        case password, code, link, browser, enterprise, device, idToken, ticket, passkey, wallet, anonymous
        /// See the method of the same name.
        case clientCredentials
        /// Any of the provider's own; ``ProviderRules/customMethods`` names them.
        case custom
    }

    /// The method without its content.
    public var kind: Kind {
        switch self {
        case .password: .password
        case .code: .code
        case .link: .link
        case .browser: .browser
        case .enterprise: .enterprise
        case .device: .device
        case .idToken: .idToken
        case .ticket: .ticket
        case .passkey: .passkey
        case .wallet: .wallet
        case .anonymous: .anonymous
        case .clientCredentials: .clientCredentials
        case .custom: .custom
        }
    }
}

/// Over what a service sends.
@nonexhaustive
public enum DeliveryChannel: String, Sendable {
    /// Electronic mail.
    case mail
    /// A text message.
    case sms
    /// WhatsApp.
    case whatsapp
}

/// What a new account begins with.
public struct SignUpForm: Sendable {
    /// Address, number or user name.
    public var identifier: String
    /// The password, where one is wanted.
    public var password: Secret?
    /// Further fields, in the service's own terms.
    public var fields: [String: JSON]

    /// A form of its parts.
    public init(identifier: String, password: Secret? = nil, fields: [String: JSON] = [:]) {
        self.identifier = identifier
        self.password = password
        self.fields = fields
    }
}

/// What may be said about any sign-in.
public struct SignInOptions: Sendable {
    /// What to ask for; empty: what the provider is configured with.
    public var scopes: [String] = []
    /// What the first token is for.
    public var audience = Audience.standard
    /// Where the browser shall return to; set by the engine when the presenter receives redirects.
    public var redirect: String?
    /// Who is expected to sign in.
    public var loginHint: String?
    /// `login`, `consent`, `select_account`, `none` (OpenID Connect Core, section 3.1.2.1).
    public var prompt: String?
    /// How long ago the person may have proven who they are.
    public var maxAge: Duration?
    /// The person's languages, the preferred one first (BCP 47).
    public var locales: [String] = []
    /// The answer to a captcha.
    public var captcha: Secret?

    /// Options that say nothing.
    public init() {}
}
