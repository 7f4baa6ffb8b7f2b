public import Latchkey
public import LatchkeyOAuthCore

/// Any service that speaks OAuth 2 or OpenID Connect.
///
/// A person signs in with a browser (authorization code with PKCE, RFC 6749 and 7636; RFC 9700) or with another
/// device (RFC 8628); a program with its own credentials (RFC 6749, section 4.4). Refresh tokens are rotated, ID
/// tokens are checked (OpenID Connect Core, section 3.1.3.7), also those that come with a refresh.
///
/// | Situation | What happens |
/// | --- | --- |
/// | `offline_access` is among the scopes and no prompt is set | the person is asked for consent, because services drop the scope silently otherwise |
/// | Scopes are not configured | `openid profile email offline_access`, less what the service's document does not list |
/// | The keys cannot be fetched before a refresh | nothing is sent: ``/Latchkey/NotSent`` |
/// | The keys cannot be fetched, or lack the one that is named, after a refresh | the new tokens are kept and the ID token is passed over: they came over TLS from the token endpoint itself (section 3.1.3.7, step 6) |
/// | A refresh brings an ID token whose times do not fit this device's clock | the same |
/// | A refresh brings an ID token that is forged or speaks of another person | `untrusted`; the answer is dropped |
///
/// A service's answer to a refresh ends the session only with a code of ``definiteRefusals``.
public struct OAuthProvider: Sendable {
    /// Who signs in.
    public enum Flow: Hashable, Sendable {
        /// A person, with a browser or another device.
        case person
        /// The program itself. Its tokens are not refreshed but asked for again.
        case service
    }

    /// The name within the client.
    public var name: ProviderID
    /// Who issues the tokens, written exactly as the service writes it; `nil` for a service without discovery.
    public var issuer: String?
    /// Endpoints that discovery does not give. Those given here are used before discovered ones.
    public var endpoints = OAuthEndpoints()
    /// The client's id at the service.
    public var clientID: String
    /// How the client says who it is.
    public var authentication = ClientAuthentication.none
    /// Who signs in.
    public var flow = Flow.person
    /// What is asked for unless the call says otherwise; `nil`: the defaults of the flow.
    public var scopes: [String]?
    /// Where the browser returns to when no presenter receives redirects: an https address of the app, a private-use
    /// scheme with a dot, or a loopback address whose redirect is pasted.
    public var redirect: String?
    /// What tokens may be wanted for besides the service's default (RFC 8707). Named in the authorization request,
    /// and nothing else is ever asked of the token endpoint.
    public var resources: [String] = []
    /// Parameters of the authorization request that only this service knows, such as Google's `access_type`.
    public var extraParameters: [String: String] = [:]
    /// What refreshing does to the refresh token, and what the service does with one that was used already. Ignored
    /// for ``Flow/service``.
    public var refreshRule = ProviderRules.RefreshRule.killsFamily
    /// The service's closed list of codes that end a session.
    public var definiteRefusals = TokenAnswer.definiteRefusals
    /// Where this service's errors hold their code: the first of these members that is a text counts. `error_code` is
    /// such a member at services that put a number into `code`.
    public var errorMembers = TokenAnswer.errorMembers
    /// Audiences that an ID token may name beside this client.
    public var trustedAudiences: Set<String> = []
    /// Whether the userinfo endpoint is asked for a name to show where the ID token has none.
    public var asksUserInfo = true

    /// A client of the service that `issuer` names; everything else is discovered.
    public init(issuer: String, clientID: String, named name: ProviderID = "oauth") {
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
    }

    /// A client of a service without discovery. No ID tokens: nobody says who issues them.
    public init(_ endpoints: OAuthEndpoints, clientID: String, named name: ProviderID = "oauth") {
        self.name = name
        self.endpoints = endpoints
        self.clientID = clientID
    }
}

extension OAuthProvider: AuthProvider {
    /// Rotating refresh tokens for persons; for a program a fixed rule, since its own credentials do not change.
    public var rules: ProviderRules {
        switch flow {
        case .person:
            ProviderRules(
                binding: binding, methods: [.browser, .device], refresh: refreshRule,
                capabilities: resources.isEmpty ? [.stepUp] : [.stepUp, .audiences], elevation: .fixed)
        case .service:
            ProviderRules(
                binding: binding, methods: [.clientCredentials], refresh: .fixed,
                capabilities: resources.isEmpty ? [] : [.audiences])
        }
    }

    var binding: ProviderBinding {
        let authority = issuer ?? endpoints.token.flatMap { WebAddress($0)?.origin } ?? ""
        return ProviderBinding(provider: name, authority: authority, client: clientID)
    }

    /// Starts a visit in a browser, a device code, or asks for the program's own token.
    ///
    /// - Throws: `configuration(.unsupported)` for anything else; ``/Latchkey/TransportError``;
    ///   ``/Latchkey/AuthError``.
    public func begin(
        _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
    ) async throws -> Turn {
        try checkConfiguration()
        let step = Conversation(provider: self, context: context)
        switch (flow, request) {
        case (.person, .signIn(.browser(connection: nil))):
            return try await step.visit(options)
        case (.person, .signIn(.device)):
            return try await step.device(options)
        case (.service, .signIn(.clientCredentials)):
            return try await step.client(options)
        case (.person, .stepUp(let stepUp, _)):
            return try await step.visit(options, raising: stepUp)
        default:
            throw AuthError(.configuration(.unsupported), "This OAuth client cannot sign in that way.", provider: name)
        }
    }

    /// Goes on with a redirect or a poll.
    public func answer(
        _ answer: Answer, to challenge: Challenge, in context: ProviderContext
    ) async throws -> Turn {
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
