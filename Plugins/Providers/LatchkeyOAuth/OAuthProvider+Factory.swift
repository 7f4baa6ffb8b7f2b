public import Latchkey
public import LatchkeyOAuthCore

extension AuthProvider where Self == OAuthProvider {
    /// Signs a person in at the service that `issuer` names.
    ///
    /// - Parameters:
    ///   - issuer: The issuer URL, exactly as the service writes it. https, or http to this machine.
    ///   - authentication: How the client authenticates. The default is a public client: a secret in
    ///     a distributed app is not secret.
    ///   - scopes: The scopes to ask for. The default is `openid profile email offline_access`,
    ///     without those that the service does not list.
    ///   - redirect: Needed only if no presenter receives redirects.
    ///   - resources: The resources that tokens can be requested for, in addition to the service's
    ///     default (RFC 8707).
    ///   - endpoints: Endpoints that the service's discovery document leaves out.
    ///   - refreshRule: What the service does with a refresh token that was used already. The default
    ///     is the safe choice.
    ///   - trustedAudiences: The audiences that an ID token may name in addition to this client.
    ///   - asksConsent: Whether `offline_access` comes with `prompt=consent`; `nil` if the service's own rule decides.
    ///   - parameters: Parameters that are specific to the service, such as `["audience": "https://api.example.com"]`
    ///     (``OAuthProvider/parameters``).
    public static func oauth(
        issuer: String, clientID: String, named name: ProviderID = "oauth",
        authentication: ClientAuthentication = .none, scopes: [String]? = nil, redirect: String? = nil,
        resources: [String] = [], endpoints: OAuthEndpoints = OAuthEndpoints(),
        refreshRule: ProviderRules.RefreshRule = .killsFamily, trustedAudiences: Set<String> = [],
        asksConsent: Bool? = nil, parameters: [String: String] = [:]
    ) -> OAuthProvider {
        var provider = OAuthProvider(issuer: issuer, clientID: clientID, named: name)
        provider.authentication = authentication
        provider.scopes = scopes
        provider.redirect = redirect
        provider.resources = resources
        provider.endpoints = endpoints
        provider.refreshRule = refreshRule
        provider.trustedAudiences = trustedAudiences
        provider.asksConsent = asksConsent
        provider.parameters = parameters
        return provider
    }

    /// Signs a person in at a service without discovery. There are no ID tokens.
    public static func oauth(
        _ endpoints: OAuthEndpoints, clientID: String, named name: ProviderID = "oauth",
        authentication: ClientAuthentication = .none, scopes: [String] = [], redirect: String? = nil,
        refreshRule: ProviderRules.RefreshRule = .killsFamily, parameters: [String: String] = [:]
    ) -> OAuthProvider {
        var provider = OAuthProvider(endpoints, clientID: clientID, named: name)
        provider.authentication = authentication
        provider.scopes = scopes
        provider.redirect = redirect
        provider.refreshRule = refreshRule
        provider.parameters = parameters
        return provider
    }

    /// Signs the program in with its own credentials (RFC 6749, section 4.4).
    public static func oauthService(
        issuer: String, clientID: String, authentication: ClientAuthentication, named name: ProviderID = "oauth",
        scopes: [String] = [], resources: [String] = [], parameters: [String: String] = [:]
    ) -> OAuthProvider {
        var provider = OAuthProvider(issuer: issuer, clientID: clientID, named: name)
        provider.flow = .service
        provider.authentication = authentication
        provider.scopes = scopes
        provider.resources = resources
        provider.parameters = parameters
        return provider
    }
}
