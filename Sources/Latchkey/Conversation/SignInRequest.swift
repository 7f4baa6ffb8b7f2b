public import LatchkeyJSON

/// What the app wants to do. The last two cases need a person who is signed in: the engine gives
/// the provider that person's credential (``ProviderContext/principal``), which apps never see.
public enum SignInRequest: Sendable {
    /// Sign in.
    case signIn(SignInMethod)
    /// Create an account.
    case signUp(SignUpForm)
    /// Recover an account whose password is lost.
    case recover(identifier: String)
    /// Add a way to sign in to an account; `nil` means the current one.
    case link(SignInMethod, account: AccountID? = nil)
    /// Give a stronger proof than the account's session has; `nil` means the current account.
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
    /// A visit to the service in a browser. `connection` names an identity provider behind the service.
    case browser(connection: String? = nil)
    /// The identity provider of an organization.
    case enterprise(domain: String)
    /// A code that the person enters on another device (RFC 8628).
    case device
    /// An ID token that another issuer has issued.
    case idToken(Secret, issuer: String, nonce: Secret?)
    /// A ticket from the app's own server.
    case ticket(Secret)
    /// A refresh token that the app has from elsewhere, such as another library's store. It is sent once, and most services
    /// replace it: afterwards the other library must not use it any more, nor sign out with it. If the answer was lost, call
    /// again with the same token soon. The session's scopes are the service's.
    case refreshToken(Secret)
    /// A passkey.
    case passkey
    /// A signature by a wallet.
    case wallet(chain: String)
    /// An anonymous account.
    case anonymous
    /// The program's own credentials, without a person (RFC 6749, section 4.4).
    case clientCredentials
    /// A method that only this provider has: one of ``ProviderRules/customMethods``, with its fields by name.
    case custom(name: String, fields: [String: Secret] = [:])

    /// The kind of a sign-in method, without its values.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// See the method of the same name.
        case password, code, link, browser, enterprise, device, idToken, ticket, passkey, wallet, anonymous
        /// See the method of the same name.
        case refreshToken
        /// See the method of the same name.
        case clientCredentials
        /// Any of the provider's own methods; ``ProviderRules/customMethods`` names them.
        case custom
    }

    /// The kind of this method, without its values.
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
        case .refreshToken: .refreshToken
        case .passkey: .passkey
        case .wallet: .wallet
        case .anonymous: .anonymous
        case .clientCredentials: .clientCredentials
        case .custom: .custom
        }
    }
}

/// How a service sends a code or a link.
@nonexhaustive
public enum DeliveryChannel: String, Sendable {
    /// Email.
    case mail
    /// A text message.
    case sms
    /// WhatsApp.
    case whatsapp
}

/// The details of a new account.
public struct SignUpForm: Sendable {
    /// An email address, phone number or user name.
    public var identifier: String
    /// The password, if the service wants one.
    public var password: Secret?
    /// Further fields, named as the service names them.
    public var fields: [String: JSON]

    /// Creates a form.
    public init(identifier: String, password: Secret? = nil, fields: [String: JSON] = [:]) {
        self.identifier = identifier
        self.password = password
        self.fields = fields
    }
}

/// Options that apply to every sign-in.
public struct SignInOptions: Sendable {
    /// The scopes to ask for. If empty, the provider's configured scopes are used.
    public var scopes: [String] = []
    /// What the first token is for.
    public var audience = Audience.standard
    /// The address that the browser returns to. The engine sets it if the presenter receives redirects.
    public var redirect: String?
    /// The person who is expected to sign in, such as their email address.
    public var loginHint: String?
    /// The person who must sign in: a mail address, a user name, or the subject. If the service names somebody else, the
    /// sign-in fails with `refused(.otherPerson)`, and nothing of it is kept. A service that says too little to decide is
    /// believed. Send a ``loginHint`` as well, so that the service can offer the right account.
    public var expectedPerson: String?
    /// How the service may prompt: `login`, `consent`, `select_account` or `none` (OpenID Connect
    /// Core, section 3.1.2.1).
    public var prompt: String?
    /// The acceptable authentication contexts (`acr_values`), the preferred one first. The ID token must name one of them,
    /// or the sign-in fails with `refused(.factorRequired)`.
    public var acr: [String] = []
    /// The longest time since the person last proved who they are. The ID token must say that it is not longer ago.
    public var maxAge: Duration?
    /// The person's languages, the preferred one first (BCP 47).
    public var locales: [String] = []
    /// The answer to a captcha.
    public var captcha: Secret?

    /// Creates options without any values.
    public init() {}
}
