import Latchkey
import LatchkeyOAuthCore

/// What is known of a service, by its issuer. Only facts that its own pages or answers show; whatever differs at one
/// installation is set at the provider.
struct KnownService: Sendable {
    /// Whether `offline_access` brings a refresh token only with `prompt=consent` (OpenID Connect Core, section 11).
    var needsConsent = true
    /// Parameters of the authorization request without which there is no refresh token.
    var parameters: [String: String] = [:]
    /// How far a revocation reaches there.
    var revocationReach: OAuthProvider.RevocationReach?
    /// The issuers of the service's tenants, if `issuer` is shared by them.
    var issuerTemplate: IssuerTemplate?
    /// The issuers of the service's tenants, whichever issuer is configured.
    var tenantKeys: IssuerTemplate?

    /// Returns what is known of the service at `issuer`.
    static func at(_ issuer: String) -> KnownService {
        guard let address = WebAddress(issuer) else { return KnownService() }
        let host = address.host.lowercased()
        if entraHosts.contains(host) { return entra(address) }
        let isKnown = noConsentHosts.contains(host) || noConsentSuffixes.contains { host.hasSuffix($0) }
        var known = KnownService(needsConsent: !isKnown && !isKeycloak(address), revocationReach: reach(of: host))
        if host == google { known.parameters = ["access_type": "offline"] }
        return known
    }

    /// Google has no scope `offline_access`: `access_type=offline` is its parameter
    /// (https://developers.google.com/identity/protocols/oauth2/web-server).
    private static let google = "accounts.google.com"
    private static let noConsentHosts: Set<String> = [google]

    /// - Auth0 gives a refresh token for the scope alone, if the API allows it
    ///   (https://auth0.com/docs/secure/tokens/refresh-tokens/get-refresh-tokens).
    /// - Okta likewise, if the app has the grant (https://developer.okta.com/docs/guides/refresh-tokens/main/).
    /// - Entra External ID and Azure AD B2C, as Entra below.
    private static let noConsentSuffixes = [
        ".auth0.com", ".okta.com", ".oktapreview.com", ".okta-emea.com", ".ciamlogin.com", ".b2clogin.com",
    ]

    /// Keycloak asks for consent only where the client demands it, and gives offline tokens without
    /// (https://www.keycloak.org/docs/latest/server_admin/#_offline-access). Its issuers end in `/realms/NAME`.
    private static func isKeycloak(_ address: WebAddress) -> Bool {
        let parts = address.path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= 3 && parts[parts.count - 2] == "realms" && !(parts.last ?? "").isEmpty
    }
}

/// Microsoft Entra ID.
extension KnownService {
    /// The clouds (https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud).
    private static let entraHosts: Set<String> = [
        "login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn",
        "login.chinacloudapi.cn",
    ]

    /// The tenant of all personal accounts.
    private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// The documents of `common` and `organizations` name `{tenantid}` where each token has its tenant's id, and so do
    /// keys (https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-the-issuer). With
    /// `prompt=consent`, a person who may not consent cannot sign in, although an administrator has consented for all.
    private static func entra(_ address: WebAddress) -> KnownService {
        let text = "\(address.origin)/\(IssuerTemplate.place)/v2.0"
        var known = KnownService(needsConsent: false, tenantKeys: IssuerTemplate(text))
        switch address.path {
        case "/common/v2.0", "/organizations/v2.0": known.issuerTemplate = IssuerTemplate(text)
        case "/consumers/v2.0": known.issuerTemplate = IssuerTemplate(text, tenant: personal)
        default: break
        }
        return known
    }
}
