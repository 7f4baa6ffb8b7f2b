import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON

/// An attempt at another service, which is built in and agrees at once, or with something that the person already
/// has: a ticket or an ID token.
struct ClerkExternal: Sendable {
    var strategy: String
    var redirect: String?
    /// The address that the other service reports; `nil` if it was not asked yet.
    var email: String?
    var isRefused = false
    /// The nonce that the browser brings back, for one use.
    var nonce: String?
}

extension ClerkState {
    static let browserPath = "\(ClerkCall.prefix)/v1/oauth/"

    /// Begins an attempt at another service.
    mutating func beginElsewhere(
        _ call: ClerkCall, _ strategy: String, _ client: inout ClerkClient
    ) throws(ClerkRefusal) -> ClerkSignIn {
        var attempt = ClerkSignIn(id: Self.name("sia"), identifier: "", person: "")
        attempt.external = ClerkExternal(strategy: strategy)
        if strategy == "ticket" {
            let ticket = try call.required("ticket")
            guard let id = links[ticket] ?? settings.tickets[ticket], people[id] != nil else {
                throw ClerkRefusal(400, "ticket_invalid_code")
            }
            links[ticket] = nil
            (attempt.person, attempt.external) = (id, nil)
            passFirst(&attempt, &client)
        } else if strategy.hasPrefix("oauth_token_") {
            let parts = try call.required("token").split(separator: ".")
            let claims = parts.count == 3 ? SupabaseState.document(parts[1]) : nil
            guard let email = claims?["email"]?.string else { throw ClerkRefusal(400, "google_one_tap_token_invalid") }
            decide(email, &attempt, &client)
        } else {
            let redirect = try call.required("redirect_url")
            guard redirect.hasPrefix("http://127.0.0.1:") || settings.redirects.contains(redirect) else {
                throw ClerkRefusal(422, "invalid_redirect_url", ["param_name": "redirect_url"])
            }
            if strategy == "enterprise_sso" {
                attempt.identifier = try call.required("identifier")
                guard settings.enterpriseDomains.contains(String(attempt.identifier.drop { $0 != "@" }.dropFirst()))
                else { throw ClerkRefusal(422, "form_param_value_invalid", ["param_name": "identifier"]) }
            } else if !settings.connections.contains(strategy) {
                throw ClerkRefusal(400, "oauth_provider_not_enabled")
            }
            attempt.external?.redirect = redirect
        }
        return attempt
    }

    /// Signs in the person with this address, or offers a sign-up with it if there is no account.
    private mutating func decide(_ email: String, _ attempt: inout ClerkSignIn, _ client: inout ClerkClient) {
        attempt.external?.email = email
        guard let person = person(email) else { return }
        attempt.person = person.id
        passFirst(&attempt, &client)
    }

    /// Answers the browser's visit: the other service agrees or refuses, and sends it back.
    mutating func visit(_ request: ServerRequest) -> ServerResponse {
        let id = String(request.path.dropFirst(Self.browserPath.count))
        guard request.method == "GET", var client = clients.all.first(where: { $0.signIn?.id == id }),
            var attempt = client.signIn, let redirect = attempt.external?.redirect, attempt.external?.email == nil,
            attempt.external?.isRefused == false
        else { return .text("There is no such sign-in.\n", status: 404) }
        let known = attempt.external?.strategy == "enterprise_sso" ? attempt.identifier : settings.visitor
        if let email = known {
            decide(email, &attempt, &client)
        } else {
            attempt.external?.isRefused = true
        }
        if attempt.session != nil { attempt.external?.nonce = Self.name("nonce") }
        client.signIn = attempt
        clients[client.id] = client
        let mark = redirect.contains("?") ? "&" : "?"
        return .redirect(to: redirect + (attempt.external?.nonce.map { "\(mark)rotating_token_nonce=\($0)" } ?? ""))
    }

    /// Returns the state of the attempt at the other service.
    func verification(_ external: ClerkExternal, of attempt: ClerkSignIn) -> JSON {
        let isNew = external.email != nil && attempt.person.isEmpty
        var members: [String: JSON] = [
            "object": "verification_oauth", "strategy": .string(external.strategy),
            "status": .string(isNew ? "transferable" : attempt.person.isEmpty ? "unverified" : "verified"),
        ]
        if let redirect = external.redirect, !redirect.isEmpty, external.email == nil, !external.isRefused {
            members["external_verification_redirect_url"] = .string("\(origin)\(Self.browserPath)\(attempt.id)")
        }
        let code = external.isRefused ? "oauth_access_denied" : isNew ? "external_account_not_found" : nil
        members["error"] = code.map { ["code": .string($0), "message": "is refused"] } ?? .null
        return .object(members)
    }
}
