public import Latchkey

/// What the browser is sent to ask
/// ([RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1); OpenID Connect Core, 3.1.2.1).
///
/// Always `response_type=code` with an `S256` challenge.
public struct AuthorizationRequest: Sendable {
    /// Which client asks.
    public var clientID: String
    /// Where the browser returns to.
    public var redirect: String
    /// What is asked for.
    public var scopes: [String]
    /// Comes back with the answer.
    public var state: Secret
    /// Comes back in the ID token.
    public var nonce: Secret?
    /// Binds the code to this client.
    public var pkce: ProofKey
    /// `login`, `consent`, `select_account` or `none`.
    public var prompt: String?
    /// How long ago the person may have proven who they are.
    public var maxAge: Duration?
    /// Who is expected to sign in.
    public var loginHint: String?
    /// Acceptable authentication context classes, the preferred one first.
    public var acr: [String] = []
    /// The person's languages, the preferred one first.
    public var locales: [String] = []
    /// What the tokens will be for (RFC 8707, section 2.1).
    public var resources: [String] = []
    /// Parameters of one service, such as Google's `access_type`. Those with a name used here are left out.
    public var extra: [(name: String, value: String)] = []

    /// A request of its required parts.
    public init(clientID: String, redirect: String, scopes: [String], state: Secret, nonce: Secret?, pkce: ProofKey) {
        self.clientID = clientID
        self.redirect = redirect
        self.scopes = scopes
        self.state = state
        self.nonce = nonce
        self.pkce = pkce
    }

    /// The prompt that is sent: asking for offline access without one is asking for consent (OpenID Connect Core,
    /// section 11), because services drop the scope silently otherwise.
    public var effectivePrompt: String? {
        prompt ?? (scopes.contains(OAuthWire.Scope.offlineAccess) ? "consent" : nil)
    }

    /// The address to visit.
    ///
    /// - Throws: `configuration(.invalid)` for an endpoint that is not https or loopback http, or has a fragment.
    public func url(at endpoint: String) throws(AuthError) -> String {
        guard let address = WebAddress(endpoint), address.isSecure, address.fragment == nil else {
            throw AuthError(
                .configuration(.invalid), "The authorization endpoint is neither https nor loopback http.")
        }
        let separator = address.query == nil ? "?" : address.query?.isEmpty == true ? "" : "&"
        return endpoint + separator + FormEncoding.encode(parameters)
    }

    /// The parameters, in the order they are sent.
    public var parameters: FormParameters {
        var form = FormParameters([
            (OAuthWire.responseType, OAuthWire.code), (OAuthWire.clientID, clientID),
            (OAuthWire.redirectURI, redirect),
        ])
        form.add(OAuthWire.scope, ifAny: scopes.joined(separator: " "))
        form.add(OAuthWire.state, state.revealText())
        form.add(OAuthWire.nonce, ifAny: nonce?.revealText())
        form.add(OAuthWire.codeChallenge, pkce.challenge)
        form.add(OAuthWire.codeChallengeMethod, ProofKey.method)
        form.add(OAuthWire.prompt, ifAny: effectivePrompt)
        form.add(OAuthWire.maxAge, ifAny: maxAge.map { String(max(0, $0.components.seconds)) })
        form.add(OAuthWire.loginHint, ifAny: loginHint)
        form.add(OAuthWire.acrValues, ifAny: acr.joined(separator: " "))
        form.add(OAuthWire.uiLocales, ifAny: locales.joined(separator: " "))
        for resource in resources { form.add(OAuthWire.resource, resource) }
        for (name, value) in extra where form[name] == nil { form.add(name, value) }
        return form
    }
}
