extension DevServer.Endpoint {
    /// Whether the endpoint belongs to the Supabase dialect.
    var isSupabase: Bool { path.hasPrefix(SupabaseCall.prefix) }

    /// Whether browsers, which have no key, may use the endpoint.
    var isOpenToBrowsers: Bool {
        switch self {
        case .supabaseAuthorize, .supabaseProvider, .supabaseCallback, .supabaseVerify: true
        default: false
        }
    }

    /// Finds the endpoint of the dialect at `path`, if the path is not simply the endpoint's own.
    init?(supabasePath path: String) {
        guard path.hasPrefix(SupabaseCall.prefix + "/") else { return nil }
        let parts = path.dropFirst(SupabaseCall.prefix.count).split(separator: "/")
        switch parts.first {
        case "magiclink" where parts.count == 1: self = .supabaseOTP
        case "health" where parts.count == 1, ".well-known": self = .supabaseDiscovery
        case "provider" where parts.count == 2: self = .supabaseProvider
        case "passkeys": self = .supabasePasskeys
        case "factors": self = .supabaseFactors
        case "invite" where parts.count == 1, "admin": self = .supabaseAdmin
        case "user" where parts.dropFirst().first == "identities": self = .supabaseIdentities
        case "user" where parts.dropFirst() == ["oauth", "grants"]: self = .supabaseOAuth
        case "oauth": self = .supabaseOAuth
        case "sso": self = .supabaseSSO
        default: return nil
        }
    }

    /// The methods that it accepts; paths below it may accept fewer.
    var supabaseMethods: [String] {
        switch self {
        case .supabaseVerify: ["GET", "POST"]
        case .supabaseUser: ["GET", "PUT"]
        case .supabaseIdentities: ["GET", "DELETE"]
        case .supabaseFactors: ["POST", "DELETE"]
        case .supabasePasskeys: ["GET", "POST", "PATCH", "DELETE"]
        case .supabaseAdmin, .supabaseOAuth: ["GET", "POST", "PUT", "DELETE"]
        case .supabaseSSO: ["GET", "POST"]
        case .supabaseReauthenticate, .supabaseAuthorize, .supabaseProvider, .supabaseDiscovery: ["GET"]
        case .supabaseCallback: ["GET", "POST"]
        default: ["POST"]
        }
    }
}
