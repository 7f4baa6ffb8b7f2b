import LatchkeyOAuthCore

/// Where a service does what, as data: for a service without discovery, or for what its document leaves out.
///
/// ```swift
/// extension OAuthEndpoints {
///     /// Acme, as its developer pages say.
///     static let acme = OAuthEndpoints(
///         authorization: "https://acme.example/oauth/authorize", token: "https://acme.example/oauth/token")
/// }
/// ```
public struct OAuthEndpoints: Hashable, Sendable {
    /// Where the browser goes.
    public var authorization: String?
    /// Where tokens come from.
    public var token: String?
    /// Where device codes come from.
    public var device: String?
    /// Where tokens are revoked.
    public var revocation: String?
    /// Where claims about the person are.
    public var userinfo: String?
    /// Where the keys are.
    public var keys: String?

    /// Endpoints; those left out come from discovery, or are not there.
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

    /// Every endpoint that is given, with what it is for.
    var given: [(name: String, address: String)] {
        [
            ("authorization", authorization), ("token", token), ("device", device), ("revocation", revocation),
            ("userinfo", userinfo), ("key", keys),
        ].compactMap { name, address in address.map { (name, $0) } }
    }

    /// `metadata`, with what is given here in place of what it says.
    func applied(to metadata: ServerMetadata) -> ServerMetadata {
        var metadata = metadata
        if let token { metadata.tokenEndpoint = token }
        metadata.authorizationEndpoint = authorization ?? metadata.authorizationEndpoint
        metadata.deviceEndpoint = device ?? metadata.deviceEndpoint
        metadata.revocationEndpoint = revocation ?? metadata.revocationEndpoint
        metadata.userinfoEndpoint = userinfo ?? metadata.userinfoEndpoint
        metadata.jwksURI = keys ?? metadata.jwksURI
        return metadata
    }
}
