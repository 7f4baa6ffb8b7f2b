public import Latchkey
import LatchkeyCrypto
import LatchkeyOAuthCore

/// A provider for Supabase Auth: a hosted project, or a self-hosted GoTrue.
///
/// People sign in with a password, with a code or link that is sent to them, in a browser, with an
/// ID token, a passkey or a wallet, or anonymously. A person with a verified further factor is
/// asked for it as part of signing in.
///
/// | Situation | What happens |
/// | --- | --- |
/// | The person has a verified further factor | ``/Latchkey/Ask/totp``, ``/Latchkey/Ask/code(over:sentTo:)`` or ``/Latchkey/Ask/passkey(request:)``; ``/Latchkey/Ask/choose(_:)`` between several |
/// | The person declines the further factor | the half-way session is logged out at the service; the sign-in fails with `declined` |
/// | A mail address is not confirmed | ``/Latchkey/Ask/code(over:sentTo:)``; another mail is sent on request |
/// | A captcha is needed | ``/Latchkey/Ask/captcha(siteKey:)``, then the password again, which is never stored |
/// | A link was sent | the person can open it, or type the code from its mail, in any process that uses the store |
/// | The link was asked for on another device | `refused(.other)` with ``SupabaseErrorCode/linkOfAnotherDevice``; nothing is sent |
/// | A link brings a session that was not asked for here | `untrusted(.subject)` with ``SupabaseErrorCode/sessionNotAskedFor``; the session is ended |
/// | A refresh token was used before | the service answers with its successor, however late; it no longer does once it has moved the session to its newer kind of token |
///
/// A refresh ends the session only if the service itself answers with a code from a closed list.
public struct SupabaseProvider: Sendable {
    /// The domain that passkeys as a further factor belong to (Web Authentication, section 5.4.2).
    public struct RelyingParty: Hashable, Sendable {
        /// The domain.
        public var id: String
        /// The origins that may use the domain.
        public var origins: [String]

        /// Creates a relying party from its domain and origins.
        public init(id: String, origins: [String]) {
            self.id = id
            self.origins = origins
        }
    }

    /// The provider's name within the client.
    public var name: ProviderID
    /// The address of the auth service, without a slash at the end.
    public var authURL: String
    /// The key that names the project to the gateway; `nil` for a service without one. Not secret.
    /// Never sent as a bearer token.
    public var publishableKey: String?
    /// The address that the browser and links return to if neither the call nor the presenter names
    /// one. The project must allow it; otherwise the service silently uses its own site.
    public var redirect: String?
    /// Whether a code or link for an unknown address creates an account. The default is `true`, as at the service.
    public var createsAccounts = true
    /// Whether it is told (`otp_disabled`) that a code or link was asked for with an unknown address where it creates no
    /// account (``createsAccounts``). Otherwise a code that was never sent is asked for, as for an address that the service
    /// knows. The default is `false`.
    public var tellsUnknownPeople = false
    /// Whether a person with a verified further factor is asked for it as part of signing in. The
    /// default is `true`.
    public var asksForFactors = true
    /// Whether the project is asked, before a visit to an identity provider, whether it has that one switched on.
    /// Otherwise the browser shows an error as JSON and never comes back. The default is `true`.
    public var asksBeforeVisits = true
    /// The site key that captcha challenges show.
    public var captchaSiteKey = ""
    /// The relying party for passkeys as a further factor; `nil` if passkeys are not asked for.
    public var relyingParty: RelyingParty?
    /// The issuer that the project's access tokens name, if it is not ``authURL``, for example with
    /// a custom domain. Only `AuthClient.adopt(_:for:)` uses it.
    public var issuer: String?
    /// Further issuers whose access tokens are this project's, for example that of a custom domain beside the project's
    /// own: each exactly as the tokens write it (`iss`), over https, or over http on this machine. Only
    /// `AuthClient.adopt(_:for:)` uses them; it refuses a session of any other issuer with `untrusted(.issuer)`.
    public var trustedIssuers: Set<String> = []
    /// The project's setting "refresh token reuse interval": for how long the service forgives a refresh token that is
    /// more than one step old. The default is 10 seconds, as at the platform; a server of your own may have another, and
    /// its own default is zero. After a lost answer the service is asked again within this time.
    public var reuseInterval = Duration.seconds(10)
    /// The name of this software in the service's logs.
    public var clientInfo = "latchkey-swift"

    /// Creates a client of the service at `authURL`.
    public init(authURL: String, publishableKey: String?, named name: ProviderID = "supabase") {
        self.name = name
        self.authURL = authURL.hasSuffix("/") ? String(authURL.dropLast()) : authURL
        self.publishableKey = publishableKey
    }
}

extension SupabaseProvider: AuthProvider {
    /// The provider's rules. Refresh tokens rotate; the service still accepts the one before the
    /// newest, and answers it with the newest.
    public var rules: ProviderRules {
        ProviderRules(
            binding: binding, methods: Self.methods, refresh: .sameSuccessor,
            capabilities: [.signUp, .recovery, .linking, .signOutOfOthers, .signOutEverywhere],
            revocation: .liveAccessToken, elevation: .fixed, reuseInterval: max(reuseInterval, .zero))
    }

    private static let methods: Set<SignInMethod.Kind> = [
        .password, .code, .link, .browser, .enterprise, .idToken, .ticket, .refreshToken, .passkey, .wallet, .anonymous,
    ]

    /// The binding names the service and no key: keys can be replaced, and sessions stay.
    var binding: ProviderBinding { ProviderBinding(provider: name, authority: authURL, client: "supabase") }

    /// Starts signing in, creating an account, recovering one, or linking an identity.
    ///
    /// - Throws: `configuration(.unsupported)` for a request that this provider's rules do not
    ///   list; ``/Latchkey/TransportError``; ``/Latchkey/AuthError``.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        if let missing = CryptoLibrary.missing { throw missing }
        try checkConfiguration()
        let step = Conversation(provider: self, context: context, options: options)
        return try await worded { try await step.begin(request) }
    }

    /// Continues with the answer of the person, the browser or the app.
    public func answer(
        _ answer: Answer, to challenge: Challenge, in context: ProviderContext
    ) async throws -> Turn {
        if let missing = CryptoLibrary.missing { throw missing }
        let step = Conversation(provider: self, context: context, options: SignInOptions())
        return try await worded { try await step.answer(answer, to: challenge) }
    }
}
