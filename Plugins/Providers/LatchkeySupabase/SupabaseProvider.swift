public import Latchkey
import LatchkeyOAuthCore

/// Supabase Auth: a hosted project, or a GoTrue of one's own.
///
/// People sign in by password, by a code or link that is sent, in a browser, with an ID token, a passkey, a wallet, or
/// as nobody in particular. Whoever has a verified further factor is asked for it as part of signing in.
///
/// | Situation | What happens |
/// | --- | --- |
/// | A further factor is verified | ``/Latchkey/Ask/totp``, ``/Latchkey/Ask/code(over:sentTo:)`` or ``/Latchkey/Ask/passkey(request:)``; ``/Latchkey/Ask/choose(_:)`` between several |
/// | The person declines then | the half-way session is logged out at the service, which says `declined` |
/// | A mail address is not confirmed | ``/Latchkey/Ask/code(over:sentTo:)``; another mail is sent when asked for |
/// | A captcha is wanted | ``/Latchkey/Ask/captcha(siteKey:)``, then the password again, which is never written down |
/// | A link was sent | it may be opened, or its mail's code be typed, in any process of the store |
/// | A link of another device is opened | `refused(.other)` with ``SupabaseErrorCode/linkOfAnotherDevice``; nothing is sent |
/// | A link brings a session that nobody here asked for | `untrusted(.subject)` with ``SupabaseErrorCode/sessionNotAskedFor``; the session is ended |
/// | A refresh token was used before | the service answers with its successor, however late; not so once a service has moved the session to its newer kind of token |
///
/// A refresh ends the session only by a code of a closed list, and only if the service itself says so.
public struct SupabaseProvider: Sendable {
    /// What a passkey as a further factor is bound to (Web Authentication, section 5.4.2).
    public struct RelyingParty: Hashable, Sendable {
        /// The domain.
        public var id: String
        /// The origins that may use it.
        public var origins: [String]

        /// A relying party of its parts.
        public init(id: String, origins: [String]) {
            self.id = id
            self.origins = origins
        }
    }

    /// The name within the client.
    public var name: ProviderID
    /// Where the service is, without a slash at the end.
    public var authURL: String
    /// What names the project to the gateway; `nil` for a service without one. Not secret. Never sent as a bearer.
    public var publishableKey: String?
    /// Where browser and links return to when neither the call nor the presenter says so. The project must allow it,
    /// else the service silently uses its own site instead.
    public var redirect: String?
    /// Whether a code or link for an unknown address makes an account. Default `true`, as the service does.
    public var createsAccounts = true
    /// Whether a verified further factor is asked for as part of signing in. Default `true`.
    public var asksForFactors = true
    /// The site key that captcha challenges show.
    public var captchaSiteKey = ""
    /// For whom passkeys may be a further factor; `nil`: they are passed over.
    public var relyingParty: RelyingParty?
    /// What the project's access tokens name as their issuer, where that is not ``authURL``: with a domain of one's own,
    /// say. Only `AuthClient.adopt(_:for:)` looks at it.
    public var issuer: String?
    /// What the service's logs call this software.
    public var clientInfo = "latchkey-swift"

    /// A client of the service at `authURL`.
    public init(authURL: String, publishableKey: String?, named name: ProviderID = "supabase") {
        self.name = name
        self.authURL = authURL.hasSuffix("/") ? String(authURL.dropLast()) : authURL
        self.publishableKey = publishableKey
    }
}

extension SupabaseProvider: AuthProvider {
    /// Rotating refresh tokens of which the service takes one older than the newest, and answers with the newest.
    public var rules: ProviderRules {
        ProviderRules(
            binding: binding, methods: Self.methods, refresh: .sameSuccessor,
            capabilities: [.signUp, .recovery, .linking, .signOutOfOthers, .signOutEverywhere],
            revocation: .liveAccessToken, elevation: .fixed)
    }

    private static let methods: Set<SignInMethod.Kind> = [
        .password, .code, .link, .browser, .enterprise, .idToken, .ticket, .passkey, .wallet, .anonymous,
    ]

    /// A session belongs to the service; keys come and go.
    var binding: ProviderBinding { ProviderBinding(provider: name, authority: authURL, client: "supabase") }

    /// Starts signing in, making an account, getting back into one, or linking an identity.
    ///
    /// - Throws: `configuration(.unsupported)` for what this provider's rules do not name;
    ///   ``/Latchkey/TransportError``; ``/Latchkey/AuthError``.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        try checkConfiguration()
        let step = Conversation(provider: self, context: context, options: options)
        return try await worded { try await step.begin(request) }
    }

    /// Goes on with what the person, the browser or the app answers.
    public func answer(
        _ answer: Answer, to challenge: Challenge, in context: ProviderContext
    ) async throws -> Turn {
        let step = Conversation(provider: self, context: context, options: SignInOptions())
        return try await worded { try await step.answer(answer, to: challenge) }
    }
}
