extension DevServer {
    /// An endpoint, by the name that faults and the log use for it.
    public enum Endpoint: String, Hashable, Sendable, CaseIterable {
        /// `/.well-known/openid-configuration` and `/.well-known/oauth-authorization-server`.
        case discovery
        /// `/jwks`.
        case keys = "jwks"
        /// `/authorize`.
        case authorize
        /// `/authorize/decision`, the target of the consent page.
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
        /// `/resource`, a protected resource.
        case resource
        /// `/`, the page that describes this server.
        case home
        /// `/inbox`, the mail and SMS of the Supabase and Clerk dialects; `/inbox.json`, the same as JSON.
        case inbox
        /// `/auth/v1/token`. The following endpoints belong to the Supabase dialect too.
        case supabaseToken = "supabase_token"
        /// `/auth/v1/signup`.
        case supabaseSignUp = "supabase_signup"
        /// `/auth/v1/otp` and `/auth/v1/magiclink`.
        case supabaseOTP = "supabase_otp"
        /// `/auth/v1/verify`, for codes and for links.
        case supabaseVerify = "supabase_verify"
        /// `/auth/v1/recover`.
        case supabaseRecover = "supabase_recover"
        /// `/auth/v1/resend`.
        case supabaseResend = "supabase_resend"
        /// `/auth/v1/reauthenticate`.
        case supabaseReauthenticate = "supabase_reauthenticate"
        /// `/auth/v1/user`.
        case supabaseUser = "supabase_user"
        /// `/auth/v1/user/identities` and what is below it.
        case supabaseIdentities = "supabase_identities"
        /// `/auth/v1/authorize`.
        case supabaseAuthorize = "supabase_authorize"
        /// `/auth/v1/provider`, the built-in provider of social sign-in.
        case supabaseProvider = "supabase_provider"
        /// `/auth/v1/callback`.
        case supabaseCallback = "supabase_callback"
        /// `/auth/v1/logout`.
        case supabaseLogout = "supabase_logout"
        /// `/auth/v1/factors` and what is below it.
        case supabaseFactors = "supabase_factors"
        /// `/auth/v1/passkeys` and what is below it.
        case supabasePasskeys = "supabase_passkeys"
        /// `/auth/v1/sso` and what is below it.
        case supabaseSSO = "supabase_sso"
        /// `/auth/v1/oauth`, what is below it, and `/auth/v1/user/oauth/grants`: the project as an OAuth server, which is
        /// off.
        case supabaseOAuth = "supabase_oauth"
        /// `/auth/v1/settings`, `/auth/v1/health` and `/auth/v1/.well-known/`.
        case supabaseDiscovery = "supabase_discovery"
        /// `/auth/v1/admin` and what is below it.
        case supabaseAdmin = "supabase_admin"
        /// `/clerk/v1` and what is below it, except for the following; and `/clerk/.well-known/jwks.json`.
        case clerk
        /// `/clerk/v1/client/sessions/ID/tokens` and what is below it.
        case clerkTokens = "clerk_tokens"
    }
}

extension DevServer.Endpoint {
    /// The endpoint's path.
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
        case .inbox: "/inbox"
        case .supabaseToken: "/auth/v1/token"
        case .supabaseSignUp: "/auth/v1/signup"
        case .supabaseOTP: "/auth/v1/otp"
        case .supabaseVerify: "/auth/v1/verify"
        case .supabaseRecover: "/auth/v1/recover"
        case .supabaseResend: "/auth/v1/resend"
        case .supabaseReauthenticate: "/auth/v1/reauthenticate"
        case .supabaseUser: "/auth/v1/user"
        case .supabaseIdentities: "/auth/v1/user/identities"
        case .supabaseAuthorize: "/auth/v1/authorize"
        case .supabaseProvider: "/auth/v1/provider"
        case .supabaseCallback: "/auth/v1/callback"
        case .supabaseLogout: "/auth/v1/logout"
        case .supabaseFactors: "/auth/v1/factors"
        case .supabasePasskeys: "/auth/v1/passkeys"
        case .supabaseSSO: "/auth/v1/sso"
        case .supabaseOAuth: "/auth/v1/oauth"
        case .supabaseDiscovery: "/auth/v1/settings"
        case .supabaseAdmin: "/auth/v1/admin"
        case .clerk: "/clerk/v1"
        case .clerkTokens: "/clerk/v1/client/sessions/ID/tokens"
        }
    }

    /// The methods that it accepts.
    var methods: [String] {
        switch self {
        case .discovery, .keys, .resource, .home, .inbox: ["GET"]
        case .authorize, .device, .userinfo: ["GET", "POST"]
        case .decision, .token, .deviceAuthorization, .revocation: ["POST"]
        default: supabaseMethods
        }
    }

    /// Finds the endpoint at `path`. The issuer has no path, so both metadata documents are at the root (RFC 8414
    /// section 3.1).
    init?(path: String) {
        let found = Self.allCases.first { $0.path == path } ?? Self(supabasePath: path) ?? Self(clerkPath: path)
        if path == "/inbox.json" {
            self = .inbox
            return
        }
        guard let found = path == "/.well-known/oauth-authorization-server" ? .discovery : found else { return nil }
        self = found
    }
}
