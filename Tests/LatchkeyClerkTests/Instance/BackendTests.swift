import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyClerk

/// Asks as `@clerk/backend` does: JSON, and the secret key as a bearer token.
private struct Backend: Sendable {
    let client: RawClient

    func send(
        _ method: String, _ path: String, _ body: JSON? = nil, key: String = "sk_test_latchkey"
    ) async throws -> RawAnswer {
        var request = TransportRequest(method, "\(client.server.clerkURL)/v1\(path)")
        request.fields["Authorization"] = "Bearer \(key)"
        request.fields["Clerk-API-Version"] = "2026-05-12"
        request.fields["Content-Type"] = "application/json"
        request.body = body.map { Array($0.serialized()) }
        return RawAnswer(try await CurlTransport().send(request, deadline: .seconds(20)))
    }

    /// Sends, and checks the answer against what `@clerk/backend` and clerk-sdk-python read.
    @discardableResult
    func read(_ method: String, _ path: String, as type: String, _ body: JSON? = nil) async throws -> JSON {
        let answer = try await send(method, path, body)
        #expect(answer.status == 200, "\(method) \(path): \(answer.text.prefix(200))")
        // With a charset their client takes the answer for text.
        #expect(answer.fields["Content-Type"] == "application/json")
        var found = ClientContract.Finding()
        let isPage = type.hasPrefix("paginated of ")
        let items =
            isPage ? answer.json["data"]?.array : type.hasPrefix("array of ") ? answer.json.array : [answer.json]
        if isPage { #expect(answer.json["total_count"]?.integer != nil) }
        for item in try #require(items, "\(method) \(path)") {
            let word = String(type.split(separator: " ").last ?? "")
            ClientContract.backend.check(item, as: word, at: path, &found)
        }
        #expect(
            found.missing.isEmpty && found.wrong.isEmpty, "\((found.missing + found.wrong).joined(separator: "\n"))")
        return answer.json
    }
}

@Suite("The Backend API of the emulated instance") struct BackendTests {
    private let backend: Backend

    init() throws { backend = Backend(client: try RawClient()) }

    @Test("people are listed, counted, made, changed and deleted") func people() async throws {
        let all = try await backend.read("GET", "/users", as: "array of user")
        #expect(all.array?.count == 2)
        let made = try await backend.read(
            "POST", "/users", as: "user",
            [
                "email_address": ["nia@example.test"], "password": "long enough", "first_name": "Nia",
                "private_metadata": ["plan": "pro"],
            ])
        let path = "/users/\(made["id"]?.string ?? "")"
        #expect(made["private_metadata"]?["plan"] == "pro")
        let found = try await backend.read("GET", "/users?email_address=nia%40example.test", as: "array of user")
        #expect(found.array?.count == 1)
        #expect(try await backend.send("GET", "/users/count").json["total_count"] == 3)
        try await backend.read("PATCH", path, as: "user", ["last_name": "Loom"])
        let merged = try await backend.read("PATCH", "\(path)/metadata", as: "user", ["public_metadata": ["a": 1]])
        #expect(merged["public_metadata"]?["a"] == 1 && merged["last_name"] == "Loom")
        #expect(try await backend.send("POST", "\(path)/verify_password", ["password": "long enough"]).status == 200)
        let wrong = try await backend.send("POST", "\(path)/verify_password", ["password": "x"])
        #expect(wrong.code == "form_password_incorrect")
        try await backend.read(
            "GET", "/users/user_ada/organization_memberships", as: "paginated of organization_membership")
        try await backend.read("DELETE", path, as: "deleted_object")
        #expect(try await backend.send("GET", path).code == "resource_not_found")
    }

    @Test("a person who is banned or locked cannot sign in, and sessions of a banned one end") func banned()
        async throws
    {
        try await backend.client.signIn()
        try await backend.read("POST", "/users/user_ada/ban", as: "user")
        #expect(try await backend.client.session()["status"] == "revoked")
        let form: KeyValuePairs = ["identifier": RawClient.ada, "password": "ada-password"]
        #expect(try await backend.client.send("POST", "/client/sign_ins", form).code == "user_banned")
        try await backend.read("POST", "/users/user_ada/unban", as: "user")
        try await backend.read("POST", "/users/user_ada/lock", as: "user")
        let locked = try await backend.client.send("POST", "/client/sign_ins", form)
        #expect(locked.status == 403 && locked.code == "user_locked")
        #expect(locked.json["errors"]?.array?[0]["meta"]?["lockout_expires_in_seconds"]?.integer != nil)
        try await backend.read("POST", "/users/user_ada/unlock", as: "user")
        try await backend.client.signIn()
    }

