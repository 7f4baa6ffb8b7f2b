import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

extension DevState {
    /// Acts on a request to the dialect and answers it.
    mutating func answerSupabase(
        _ request: ServerRequest, at endpoint: DevServer.Endpoint, now: Double, note: inout Note
    ) -> ServerResponse {
        supabase.settings = configuration.supabase
        supabase.issuers = keys
        supabase.now = now
        supabase.wall = now + Double(configuration.clockSkew)
        return supabase.answer(SupabaseCall(request), at: endpoint, clients: Array(clients.keys), note: &note)
    }
}

extension SupabaseState {
    mutating func answer(
        _ call: SupabaseCall, at endpoint: DevServer.Endpoint, clients: [String], note: inout Note
    ) -> ServerResponse {
        if endpoint == .supabaseToken { note.grant = call.query(SupabaseWire.grantType) ?? "other" }
        // Settings and health need the key, published documents do not.
        let isOpen = endpoint.isOpenToBrowsers || call.path.first == ".well-known"
        if !isOpen, let refusal = gateway(call.request) {
            note.outcome = "gateway"
            return refusal
        }
        guard endpoint.supabaseMethods.contains(call.method) else {
            note.outcome = "method_not_allowed"
            return ServerResponse(
                status: 405, fields: [("Allow", endpoint.supabaseMethods.joined(separator: ", ")), ("Vary", "Origin")])
        }
        var call = call
        call.keyRole = keyRole(call.request)
        do throws(SupabaseFailure) {
            return try route(call, at: endpoint, clients: clients, note: &note)
        } catch {
            note.outcome = error.outcome
            return error.response(new: call.usesNewErrors)
        }
    }

    private mutating func route(
        _ call: SupabaseCall, at endpoint: DevServer.Endpoint, clients: [String], note: inout Note
    ) throws(SupabaseFailure) -> ServerResponse {
        switch endpoint {
        case .supabaseToken: return try token(call, clients: clients, note: &note)
        case .supabaseSignUp: return try signUp(call)
        case .supabaseUser: return call.method == "GET" ? try showUser(call) : try updateUser(call)
        case .supabaseLogout: return try logout(call)
        case .supabaseOTP: return try otp(call)
        case .supabaseVerify: return try verify(call, note: &note)
        case .supabaseRecover: return try recover(call)
        case .supabaseResend: return try resend(call)
        case .supabaseReauthenticate: return try reauthenticate(call)
        case .supabaseIdentities: return try identities(call)
        case .supabaseAuthorize: return try authorize(call)
        case .supabaseProvider: return try provide(call)
        case .supabaseCallback: return try callBack(call, note: &note)
        case .supabaseFactors: return try factors(call, note: &note)
        case .supabasePasskeys: return try passkeys(call, note: &note)
        case .supabaseSSO: return try sso(call)
        case .supabaseOAuth:
            // Grants belong to a person, so the person's token is checked first.
            if call.path.first == "user" { _ = try caller(call) }
            throw .withoutOAuthServer
        case .supabaseDiscovery: return try discovery(call)
        case .supabaseAdmin: return try admin(call)
        default: return SupabaseReply.notFound
        }
    }

    /// Returns the gateway's answer to a request without a valid key.
    private func gateway(_ request: ServerRequest) -> ServerResponse? {
        guard let expected = settings.publishableKey else { return nil }
        // As Kong's plugin `key-auth` looks: in the header, then in the query. The service itself sees only the header.
        let sent = request.field("apikey") ?? request.queryPairs.first { $0.name == "apikey" }?.value
        guard sent != expected, sent != settings.secretKey, sent.map(isLegacyKey) != true else { return nil }
        switch settings.gatewayAnswer {
        case .empty: return ServerResponse(status: settings.gatewayStatus)
        case .html: return .html("<html><body><h1>Unauthorized</h1></body></html>", status: settings.gatewayStatus)
        case .json:
            let members: [String: JSON] =
                sent == nil
                ? ["message": "No API key found in request", "hint": "No `apikey` request header was found."]
                : ["message": "Invalid API key", "hint": "Double check the API key of your project."]
            let fields = [(name: "Content-Type", value: "application/json")]
            return ServerResponse(
                status: settings.gatewayStatus, fields: fields, body: JSON.object(members).serialized())
        }
    }
}
