public import Latchkey
import LatchkeyCrypto
public import LatchkeyOAuthCore

/// A provider for any service that speaks OAuth 2 or OpenID Connect.
///
/// A person signs in with a browser (authorization code with PKCE, RFC 6749 and 7636; RFC 9700) or
/// with another device (RFC 8628). A program signs in with its own credentials (RFC 6749, section
/// 4.4). Refresh tokens are rotated. ID tokens are checked (OpenID Connect Core, section 3.1.3.7),
/// including those that come with a refresh.
///
/// | Situation | What happens |
/// | --- | --- |
/// | `offline_access` is among the scopes and no prompt is set | the person is asked for consent, because services otherwise drop the scope silently; not at a service that is known to need none, and as ``asksConsent`` says |
/// | The issuer is one that the tenants of Microsoft Entra share (`common`, `organizations`, `consumers`) | the ID token's issuer must be that of its own tenant, and the account belongs to that tenant |
/// | Scopes are not configured | `openid profile email offline_access`, without those that the service's document does not list; at a service that has no ID tokens, `offline_access` if it lists that, else none |
/// | `openid` is asked for, and there is no ID token in the answer | the sign-in names no person, unless it is a step-up or has a `maxAge` |
/// | A sign-in without an ID token names no person | it takes the place of an earlier one that named none, which is signed out and revoked; so does a later sign-in that names somebody (``keepsUnnamedApart``) |
/// | An ID token is to be checked | the keys are fetched then, and not before, since the service may replace them until then; once more if none of them fits or has signed it |
/// | The keys cannot be fetched after a refresh, or none of them has signed the ID token | the new tokens are kept and the ID token is passed over: they came over TLS from the token endpoint itself (section 3.1.3.7, step 6). The observer is told |
/// | The times of a refresh's ID token do not fit the service's clock | the same |
/// | An answer has no `Date` | the service's clock is the `iat` of the ID token in it |
/// | A refresh brings an ID token of another issuer, person or client | `untrusted`; the answer is dropped, but for its refresh token |
/// | A sign-in replaces a session | the service is told of the older one only if that ends nothing else: see ``RevocationReach`` |
/// | The answer to a sign-in is refused | the tokens that came with it are revoked: ``/Latchkey/AuthError/refusedTokens`` |
///
/// A service's answer to a refresh ends the session only if its code is in ``definiteRefusals``.
public struct OAuthProvider: Sendable {
    /// Who signs in.
    public enum Flow: Hashable, Sendable {
        /// A person, with a browser or another device.
        case person
        /// The program itself. It requests a new token instead of refreshing the old one.
        case service
    }

    /// The provider's name within the client.
    public var name: ProviderID
    /// The issuer URL, exactly as the service writes it; `nil` for a service without discovery.
    public var issuer: String?
    /// Endpoints to use instead of those that discovery gives, or in addition to them.
    public var endpoints = OAuthEndpoints()
    /// The client's id at the service.
    public var clientID: String
    /// How the client authenticates at the service.
    public var authentication = ClientAuthentication.none
    /// Who signs in.
    public var flow = Flow.person
    /// The scopes to ask for unless the call names others; `nil` for the defaults of the flow.
    public var scopes: [String]?
    /// The scopes to ask for in addition to the defaults of the flow, where ``scopes`` is `nil` and the call names none.
    public var additionalScopes: [String] = []
    /// The redirect address to use if no presenter receives redirects: an https address of the app,
    /// a private-use scheme with a dot, or a loopback address whose redirect the person pastes.
    public var redirect: String?
    /// The resources that tokens can be requested for, in addition to the service's default (RFC
    /// 8707). The authorization request names them; the token endpoint is never asked for any other.
    public var resources: [String] = []
    /// Parameters that are specific to this service, such as Google's `access_type` or Auth0's `audience`, by their names.
    /// They are part of each request for authorization, a device code or tokens. Those that OpenID Connect has for the
    /// authorization request alone, such as `prompt`, are part of that one only. A parameter that the protocol sets itself,
    /// such as `scope` or `state`, is refused by ``checkConfiguration()``.
    public var parameters: [String: String] = [:]
    /// What a refresh does to the refresh token, and what the service does with one that was used
    /// already. Ignored for ``Flow/service``.
    public var refreshRule = ProviderRules.RefreshRule.killsFamily
    /// For how long after a refresh the service repeats its answer to the used refresh token, where that is known: the
    /// `reuseInterval` of Dex, the grace period of Ory Hydra, Okta and Auth0. After a lost answer the token is sent again
    /// within half of it. `nil` if it is not known, or the service does not.
    public var reuseInterval: Duration?
    /// The codes that end a session. No other code does.
    public var definiteRefusals = TokenAnswer.definiteRefusals
    /// The members that may hold the code of this service's errors; the first one that is a string
    /// counts. Some services put a number into `code` and the code into `error_code`.
    public var errorMembers = TokenAnswer.errorMembers
    /// Audiences that an ID token may name in addition to this client. One that names any other is refused, and the
    /// error names it.
    public var trustedAudiences: Set<String> = []
    /// How far a revocation reaches at the service. `nil`: as is known of the service; at any other,
    /// ``RevocationReach/serviceSession``.
    public var revocationReach: RevocationReach?
    /// Whether a sign-in with `offline_access` sends `prompt=consent` if no prompt is set. `nil`: it does, unless the
    /// service is known to need none.
    public var asksConsent: Bool?
    /// Whether each sign-in that names no person, because it is without `openid`, is an account of its own, with a random
    /// id. By default there is one such account, and a sign-in takes the place of the one before.
    public var keepsUnnamedApart = false
    /// Whether a sign-in asks the userinfo endpoint for the person's claims if the ID token has no name to show.
    /// ``OAuthHandle/refreshClaims()`` asks in any case.
    public var asksUserInfo = true

