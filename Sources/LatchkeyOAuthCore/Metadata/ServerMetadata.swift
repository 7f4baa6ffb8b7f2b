public import Latchkey
import LatchkeyJSON

/// A service's metadata: the members that this module uses
/// ([RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414#section-2); OpenID Connect Discovery, section 3).
///
/// The service's list of signature algorithms is left out on purpose: the algorithms of ID tokens are configured.
public struct ServerMetadata: Hashable, Sendable {
    /// The issuer, the same string that the document's address was built from.
    public var issuer: String
    /// The authorization endpoint, which the browser visits.
    public var authorizationEndpoint: String?
    /// The token endpoint.
    public var tokenEndpoint: String
    /// The address of the service's keys.
    public var jwksURI: String?
    /// The userinfo endpoint.
    public var userinfoEndpoint: String?
    /// The device authorization endpoint. `nil` does not mean that the service has none.
    public var deviceEndpoint: String?
    /// The revocation endpoint.
    public var revocationEndpoint: String?
    /// How clients may authenticate at the revocation endpoint; `nil` if the service does not say.
    public var revocationMethods: [String]?
    /// How clients may authenticate at the token endpoint; `nil` if the service does not say.
    public var tokenMethods: [String]?
    /// The endpoint at which the browser signs out.
    public var endSessionEndpoint: String?
    /// Whether redirects always carry `iss`.
    public var namesIssuer = false
    /// Whether authorization requests must be pushed.
    public var requiresPushedRequests = false
    /// The challenge methods that the service lists; `nil` if it does not say.
    public var challengeMethods: [String]?
    /// The scopes that the service lists; `nil` if it does not say.
    public var scopes: [String]?

    /// Creates the metadata that is known without a document.
    public init(issuer: String, tokenEndpoint: String) {
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
    }

    /// Reads a document that was fetched for `issuer`.
    ///
    /// - Throws: `untrusted(.issuer)` if the document names another issuer, compared byte by byte;
    ///   `configuration(.invalid)` if the two differ only by a slash at the end, by `localhost` for
    ///   `127.0.0.1`, or in spelling; `untrusted(.malformed)` naming the member that is missing, or
    ///   that is neither https nor, with a loopback issuer, loopback http; `serviceTrouble` if the
    ///   document is not JSON.
    public static func read(_ body: [UInt8], issuer: String) throws(AuthError) -> ServerMetadata {
        let named: String
        do throws(JSONError) {
            let document = JSONField(try JSON.parse(body))
            named = try document[OAuthWire.issuer].string()
            let metadata = try ServerMetadata(document, issuer: issuer)
            if named.hasSameBytes(as: issuer) { return metadata }
        } catch {
            throw error.authError(in: "discovery document")
        }
        throw IssuerMismatch(configured: issuer, named: named).error
    }

    private init(_ document: JSONField, issuer: String) throws(JSONError) {
        let allowsHTTP = WebAddress(issuer)?.scheme == "http"
        func endpoint(_ name: String) throws(JSONError) -> String? {
            guard let field = document[name].optional else { return nil }
            let text = try field.string()
            guard let address = WebAddress(text), address.isSecure, allowsHTTP || address.scheme == "https",
                address.fragment == nil
            else { throw JSONError(.wrongType, at: field.path) }
            return text
        }
        guard let tokenEndpoint = try endpoint(OAuthWire.tokenEndpoint) else {
            throw JSONError(.missing, at: document[OAuthWire.tokenEndpoint].path)
        }
        self.init(issuer: issuer, tokenEndpoint: tokenEndpoint)
        authorizationEndpoint = try endpoint(OAuthWire.authorizationEndpoint)
        jwksURI = try endpoint(OAuthWire.jwksURI)
        userinfoEndpoint = try endpoint(OAuthWire.userinfoEndpoint)
        deviceEndpoint = try endpoint(OAuthWire.deviceEndpoint)
        revocationEndpoint = try endpoint(OAuthWire.revocationEndpoint)
        revocationMethods = document[OAuthWire.revocationMethods].value?.array?.compactMap(\.string)
        tokenMethods = document[OAuthWire.tokenEndpointAuthMethods].value?.array?.compactMap(\.string)
        endSessionEndpoint = try endpoint(OAuthWire.endSessionEndpoint)
        namesIssuer = document[OAuthWire.issParameterSupported].value?.bool ?? false
        requiresPushedRequests = document[OAuthWire.requirePushed].value?.bool ?? false
        challengeMethods = document[OAuthWire.codeChallengeMethods].value?.array?.compactMap(\.string)
        scopes = document[OAuthWire.scopesSupported].value?.array?.compactMap(\.string)
    }
}
