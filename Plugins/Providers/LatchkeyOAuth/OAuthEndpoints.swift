package import LatchkeyOAuthCore

/// A service's endpoints, for a service without discovery or for what its discovery document leaves out.
///
/// ```swift
/// extension OAuthEndpoints {
///     /// Acme's endpoints, from its developer pages.
///     static let acme = OAuthEndpoints(
///         authorization: "https://acme.example/oauth/authorize", token: "https://acme.example/oauth/token")
/// }
/// ```
public struct OAuthEndpoints: Hashable, Sendable {
    /// The authorization endpoint, which the browser visits.
    public var authorization: String?
    /// The token endpoint.
    public var token: String?
    /// The device authorization endpoint (RFC 8628).
    public var device: String?
    /// The revocation endpoint (RFC 7009).
    public var revocation: String?
    /// The userinfo endpoint.
    public var userinfo: String?
    /// The address of the service's keys (`jwks_uri`).
    public var keys: String?

    /// Creates a list of endpoints. Those left out come from discovery; without discovery, the
    /// service does not have them.
    public init(
        authorization: String? = nil, token: String? = nil, device: String? = nil, revocation: String? = nil,
        userinfo: String? = nil, keys: String? = nil
    ) {
        self.authorization = authorization
        self.token = token
        self.device = device
        self.revocation = revocation
        self.userinfo = userinfo
        self.keys = keys
    }

    /// The endpoints that are given, each with the name that errors use.
    var given: [(name: String, address: String)] {
        [
            ("authorization", authorization), ("token", token), ("device", device), ("revocation", revocation),
            ("userinfo", userinfo), ("key", keys),
        ].compactMap { name, address in address.map { (name, $0) } }
    }

    /// Returns `metadata` with the endpoints given here in place of its own.
    package func applied(to metadata: ServerMetadata) -> ServerMetadata {
        var metadata = metadata
        if let token { metadata.tokenEndpoint = token }
        // What is given here is not the document's any more.
        if authorization != nil { metadata.unusableMembers.remove(OAuthWire.authorizationEndpoint) }
        if device != nil { metadata.unusableMembers.remove(OAuthWire.deviceEndpoint) }
        if revocation != nil { metadata.unusableMembers.remove(OAuthWire.revocationEndpoint) }
        if userinfo != nil { metadata.unusableMembers.remove(OAuthWire.userinfoEndpoint) }
        if keys != nil { metadata.unusableMembers.remove(OAuthWire.jwksURI) }
        metadata.authorizationEndpoint = authorization ?? metadata.authorizationEndpoint
        metadata.deviceEndpoint = device ?? metadata.deviceEndpoint
        metadata.revocationEndpoint = revocation ?? metadata.revocationEndpoint
        metadata.userinfoEndpoint = userinfo ?? metadata.userinfoEndpoint
        metadata.jwksURI = keys ?? metadata.jwksURI
        return metadata
    }
}
