import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// An attempt at another service, which is built in and agrees at once, or with something that the person already
/// has: an ID token.
struct ClerkExternal: Sendable {
    var strategy: String
    var redirect: String?
    /// The address that the other service reports; `nil` if it was not asked yet.
    var email: String?
    var isRefused = false
    /// The session on this client of the person that the other service named.
    var known: String?
    /// The nonce that the browser brings back, for one use.
    var nonce: String?

    var isOpen: Bool { redirect != nil && email == nil && !isRefused }
}

extension ClerkState {
    static let browserPath = "\(ClerkCall.prefix)/v1/oauth/"

    /// Whether a strategy leads to another service.
    static func isElsewhere(_ strategy: String) -> Bool {
        strategy.hasPrefix("oauth_") || strategy == "enterprise_sso"
    }

    /// Reads where to go and where to come back to, or what another service has said in an ID token.
    func elsewhere(_ call: ClerkCall, _ strategy: String, _ identifier: String?) throws(ClerkRefusal) -> ClerkExternal {
        var external = ClerkExternal(strategy: strategy)
        if strategy.hasPrefix("oauth_token_") {
            let parts = try call.required("token").split(separator: ".")
            let claims = parts.count == 3 ? SupabaseState.document(parts[1]) : nil
            guard let email = claims?["email"]?.string else { throw ClerkRefusal(400, "google_one_tap_token_invalid") }
            external.email = email
            return external
        }
        let redirect = try call.required("redirect_url")
        guard settings.allows(redirect: redirect) else {
            throw ClerkRefusal(422, "invalid_redirect_url", ["param_name": "redirect_url"])
        }
        if strategy == "enterprise_sso" {
            guard let identifier, !identifier.isEmpty else {
                throw ClerkRefusal(422, "form_param_missing", ["param_name": "identifier"])
            }
            guard hasCompany(identifier) else {
                throw ClerkRefusal(422, "form_param_value_invalid", ["param_name": "identifier"])
            }
        } else if !settings.connections.contains(strategy) {
            throw ClerkRefusal(400, "oauth_provider_not_enabled")
        }
        external.redirect = redirect
        return external
    }

    /// Whether the address is of a company with single sign-on.
    func hasCompany(_ address: String) -> Bool {
        settings.enterpriseDomains.contains(String(address.drop { $0 != "@" }.dropFirst()))
    }

    /// Signs in the person with the address that the other service reported, or offers a sign-up with it.
    mutating func decide(_ attempt: inout ClerkSignIn, _ client: inout ClerkClient) {
        guard let person = attempt.external?.email.flatMap({ person($0) }) else { return }
        if let session = client.signedIn.first(where: { $0.person == person.id }) {
            attempt.external?.known = session.id
            return
        }
        attempt.person = person.id
        passFirst(&attempt, &client)
    }

    /// Answers the browser's visit: the other service agrees or refuses, and sends it back.
    mutating func visit(_ request: ServerRequest) -> ServerResponse {
        let id = String(request.path.dropFirst(Self.browserPath.count))
        guard request.method == "GET" else { return .text("There is no such sign-in.\n", status: 404) }
        for var client in clients.all {
            if client.signIn?.id == id, client.signIn?.external?.isOpen == true, var attempt = client.signIn {
                let isCompany = attempt.external?.strategy == "enterprise_sso"
                report(isCompany ? attempt.identifier : settings.visitor, to: &attempt.external)
                decide(&attempt, &client)
                let answer = back(&attempt.external, hasSession: attempt.session != nil)
                client.signIn = attempt
                clients[client.id] = client
                return answer
            }
            if client.signUp?.id == id, client.signUp?.external?.isOpen == true, var attempt = client.signUp {
                let isCompany = attempt.external?.strategy == "enterprise_sso"
                report(isCompany ? attempt.values["email_address"] : settings.visitor, to: &attempt.external)
                takeOver(&attempt)
                finish(&attempt, &client)
                let answer = back(&attempt.external, hasSession: attempt.session != nil)
                client.signUp = attempt
                clients[client.id] = client
                return answer
            }
            if client.proof?.session == id, client.proof?.external?.isOpen == true, var proof = client.proof {
                let redirect = proof.external?.redirect ?? ""
                report(to: &proof, &client)
                client.proof = proof
                clients[client.id] = client
                return Self.back(redirect, [])
            }
        }
        return connect(id) ?? .text("There is no such sign-in.\n", status: 404)
    }

    private func report(_ email: String?, to external: inout ClerkExternal?) {
        external?.email = email
        external?.isRefused = email == nil
    }

    /// Leads the browser back: with a nonce if there is a session, with what failed, or with nothing if the person has
    /// to go on.
    private func back(_ external: inout ClerkExternal?, hasSession: Bool) -> ServerResponse {
        let redirect = external?.redirect ?? ""
        if external?.isRefused == true { return Self.back(redirect, failed: "oauth_access_denied") }
        guard hasSession, settings.trusts(redirect: redirect) else { return Self.back(redirect, []) }
        let nonce = Self.name("nonce")
        external?.nonce = nonce
        return Self.back(redirect, [("rotating_token_nonce", nonce)])
    }

    static func back(_ redirect: String, failed code: String) -> ServerResponse {
        back(redirect, [("__clerk_status", "failed"), ("__clerk_error_code", code)])
    }

    static func back(_ redirect: String, _ query: [(String, String)]) -> ServerResponse {
        let mark = redirect.contains("?") ? "&" : "?"
        let text = query.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        return .redirect(to: text.isEmpty ? redirect : redirect + mark + text)
    }

    /// Returns the state of a sign-in at the other service.
    func verification(_ external: ClerkExternal, of attempt: ClerkSignIn) -> ClerkVerification {
        let isNew = external.email != nil && external.known == nil && attempt.person.isEmpty
        let hasPassed = external.email != nil && !attempt.person.isEmpty
        var state = verification(external, attempt.id)
        state.status = isNew ? "transferable" : hasPassed ? "verified" : "unverified"
        if isNew { state.error = ClerkRefusal(422, "external_account_not_found") }
        if let session = external.known {
            state.status = "failed"
            state.error = ClerkRefusal(400, "identifier_already_signed_in", ["session_id": .string(session)])
        }
        return state
    }

    /// Returns the state of a sign-up there.
    func verification(_ external: ClerkExternal, of attempt: ClerkSignUp) -> ClerkVerification {
        let isKnown = external.email.flatMap { person($0) } != nil && attempt.person == nil
        var state = verification(external, attempt.id)
        state.status = isKnown ? "transferable" : external.email == nil ? "unverified" : "verified"
        if isKnown { state.error = ClerkRefusal(422, "external_account_exists") }
        return state
    }

    private func verification(_ external: ClerkExternal, _ id: String) -> ClerkVerification {
        var state = ClerkVerification(strategy: external.strategy)
        if external.isOpen { state.redirect = "\(origin)\(Self.browserPath)\(id)" }
        if external.isRefused { state.error = ClerkRefusal(403, "oauth_access_denied") }
        return state
    }
}
