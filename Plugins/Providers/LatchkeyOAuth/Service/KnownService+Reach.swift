import Latchkey

/// How far revocations reach at services whose own pages say so.
///
/// Keycloak is not among them: since 26.0.8 a revocation ends the client's part of the session that the token names
/// (`sid`), which is the rule for every unknown service. Before that it ended all of the person's sessions at the client
/// (https://github.com/keycloak/keycloak/issues/35486), and no answer tells the two apart: set
/// ``OAuthProvider/revocationReach`` to `client` there.
extension KnownService {
    static func reach(of host: String) -> OAuthProvider.RevocationReach? {
        if clientHosts.contains(host) || clientSuffixes.contains(where: { host.hasSuffix($0) }) { return .client }
        let isPool =
            host.hasPrefix("cognito-idp.") && (host.hasSuffix(".amazonaws.com") || host.hasSuffix(".amazonaws.com.cn"))
        return isPool || grantSuffixes.contains(where: { host.hasSuffix($0) }) ? .grant : nil
    }

    /// Google revokes everything that the person has granted to the project
    /// (https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke, read 2026-11-26).
    private static let clientHosts: Set<String> = ["accounts.google.com"]

    /// Auth0 deletes the person's grant to the application unless the tenant is set otherwise
    /// (https://auth0.com/docs/secure/tokens/refresh-tokens/revoke-refresh-tokens).
    private static let clientSuffixes = [".auth0.com"]

    /// - Okta: a refresh token and its access tokens (https://developer.okta.com/docs/guides/revoke-tokens/main/).
    /// - Ory Network runs Hydra, where the second login of one browser lives on when the first is revoked.
    /// - Amazon Cognito, above: other refresh tokens of the person are not affected
    ///   (https://docs.aws.amazon.com/cognito/latest/developerguide/token-revocation.html).
    private static let grantSuffixes = [
        ".okta.com", ".oktapreview.com", ".okta-emea.com", ".projects.oryapis.com",
    ]
}
