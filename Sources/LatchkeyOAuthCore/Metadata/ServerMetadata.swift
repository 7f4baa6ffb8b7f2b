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
    /// Whether the service takes the `claims` parameter, by which a claim can be demanded (OpenID Connect Core, section 5.5).
    public var takesClaims = false
    /// Whether authorization requests must be pushed.
    public var requiresPushedRequests = false
    /// The challenge methods that the service lists; `nil` if it does not say.
    public var challengeMethods: [String]?
    /// The scopes that the service lists; `nil` if it does not say.
    public var scopes: [String]?

    /// Whether the document has a member that only OpenID Connect has, or lists the scope `openid`.
    public var namesOpenID = false
    /// Whether the document is at the address of RFC 8414 alone, and not at the one of OpenID Connect.
    public var isPlainOAuth = false

    /// The members of the document that should hold an endpoint, and hold something else: no text, an address without
    /// https, a path alone. Each counts as absent, and stops only what needs it (``problem(with:)``).
    public var unusableMembers: Set<String> = []

    /// Creates the metadata that is known without a document.
    public init(issuer: String, tokenEndpoint: String) {
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
    }

    /// Reads a document that was fetched for `issuer`.
    ///
    /// - Parameters:
    ///   - body: The document.
    ///   - issuer: The issuer that it was fetched for.
    ///   - template: The issuers of the service's tenants, if `issuer` is one that its tenants share: the document names
    ///     the template instead.
    ///   - needsTokenEndpoint: `false` if the token endpoint is known from elsewhere.
    /// - Throws: `untrusted(.issuer)` if the document names another issuer, compared byte by byte;
    ///   `configuration(.invalid)` if the two differ only by a slash at the end, by `localhost` for
    ///   `127.0.0.1`, or in spelling; `untrusted(.malformed)` if the issuer or the token
    ///   endpoint is missing, or the token endpoint is neither https nor, with a loopback issuer, loopback http;
    ///   `serviceTrouble` if the document is not JSON.
    public static func read(
        _ body: [UInt8], issuer: String, template: IssuerTemplate? = nil, needsTokenEndpoint: Bool = true
    ) throws(AuthError) -> ServerMetadata {
        let named: String
        let metadata: ServerMetadata
        do throws(JSONError) {
            let document = JSONField(try JSON.parse(body))
            named = try document[OAuthWire.issuer].string()
            metadata = ServerMetadata(document, issuer: issuer)
        } catch {
            throw error.authError(in: "discovery document")
        }
        if needsTokenEndpoint, metadata.tokenEndpoint.isEmpty {
            throw metadata.problem(with: OAuthWire.tokenEndpoint) ?? metadata.missingTokenEndpoint
        }
        if named.hasSameBytes(as: issuer) || template?.accepts(documentOf: named) ?? false { return metadata }
        throw IssuerMismatch(configured: issuer, named: named).error
    }

    private init(_ document: JSONField, issuer: String) {
        let allowsHTTP = WebAddress(issuer)?.scheme == "http"
        var unusable: Set<String> = []
        func endpoint(_ name: String) -> String? {
            guard let value = document[name].value, value != .null else { return nil }
            guard let text = value.string, let address = WebAddress(text), address.isSecure,
                allowsHTTP || address.scheme == "https", address.fragment == nil
            else {
                unusable.insert(name)
                return nil
            }
            return text
        }
        func list(_ name: String) -> [String]? { document[name].value?.array?.compactMap(\.string) }
        self.init(issuer: issuer, tokenEndpoint: endpoint(OAuthWire.tokenEndpoint) ?? "")
        authorizationEndpoint = endpoint(OAuthWire.authorizationEndpoint)
        jwksURI = endpoint(OAuthWire.jwksURI)
        userinfoEndpoint = endpoint(OAuthWire.userinfoEndpoint)
        deviceEndpoint = endpoint(OAuthWire.deviceEndpoint)
        revocationEndpoint = endpoint(OAuthWire.revocationEndpoint)
        revocationMethods = list(OAuthWire.revocationMethods)
        tokenMethods = list(OAuthWire.tokenEndpointAuthMethods)
        endSessionEndpoint = endpoint(OAuthWire.endSessionEndpoint)
        namesIssuer = document[OAuthWire.issParameterSupported].value?.bool ?? false
        takesClaims = document[OAuthWire.claimsParameterSupported].value?.bool ?? false
        requiresPushedRequests = document[OAuthWire.requirePushed].value?.bool ?? false
        challengeMethods = list(OAuthWire.codeChallengeMethods)
        scopes = list(OAuthWire.scopesSupported)
        namesOpenID =
            document[OAuthWire.idTokenAlgorithms].isPresent || document[OAuthWire.subjectTypesSupported].isPresent
            || scopes?.contains(OAuthWire.Scope.openid) ?? false
            || list(OAuthWire.responseTypesSupported)?.contains { $0.contains(OAuthWire.idToken) } ?? false
        unusableMembers = unusable
    }
}

extension ServerMetadata {
    /// Whether a sign-in may expect an ID token: there are keys to check it with, and nothing says that the service
    /// speaks OAuth alone.
    ///
    /// | The document | An ID token is expected |
    /// | --- | --- |
    /// | has no `jwks_uri` | no |
    /// | has a member of OpenID Connect, or lists `openid` | yes |
    /// | lists scopes, and `openid` is not among them | no |
    /// | is at the address of RFC 8414 alone | no |
    /// | says nothing about it | yes |
    public var expectsIDToken: Bool {
        guard jwksURI != nil || unusableMembers.contains(OAuthWire.jwksURI) else { return false }
        return namesOpenID || (scopes == nil && !isPlainOAuth)
    }

    /// Returns the error for an endpoint that is needed and that the document spoils; `nil` if the document does not
    /// have the member, or has it in order.
    ///
    /// - Parameter member: The name in the document, such as `device_authorization_endpoint`.
    public func problem(with member: String) -> AuthError? {
        guard unusableMembers.contains(member) else { return nil }
        let allowed = WebAddress(issuer)?.scheme == "http" ? "neither https nor loopback http" : "no https address"
        return AuthError(.untrusted(.malformed), "`\(member)` of the discovery document is \(allowed).")
    }

    private var missingTokenEndpoint: AuthError {
        JSONError(.missing, at: "$.\(OAuthWire.tokenEndpoint)").authError(in: "discovery document")
    }
}