    /// Whether the client has a secret that is not at hand. Then nothing is sent that would need it; what is owed stays
    /// owed.
    package var lacksSecret = false

    /// Creates a client of the service that `issuer` names. Everything else is discovered.
    public init(issuer: String, clientID: String, named name: ProviderID = "oauth") {
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
    }

    /// Creates a client of a service without discovery. There are no ID tokens, because no issuer
    /// is known to check them against.
    public init(_ endpoints: OAuthEndpoints, clientID: String, named name: ProviderID = "oauth") {
        self.name = name
        self.endpoints = endpoints
        self.clientID = clientID
    }
}

extension OAuthProvider: AuthProvider {
    /// The provider's rules: rotating refresh tokens for a person, and the fixed rule for a
    /// program, whose own credentials do not change.
    public var rules: ProviderRules {
        switch flow {
        case .person:
            ProviderRules(
                binding: binding, methods: [.browser, .device, .refreshToken, .ticket], refresh: refreshRule,
                capabilities: resources.isEmpty ? [.stepUp] : [.stepUp, .audiences], elevation: .fixed,
                revocationEndsEveryGrant: reach == .client, reuseInterval: reuseInterval)
        case .service:
            ProviderRules(
                binding: binding, methods: [.clientCredentials], refresh: .fixed,
                capabilities: resources.isEmpty ? [] : [.audiences])
        }
    }

    /// The issuers of a service's tenants, if `issuer` is one that they share.
    package static func issuerTemplate(of issuer: String) -> IssuerTemplate? { KnownService.at(issuer).issuerTemplate }

    /// The service's own parameters of the authorization request, in a fixed order. Those that the app sets replace what
    /// is known of the service.
    var authorizationParameters: [(name: String, value: String)] {
        Self.ordered(known.parameters.merging(parameters) { $1 })
    }

    /// The service's own parameters of a request for a device code or tokens, in a fixed order.
    var tokenParameters: [(name: String, value: String)] {
        Self.ordered(parameters.filter { !OAuthWire.authorizationParameters.contains($0.key) })
    }

    private static func ordered(_ parameters: [String: String]) -> [(name: String, value: String)] {
        parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether the service at `issuer` is known to give a refresh token only in answer to a person's consent.
    package static func refreshesAfterConsent(at issuer: String) -> Bool { !KnownService.at(issuer).parameters.isEmpty }

    /// What is known of the service.
    var known: KnownService { issuer.map(KnownService.at) ?? KnownService() }

    var binding: ProviderBinding {
        let authority = issuer ?? endpoints.token.flatMap { WebAddress($0)?.origin } ?? ""
        return ProviderBinding(provider: name, authority: authority, client: clientID)
    }

    /// Starts a visit in a browser or a device sign-in, requests the program's own token, or takes over a refresh token of
    /// this client that another program had: it is refreshed at once. Earlier, it was passed as a ticket, which is taken
    /// still.
    ///
    /// - Throws: `configuration(.unsupported)` for any other request; ``/Latchkey/TransportError``;
    ///   ``/Latchkey/AuthError``.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        if let missing = CryptoLibrary.missing { throw missing }
        try checkConfiguration()
        let step = Conversation(provider: self, context: context)
        switch (flow, request) {
        case (.person, .signIn(.browser(connection: nil))):
            return try await step.visit(options)
        case (.person, .signIn(.device)):
            return try await step.device(options)
        case (.person, .signIn(.refreshToken(let token))), (.person, .signIn(.ticket(let token))):
            return try await step.takeOver(token, options)
        case (.service, .signIn(.clientCredentials)):
            return try await step.client(options)
        case (.person, .stepUp(let stepUp, _)):
            return try await step.visit(options, raising: stepUp)
        default:
            throw AuthError(.configuration(.unsupported), "This OAuth client cannot sign in that way.", provider: name)
        }
    }

    /// Continues a sign-in with a redirect or a poll.
    public func answer(
        _ answer: Answer, to challenge: Challenge, in context: ProviderContext
    ) async throws -> Turn {
        if let missing = CryptoLibrary.missing { throw missing }
        let step = Conversation(provider: self, context: context)
        switch (answer, challenge.ask) {
        case (.declined, _):
            throw AuthError(.declined, "The person declined.", provider: name)
        case (.redirected(let address), .visit):
            return try await step.arrived(at: address, challenge)
        case (.poll, .device(let device)):
            return try await step.polled(challenge, device)
        default:
            throw AuthError(.configuration(.unsupported), "The challenge wants another kind of answer.", provider: name)
        }
    }
}
