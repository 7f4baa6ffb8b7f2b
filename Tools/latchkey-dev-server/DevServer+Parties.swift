public import LatchkeyJSON

extension DevServer {
    /// An account. It is for tests only: the home page shows the password.
    public struct User: Hashable, Sendable {
        /// The name that the person types and `login_hint` has.
        public var name: String
        /// The password. It is not secret, and may be printed.
        public var password: String
        /// The subject in tokens, unique and permanent.
        public var subject: String
        /// The name for display. The words before the last are the given name, the last one is the family name.
        public var displayName: String
        /// Further claims, which the scope `profile` opens at the userinfo endpoint. ID tokens do not have them.
        public var claims: [String: JSON] = [:]

        /// The email address, always verified, at a domain that cannot exist (RFC 2606).
        public var email: String { "\(name)@example.test" }

        /// Creates an account.
        public init(name: String, password: String, subject: String? = nil, displayName: String? = nil) {
            self.name = name
            self.password = password
            self.subject = subject ?? "user-\(name)"
            self.displayName = displayName ?? name
        }

        /// The two default accounts, `ada` and `grace`.
        public static let scratch = [
            User(name: "ada", password: "ada-password", displayName: "Ada Lovelace"),
            User(name: "grace", password: "grace-password", displayName: "Grace Hopper"),
        ]
    }

    /// A client that may ask for tokens.
    public struct Client: Hashable, Sendable {
        /// The client identifier.
        public var id: String
        /// The secret of a confidential client; `nil` for a public one.
        public var secret: String?
        /// The allowed redirect URIs. They must match exactly, but for the port of `http://127.0.0.1/…` and
        /// `http://[::1]/…` (RFC 8252 section 7.3).
        public var redirectURIs: [String]
        /// The grants it may use.
        public var grants: Set<Grant>
        /// The scopes it may ask for.
        public var scopes: [String]

        /// Creates a client.
        public init(
            id: String, secret: String? = nil, redirectURIs: [String] = [], grants: Set<Grant>,
            scopes: [String] = ["openid", "profile", "email", "offline_access", "read", "write"]
        ) {
            self.id = id
            self.secret = secret
            self.redirectURIs = redirectURIs
            self.grants = grants
            self.scopes = scopes
        }

        /// The four default clients.
        ///
        /// - `dev-native`: public; code and refresh; `http://127.0.0.1/callback` with any port, and
        ///   `com.example.app:/callback`.
        /// - `dev-device`: public; device code and refresh.
        /// - `dev-agent`: confidential; code, device code and refresh; the same loopback redirects. For programs
        ///   that always send a secret.
        /// - `dev-service`: confidential; client credentials. Its secret has characters that Basic authentication
        ///   must form-encode (RFC 6749 section 2.3.1).
        public static let scratch = [
            Client(
                id: "dev-native",
                redirectURIs: ["http://127.0.0.1/callback", "http://[::1]/callback", "com.example.app:/callback"],
                grants: [.authorizationCode, .refreshToken]),
            Client(id: "dev-device", grants: [.deviceCode, .refreshToken]),
            Client(
                id: "dev-agent", secret: "dev-agent-secret",
                redirectURIs: ["http://127.0.0.1/callback", "http://[::1]/callback"],
                grants: [.authorizationCode, .deviceCode, .refreshToken]),
            Client(
                id: "dev-service", secret: "dev+secret/100%", grants: [.clientCredentials], scopes: ["read", "write"]),
        ]
    }
}

extension DevServer.Client {
    /// Whether codes may be sent to `requested`.
    func accepts(redirect requested: String) -> Bool {
        redirectURIs.contains { registered in
            guard let rest = Self.loopbackRest(registered) else { return registered == requested }
            return rest == Self.loopbackRest(requested)
        }
    }

    /// Returns the host and what follows the port, if `uri` is plain http on a loopback address.
    private static func loopbackRest(_ uri: String) -> String? {
        for origin in ["http://127.0.0.1", "http://[::1]"] where uri.hasPrefix(origin) {
            var rest = uri.dropFirst(origin.count)
            if rest.first == ":" {
                let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard let port = UInt16(digits), port > 0 else { return nil }
                rest = rest.dropFirst(1 + digits.count)
            }
            guard rest.first == "/", !rest.contains("#") else { return nil }
            return origin + rest
        }
        return nil
    }
}
