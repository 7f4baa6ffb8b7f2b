import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Returns settings, health, keys and metadata.
    func discovery(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        switch call.path {
        case ["settings"]: return SupabaseReply.json(shownSettings)
        case ["health"]:
            return SupabaseReply.json([
                "version": "", "name": "GoTrue", "description": "GoTrue is a user registration and authentication API",
            ])
        case [".well-known", "jwks.json"]:
            guard settings.signing == .es256 else { return cached(["keys": []]) }
            let published = signers.entries.map { JSON.object($0.jwk.merging(["key_ops": ["verify"]]) { $1 }) }
            return cached(["keys": .array(published)])
        case [".well-known", "openid-configuration"]: return cached(metadata)
        case [".well-known", "oauth-authorization-server"]:
            throw .withoutOAuthServer
        default: return SupabaseReply.notFound
        }
    }

    private func cached(_ document: JSON) -> ServerResponse {
        var response = SupabaseReply.json(document)
        response.set("Cache-Control", "public, max-age=600")
        return response
    }

    private var shownSettings: JSON {
        var external: [String: JSON] = [
            "anonymous_users": .bool(settings.allowsAnonymous), "email": .bool(settings.allowsEmail),
            "phone": .bool(settings.allowsPhone),
        ]
        for name in Self.listed { external[name] = .bool(settings.providers.contains(name)) }
        return [
            "external": .object(external), "disable_signup": .bool(settings.disablesSignUp),
            "mailer_autoconfirm": .bool(settings.autoconfirms), "phone_autoconfirm": .bool(settings.autoconfirmsPhone),
            "sms_provider": "twilio", "saml_enabled": .bool(settings.allowsSSO),
            "saml_private_key_next_configured": .bool(true), "passkeys_enabled": .bool(settings.allowsPasskeys),
        ]
    }

    private static let listed = [
        "apple", "azure", "bitbucket", "discord", "facebook", "snapchat", "figma", "fly", "github", "gitlab", "google",
        "keycloak", "kakao", "linkedin", "linkedin_oidc", "notion", "spotify", "slack", "slack_oidc", "workos",
        "twitch",
        "twitter", "zoom",
    ]

    private var metadata: JSON {
        func list(_ names: String...) -> JSON { .array(names.map(JSON.string)) }
        return [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/oauth/authorize"),
            "token_endpoint": .string(issuer + "/oauth/token"),
            "jwks_uri": .string(issuer + "/.well-known/jwks.json"),
            "userinfo_endpoint": .string(issuer + "/oauth/userinfo"),
            "scopes_supported": list("openid", "profile", "email", "phone", "offline_access"),
            "response_types_supported": list("code"), "response_modes_supported": list("query"),
            "grant_types_supported": list("authorization_code", "refresh_token"),
            "subject_types_supported": list("public"),
            "id_token_signing_alg_values_supported": list("RS256", "HS256", "ES256"),
            "token_endpoint_auth_methods_supported": list("client_secret_basic", "client_secret_post", "none"),
            "claims_supported": list(
                "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number",
                "phone_number_verified", "name", "picture", "preferred_username", "updated_at"),
            "code_challenge_methods_supported": list("S256", "plain"),
        ]
    }

    /// Answers for single sign-on. No domain has a provider here.
    mutating func sso(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        guard settings.allowsSSO else {
            throw SupabaseFailure(404, .samlProviderDisabled, "SAML 2.0 is disabled")
        }
        guard call.path.count == 1 else { return SupabaseReply.notFound }
        guard call.method == "POST" else { return ServerResponse(status: 405, fields: [("Vary", "Origin")]) }
        try limit(.sso, call)
        let body = try captchaBody(call)
        let (domain, provider) = (try body.string("domain"), try body.string("provider_id"))
        guard (domain == nil) != (provider == nil) else {
            throw .validation("Only one of provider_id or domain supported")
        }
        throw SupabaseFailure(
            404, .ssoProviderNotFound,
            domain == nil ? "No such SSO provider" : "No SSO provider assigned for this domain")
    }
}