    @Test("sessions are listed, read, minted for and revoked") func sessions() async throws {
        let id = try await backend.client.signIn()
        let all = try await backend.read("GET", "/sessions?user_id=user_ada&status=active", as: "paginated of session")
        #expect(all["data"]?.array?.count == 1)
        try await backend.read("GET", "/sessions/\(id)", as: "session")
        try await backend.read("POST", "/sessions/\(id)/tokens", as: "token")
        try await backend.read("POST", "/sessions/\(id)/tokens/backend", as: "token")
        #expect(try await backend.send("POST", "/sessions/\(id)/tokens/none").status == 404)
        try await backend.read("POST", "/sessions", as: "session", ["user_id": "user_grace"])
        try await backend.read("GET", "/clients", as: "paginated of client")
        let ended = try await backend.read("POST", "/sessions/\(id)/revoke", as: "session")
        #expect(ended["status"] == "revoked")
        #expect(try await backend.client.send("POST", "/client/sessions/\(id)/tokens").status == 401)
    }

    @Test("a sign-in token signs in once, and one that is revoked not at all") func tokens() async throws {
        func make() async throws -> JSON {
            try await backend.read(
                "POST", "/sign_in_tokens", as: "sign_in_token", ["user_id": "user_ada", "expires_in_seconds": 60])
        }
        func redeem(_ made: JSON) async throws -> RawAnswer {
            try await RawClient(at: backend.client.server).send(
                "POST", "/client/sign_ins", ["strategy": "ticket", "ticket": made["token"]?.string ?? ""])
        }
        let first = try await make()
        #expect(try await redeem(first).content["status"] == "complete")
        #expect(try await redeem(first).code == "sign_in_token_already_used_code")
        let second = try await make()
        let revoked = try await backend.read(
            "POST", "/sign_in_tokens/\(second["id"]?.string ?? "")/revoke", as: "sign_in_token")
        #expect(revoked["status"] == "revoked")
        #expect(try await redeem(second).code == "sign_in_token_revoked_code")
    }

    @Test("organizations, their members and invitations are made, changed and deleted") func organizations()
        async throws
    {
        let made = try await backend.read(
            "POST", "/organizations", as: "organization", ["name": "Looms", "slug": "looms", "created_by": "user_ada"])
        let path = "/organizations/\(made["id"]?.string ?? "")"
        try await backend.read("GET", "/organizations/looms", as: "organization")
        try await backend.read("GET", "/organizations", as: "paginated of organization")
        let everywhere = try await backend.read(
            "GET", "/organization_memberships", as: "paginated of organization_membership")
        #expect(everywhere["data"]?.array?.count == 2)
        try await backend.read("PATCH", path, as: "organization", ["name": "Power Looms"])
        try await backend.read("PUT", "\(path)/metadata", as: "organization", ["private_metadata": ["a": 1]])
        let member: JSON = ["user_id": "user_grace", "role": "org:member"]
        try await backend.read("POST", "\(path)/memberships", as: "organization_membership", member)
        #expect(
            try await backend.send("POST", "\(path)/memberships", member).code == "already_a_member_in_organization")
        try await backend.read("GET", "\(path)/memberships", as: "paginated of organization_membership")
        try await backend.read(
            "PATCH", "\(path)/memberships/user_grace", as: "organization_membership", ["role": "org:admin"])
        try await backend.read("DELETE", "\(path)/memberships/user_grace", as: "organization_membership")
        let invited = try await backend.read(
            "POST", "\(path)/invitations", as: "organization_invitation",
            ["email_address": "x@example.test", "role": "org:member"])
        try await backend.read("GET", "\(path)/invitations", as: "paginated of organization_invitation")
        try await backend.read(
            "POST", "\(path)/invitations/\(invited["id"]?.string ?? "")/revoke", as: "organization_invitation")
        try await backend.read("DELETE", path, as: "deleted_object")
        #expect(try await backend.send("GET", path).code == "resource_not_found")
    }

    @Test("the keys are those that sign, and what is not offered or not allowed is refused by Clerk's own error")
    func refused() async throws {
        let keys = try await backend.send("GET", "/jwks")
        #expect(keys.fields["Content-Type"] == "application/json" && keys.json["keys"]?.array?.isEmpty == false)
        for (path, status, code) in [
            ("/api_keys", 403, "feature_not_enabled"), ("/m2m_tokens", 403, "feature_not_enabled"),
            ("/machines", 403, "feature_not_enabled"), ("/nowhere", 404, "resource_not_found"),
        ] {
            let answer = try await backend.send("GET", path)
            #expect(answer.status == status && answer.code == code, "\(path)")
        }
        let wrong = try await backend.send("GET", "/users", key: "sk_test_other")
        #expect(wrong.status == 401 && wrong.code == "clerk_key_invalid")
    }
}
