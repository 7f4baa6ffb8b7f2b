import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

/// An instance in which everything is there that a client's request may be about, and Ada, who sends it.
struct RequestWorld: Sendable {
    let ada: RawClient
    let session: String
    /// The IDs that stand in paths: by placeholder, or by the word before `{id}`.
    let ids: [String: String]

    private static func people() -> [DevServer.ClerkUser] {
        var people = DevServer.ClerkUser.scratch
        people[0].invitations = ["orginv_mine": "org_mills"]
        people[1].organizations = ["org_engines": "org:member"]
        people.append(
            .init(
                id: "user_lin", email: "lin+clerk_test@example.test", password: "lin-password",
                organizations: ["org_looms": "org:admin"]))
        people.append(.init(id: "user_pat", email: "pat+clerk_test@engines.test", password: "pat-password"))
        return people
    }

    init(style: RawClient.Style) async throws {
        ada = try RawClient(style: style) { $0.users = Self.people() }
        session = try await ada.signIn()
        var ids = [
            "organization_id": "org_engines", "user_id": "user_grace", "template": "backend", "client_id": "app",
            "sessions": session, "suggestion_id": "orgsug_org_looms", "enterprise_connection_id": "ent_1",
            "enterprise_accounts": "eac_1", "web3_wallets": "idn_1", "api_keys": "ak_1", "trusted_device_id": "td_1",
            "biometric_credentials": "td_1",
        ]
        let made: [(String, String, KeyValuePairs<String, String>)] = [
            ("sign_ins", "/client/sign_ins", ["identifier": "pat+clerk_test@engines.test", "strategy": "email_code"]),
            (
                "sign_ups", "/client/sign_ups",
                ["email_address": "new+clerk_test@example.test", "password": "long enough", "strategy": "email_code"]
            ),
            ("email_addresses", "/me/email_addresses", ["email_address": "more+clerk_test@example.test"]),
            ("phone_numbers", "/me/phone_numbers", ["phone_number": "+12015550177"]),
            ("passkeys", "/me/passkeys", [:]),
            (
                "external_accounts", "/me/external_accounts",
                ["strategy": "oauth_github", "redirect_url": ContractWalk.redirect]
            ),
            (
                "invitation_id", "/organizations/org_engines/invitations",
                ["email_address": "x@example.test", "role": "org:member"]
            ),
            ("domain_id", "/organizations/org_engines/domains", ["name": "engines.test"]),
        ]
        for (name, path, form) in made {
            let answer = try await ada.send("POST", path, form, as: session)
            ids[name] = try #require(answer.content["id"]?.string, "\(path): \(answer.text)")
        }
        for name in ["email_addresses", "phone_numbers"] {
            _ = try await ada.send("POST", "/me/\(name)/\(ids[name] ?? "")/prepare_verification", as: session)
        }
        try await Self.openDomain("org_engines", ids["domain_id"] ?? "", "engines.test", ada, session)
        ids["request_id"] = try await Self.request(at: ada, session)
        try await Self.suggest(at: ada.server)
        self.ids = ids
    }

    /// Lets people with an address of the domain ask to join.
    private static func openDomain(
        _ organization: String, _ id: String, _ name: String, _ client: RawClient, _ session: String
    ) async throws {
        let path = "/organizations/\(organization)/domains/\(id)"
        _ = try await client.send(
            "POST", "\(path)/prepare_affiliation_verification",
            ["affiliation_email_address": "post+clerk_test@\(name)"], as: session)
        _ = try await client.send("POST", "\(path)/attempt_affiliation_verification", ["code": "424242"], as: session)
        _ = try await client.send(
            "POST", "\(path)/update_enrollment_mode", ["enrollment_mode": "automatic_suggestion"], as: session)
    }

    /// Pat asks to join Ada's organization.
    private static func request(at ada: RawClient, _ session: String) async throws -> String {
        let pat = try RawClient(at: ada.server)
        let begun = try await pat.send(
            "POST", "/client/sign_ins", ["identifier": "pat+clerk_test@engines.test", "password": "pat-password"])
        let own = try #require(begun.content["created_session_id"]?.string)
        _ = try await pat.send("POST", "/me/organization_suggestions/orgsug_org_engines/accept", as: own)
        let open = try await ada.send("GET", "/organizations/org_engines/membership_requests", as: session)
        return try #require(open.content["data"]?.array?.first?["id"]?.string)
    }

    /// Lin's organization is suggested to Ada.
    private static func suggest(at server: DevServer) async throws {
        let lin = try RawClient(at: server)
        let begun = try await lin.send(
            "POST", "/client/sign_ins", ["identifier": "lin+clerk_test@example.test", "password": "lin-password"])
        let own = try #require(begun.content["created_session_id"]?.string)
        let domain = try await lin.send("POST", "/organizations/org_looms/domains", ["name": "example.test"], as: own)
        try await openDomain("org_looms", domain.content["id"]?.string ?? "", "example.test", lin, own)
    }

    /// Returns the request's path with what is there in place of its placeholders.
    func path(of request: ClientRequest) -> String {
        var parts = request.path.split(separator: "/").map(String.init)
        for index in parts.indices where parts[index].hasPrefix("{") {
            let name = parts[index].dropFirst().dropLast()
            parts[index] = ids[name == "id" ? parts[index - 1] : String(name)] ?? "none"
        }
        if request.name.hasPrefix("me.organization_invitations") {
            parts = parts.map { $0 == ids["invitation_id"] ? "orginv_mine" : $0 }
        }
        return "/" + parts.filter { $0 != "v1" }.joined(separator: "/")
    }
}
