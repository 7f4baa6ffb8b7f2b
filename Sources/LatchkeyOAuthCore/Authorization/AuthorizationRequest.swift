public import Latchkey
import LatchkeyJSON

/// The request that the browser takes to the authorization endpoint
/// ([RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1); OpenID Connect Core, 3.1.2.1).
///
/// The request always has `response_type=code` and an `S256` challenge.
public struct AuthorizationRequest: Sendable {
    /// The client's id.
    public var clientID: String
    /// The address that the browser returns to.
    public var redirect: String
    /// The scopes to ask for.
    public var scopes: [String]
    /// A value that comes back with the answer.
    public var state: Secret
    /// A value that comes back in the ID token.
    public var nonce: Secret?
    /// The proof key that binds the code to this client.
    public var pkce: ProofKey
    /// `login`, `consent`, `select_account` or `none`.
    public var prompt: String?
    /// Whether offline access without a prompt asks for consent.
    public var asksConsent = true
    /// How long ago the person may have authenticated at most.
    public var maxAge: Duration?
    /// The person who is expected to sign in.
    public var loginHint: String?
    /// Acceptable authentication context classes, in order of preference.
    public var acr: [String] = []
    /// Whether ``acr`` is demanded as an essential claim of the ID token, and not only wished for by `acr_values`. For
    /// services that take the `claims` parameter. A request with both is not defined (OpenID Connect Core, 5.5.1.1), so
    /// `claims` takes the place of `acr_values`, unless ``extra`` has a `claims` of its own.
    public var demandsACR = false
    /// The person's languages, in order of preference.
    public var locales: [String] = []
    /// The resources that tokens can be requested for (RFC 8707, section 2.1).
    public var resources: [String] = []
    /// Parameters that are specific to a service, such as Google's `access_type`. A parameter whose name is in the request
    /// already is left out.
    public var extra: [(name: String, value: String)] = []

    /// Creates a request from its required parts.
    public init(clientID: String, redirect: String, scopes: [String], state: Secret, nonce: Secret?, pkce: ProofKey) {
        self.clientID = clientID
        self.redirect = redirect
        self.scopes = scopes
        self.state = state
        self.nonce = nonce
        self.pkce = pkce
    }

    /// The prompt that is sent. Offline access without a prompt asks for consent (OpenID Connect
    /// Core, section 11), because services otherwise drop the scope silently, unless ``asksConsent`` is `false`.
    public var effectivePrompt: String? {
        prompt ?? (asksConsent && scopes.contains(OAuthWire.Scope.offlineAccess) ? "consent" : nil)
    }

    /// Returns the address to visit.
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

    /// The value of `claims` that demands ``acr``; `nil` if nothing demands it so.
    private var essentialClaims: String? {
        guard demandsACR, !acr.isEmpty, nonce != nil, !extra.contains(where: { $0.name == OAuthWire.claims }) else {
            return nil
        }
        let demanded: JSON = ["essential": true, "values": .array(acr.map(JSON.string))]
        return String(decoding: JSON.object([OAuthWire.idToken: ["acr": demanded]]).serialized(), as: UTF8.self)
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
        let essential = essentialClaims
        form.add(OAuthWire.acrValues, ifAny: essential == nil ? acr.joined(separator: " ") : nil)
        form.add(OAuthWire.claims, ifAny: essential)
        form.add(OAuthWire.uiLocales, ifAny: locales.joined(separator: " "))
        for resource in resources { form.add(OAuthWire.resource, resource) }
        form.addFurther(extra)
        return form
    }
}
