import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension DevState {
    /// Returns the document of OpenID Connect Discovery 1.0 section 3 and of RFC 8414 section 2.
    func metadata() -> ServerResponse {
        let methods: JSON = .array(["none", "client_secret_basic", "client_secret_post"].map(JSON.string))
        func url(_ endpoint: DevServer.Endpoint) -> JSON { .string(issuer + endpoint.path) }
        var scopes: [String] = []
        for scope in clients.values.flatMap(\.scopes).sorted() where scopes.last != scope { scopes.append(scope) }
        let standing = [
            "sub", "name", "given_name", "family_name", "preferred_username", "email", "email_verified", "auth_time",
        ]
        let further = Set(configuration.users.flatMap(\.claims.keys)).subtracting(standing)
        let claims = (standing + further.sorted()).map(JSON.string)
        let document: [String: JSON] = [
            DevServerWire.issuer: .string(issuer),
            "authorization_endpoint": url(.authorize),
            DevServerWire.tokenEndpoint: url(.token),
            "userinfo_endpoint": url(.userinfo),
            "jwks_uri": url(.keys),
            "revocation_endpoint": url(.revocation),
            "device_authorization_endpoint": url(.deviceAuthorization),
            "response_types_supported": .array([.string("code")]),
            "response_modes_supported": .array([.string("query")]),
            "grant_types_supported": .array(DevServer.Grant.allCases.map { .string($0.rawValue) }),
            "subject_types_supported": .array([.string("public")]),
            DevServerWire.algorithms: .array([.string(keys.algorithm.rawValue)]),
            "scopes_supported": .array(scopes.map(JSON.string)),
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
            DevServerWire.challengeMethods: .array([.string("S256")]),
            DevServerWire.issParameterSupported: .bool(true),
            "request_parameter_supported": .bool(false),
            "request_uri_parameter_supported": .bool(false),
            "userinfo_signing_alg_values_supported": .array([.string(keys.algorithm.rawValue)]),
            "claims_supported": .array(claims),
        ]
        return cacheable(.object(forged(document: document)))
    }

    /// Returns the keys that verify ID tokens.
    func publishedKeys() -> ServerResponse { cacheable(keys.document) }

    private func cacheable(_ document: JSON) -> ServerResponse {
        var response = ServerResponse.json(document.serialized())
        response.set("Cache-Control", "public, max-age=60")
        return response
    }
}
