import LatchkeyHTTPServer
import LatchkeyJSON

extension SupabaseState {
    /// Sends the browser to a provider.
    mutating func authorize(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        SupabaseReply.redirect(try providerAddress(call, linking: nil), status: 302)
    }

    /// Returns the address for signing in at the provider in the request.
    mutating func providerAddress(_ call: SupabaseCall, linking: String?) throws(SupabaseFailure) -> String {
        guard let provider = call.query(SupabaseWire.provider), settings.providers.contains(provider) else {
            throw .validation("Unsupported provider: provider is not enabled")
        }
        let pair = try challenge(
            call.query(SupabaseWire.codeChallenge), call.query(SupabaseWire.codeChallengeMethod))
        if let pair, pair.method != "s256", pair.method != "plain" {
            throw .validation("code_challenge_method is not supported")
        }
        var flow = SupabaseFlow(method: "oauth", createdAt: now)
        (flow.provider, flow.redirect, flow.linking) = (provider, redirect(call), linking)
        (flow.challenge, flow.challengeMethod) = (pair?.challenge, pair?.method ?? "")
        flows[flow.id] = flow
        var parameters: [String: String] = [:]
        for (name, value) in call.request.queryPairs where !Self.reserved.contains(name.lowercased()) {
            parameters[name] = value
        }
        let scopes = [Self.scopes[provider] ?? "email profile", call.query(SupabaseWire.scopes)]
        let own = [
            "client_id": "latchkey-demo", "redirect_uri": base + "/callback", "response_type": "code",
            SupabaseWire.scope: scopes.compactMap(\.self).joined(separator: " "), SupabaseWire.state: flow.id,
        ]
        return "\(base)/provider/\(provider)?\(Self.encoded(parameters.merging(own) { $1 }))"
    }

    /// The parameters that are not passed on to a provider.
    private static let reserved: Set = [
        "client_id", "client_secret", "redirect_uri", "response_type", "state", "code_challenge",
        "code_challenge_method", "code_verifier", "provider", "scopes", "scope",
    ]
    private static let scopes = ["github": "user:email", "keycloak": "profile email"]

    /// Acts as the built-in provider: agrees at once, for the person in `login_hint`, or refuses if the hint is
    /// `nobody`.
    mutating func provide(_ call: SupabaseCall) throws(SupabaseFailure) -> ServerResponse {
        guard let state = call.query(SupabaseWire.state), let flow = flows[state], call.path.count == 2,
            flow.provider == call.path[1]
        else { throw .validation("The provider does not know this request") }
        let email = call.query(SupabaseWire.loginHint) ?? "person@example.test"
        var parameters = [SupabaseWire.state: state]
        if email == "nobody" {
            parameters[SupabaseWire.error] = "access_denied"
            parameters[SupabaseWire.errorDescription] = "The person said no"
        } else {
            let code = DevState.random("idp_")
            consents[code] = email.lowercased()
            parameters[SupabaseWire.code] = code
        }
        return SupabaseReply.redirect(Self.adding(parameters, to: base + "/callback"), status: 302)
    }

    /// Handles the browser's return from the provider.
    mutating func callBack(_ call: SupabaseCall, note: inout Note) throws(SupabaseFailure) -> ServerResponse {
        guard let state = call.query(SupabaseWire.state) else {
            return homeless(.badOAuthCallback, "OAuth state parameter missing", note: &note)
        }
        guard var flow = flows[state], !flow.wasVisited, let provider = flow.provider,
            now < flow.createdAt + settings.flowLifetime
        else { return homeless(.badOAuthState, "OAuth state not found or expired", note: &note) }
        flow.wasVisited = true
        flows[state] = flow
        if let error = call.query(SupabaseWire.error) {
            note.outcome = error
            var parameters = [SupabaseWire.error: error]
            parameters[SupabaseWire.errorDescription] = call.query(SupabaseWire.errorDescription)
            return Self.refused(flow, parameters)
        }
        do throws(SupabaseFailure) {
            guard let code = call.query(SupabaseWire.code) else {
                throw SupabaseFailure(
                    400, .badOAuthCallback, "OAuth callback with missing authorization code missing")
            }
            guard let email = consents[code] else {
                throw SupabaseFailure(500, .unexpectedFailure, "Unable to exchange external code")
            }
            consents[code] = nil
            let visit = SupabaseVisit(provider: provider, email: email, issuer: origin)
            let linking = flow.linking.flatMap { people[$0] }
            if flow.linking != nil, linking == nil { throw SupabaseFailure(403, .userNotFound, "User is gone") }
            var person = try arrive(visit, linking: linking)
            let tail = Hex.encode(Array(email.utf8))
            (flow.providerToken, flow.providerRefreshToken) = ("at-\(tail)", "rt-\(tail)")
            if flow.challenge != nil {
                let parameters = [SupabaseWire.code: self.code(for: flow, user: person.id)]
                return SupabaseReply.redirect(Self.adding(parameters, to: flow.redirect), status: 302)
            }
            flows[state] = nil
            let session = begin(for: &person, by: "oauth", agent: call.request.field("User-Agent"))
            note.family = session.serial
            let extra = [SupabaseWire.providerToken: "at-\(tail)", SupabaseWire.providerRefreshToken: "rt-\(tail)"]
            return try land(
                session, people[person.id] ?? person, at: flow.redirect, type: nil, extra: extra, status: 302)
        } catch {
            note.outcome = error.outcome
            let denied: [SupabaseCode] = [.signupDisabled, .userBanned]
            let name =
                switch (error.status, error.code) {
                case (_, let code?) where denied.contains(code): "access_denied"
                case (400, _): "invalid_request"
                case (401, _): "unauthorized_client"
                case (403, _): "access_denied"
                default: "server_error"
                }
            return Self.refused(
                flow,
                [
                    SupabaseWire.error: name, SupabaseWire.errorCode: error.outcome,
                    SupabaseWire.errorDescription: error.message,
                ])
        }
    }

    /// Sends a callback without a visit to the project's site, because only the visit has another target.
    private func homeless(_ code: SupabaseCode, _ message: String, note: inout Note) -> ServerResponse {
        note.outcome = code.rawValue
        let parameters = [
            SupabaseWire.error: "invalid_request", SupabaseWire.errorCode: code.rawValue,
            SupabaseWire.errorDescription: message,
        ]
        return SupabaseReply.redirect(Self.adding(parameters, to: settings.siteURL), status: 303)
    }

    /// Sends an error in the query and, encoded twice, in the fragment.
    private static func refused(_ flow: SupabaseFlow, _ parameters: [String: String]) -> ServerResponse {
        let fragment = encoded(parameters.merging(["sb": ""]) { $1 })
        let doubled = fragment.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
        return SupabaseReply.redirect("\(adding(parameters, to: flow.redirect))#\(doubled)", status: 302)
    }
}
