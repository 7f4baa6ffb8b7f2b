extension DevServer {
    /// A place that answers, by the name faults and the log use for it.
    public enum Endpoint: String, Hashable, Sendable, CaseIterable {
        /// `/.well-known/openid-configuration` and `/.well-known/oauth-authorization-server`.
        case discovery
        /// `/jwks`.
        case keys = "jwks"
        /// `/authorize`.
        case authorize
        /// `/authorize/decision`, where the consent page goes.
        case decision
        /// `/token`.
        case token
        /// `/device_authorization`.
        case deviceAuthorization = "device_authorization"
        /// `/device`, the page where people enter user codes.
        case device
        /// `/revoke`.
        case revocation
        /// `/userinfo`.
        case userinfo
        /// `/resource`, something to protect.
        case resource
        /// `/`, what this server is.
        case home
    }
}

extension DevServer.Endpoint {
    /// Where it is.
    var path: String {
        switch self {
        case .discovery: "/.well-known/openid-configuration"
        case .keys: "/jwks"
        case .authorize: "/authorize"
        case .decision: "/authorize/decision"
        case .token: "/token"
        case .deviceAuthorization: "/device_authorization"
        case .device: "/device"
        case .revocation: "/revoke"
        case .userinfo: "/userinfo"
        case .resource: "/resource"
        case .home: "/"
        }
    }

    /// What it may be asked with.
    var methods: [String] {
        switch self {
        case .discovery, .keys, .resource, .home: ["GET"]
        case .authorize, .device, .userinfo: ["GET", "POST"]
        case .decision, .token, .deviceAuthorization, .revocation: ["POST"]
        }
    }

    /// The endpoint at `path`. The issuer has no path, so both metadata documents stand at the root (RFC 8414
    /// section 3.1).
    init?(path: String) {
        let found = Self.allCases.first { $0.path == path }
        guard let found = path == "/.well-known/oauth-authorization-server" ? .discovery : found else { return nil }
        self = found
    }
}
