import FoundationEssentials
import LatchkeyDevServer
import LatchkeyJSON
import Testing

/// Walks of people who are signed in.
extension ContractTests {
    func person() async throws -> ClientContract.Finding {
        let walk = try ContractWalk()
        let id = try await walk.signIn()
        try await walk.send("GET", "/me", as: id)
        try await walk.send("PATCH", "/me", ["first_name": "Ada", "username": "countess"], as: id)
        try await walk.send("PATCH", "/me/metadata", ["unsafe_metadata": "{\"a\":{\"b\":1}}"], as: id)
        try await walk.send(
            "POST", "/me/change_password", ["current_password": "ada-password", "new_password": "another horse"], as: id
        )
        let made = try await walk.send("POST", "/me/totp", as: id)
        let secret = try #require(made["secret"]?.string)
        let code = try #require(DevServer.TOTP.code(secret: secret, at: Date().timeIntervalSince1970))
        try await walk.send("POST", "/me/totp/attempt_verification", ["code": code], as: id)
        try await walk.send("POST", "/me/backup_codes", as: id)
        try await walk.send("DELETE", "/me/totp", as: id)
        let passkey = try await walk.send("POST", "/me/passkeys", as: id)
        let path = "/me/passkeys/\(passkey["id"]?.string ?? "")"
        try await walk.send("GET", path, as: id)
        try await walk.send("PATCH", path, ["name": "Key ring"], as: id)
        try await walk.send("DELETE", path, as: id)
        let account = try await walk.send(
            "POST", "/me/external_accounts", ["strategy": "oauth_github", "redirect_url": ContractWalk.redirect], as: id
        )
        let page = account["verification"]?["external_verification_redirect_url"]?.string
        _ = try await walk.client.visit(try #require(page))
        let there = "/me/external_accounts/\(account["id"]?.string ?? "")"
        try await walk.send("PATCH", "\(there)/reauthorize", ["redirect_url": ContractWalk.redirect], as: id)
        try await walk.send("DELETE", "\(there)/tokens", as: id)
        try await walk.send("DELETE", there, as: id)
        try await walk.send("DELETE", "/me/profile_image", as: id)
        try await walk.send("GET", "/me/organization_creation_defaults", as: id)
        try await walk.send("POST", "/me/remove_password", ["current_password": "another horse"], as: id)
        try await walk.send("DELETE", "/me", as: id)
        return walk.finding
    }

    func addresses() async throws -> ClientContract.Finding {
        let walk = try ContractWalk()
        let id = try await walk.signIn()
        for (kind, address) in [("email_address", "more+clerk_test@example.test"), ("phone_number", "+12015550177")] {
            let list = kind == "email_address" ? "/me/email_addresses" : "/me/phone_numbers"
            try await walk.send("GET", list, as: id)
            let made = try await walk.send("POST", list, [kind: address], as: id)
            let path = "\(list)/\(made["id"]?.string ?? "")"
            try await walk.send("GET", path, as: id)
            try await walk.send("POST", "\(path)/prepare_verification", as: id)
            try await walk.send("POST", "\(path)/attempt_verification", ["code": "424242"], as: id)
            if kind == "phone_number" {
                try await walk.send("PATCH", path, ["reserved_for_second_factor": "true"], as: id)
                try await walk.send("GET", "/me", as: id)
            }
            try await walk.send("GET", list, as: id)
            try await walk.send("DELETE", path, as: id)
        }
        return walk.finding
    }

    func sessions() async throws -> ClientContract.Finding {
        let walk = try ContractWalk()
        let id = try await walk.signIn()
        let other = try RawClient(at: walk.client.server)
        let there = try await other.signIn()
        let path = "/client/sessions/\(id)"
        try await walk.send("GET", path)
        try await walk.send("POST", "\(path)/tokens", ["organization_id": ""])
        try await walk.send("POST", "\(path)/tokens/backend")
        try await walk.send("POST", "\(path)/touch", ["active_organization_id": "org_engines"])
        try await walk.send("GET", "/me/sessions", as: id)
        try await walk.send("GET", "/me/sessions/active", as: id)
        try await walk.send("POST", "/me/sessions/\(there)/revoke", as: id)
        try await walk.send("POST", "\(path)/end")
        try await walk.send("GET", path)
        try await walk.send("GET", "/client")
        try await walk.send("POST", "\(path)/remove")
        #expect(try await other.session()["status"] == "revoked")
        return walk.finding
    }

    func reverification() async throws -> ClientContract.Finding {
        let walk = try ContractWalk()
        let id = try await walk.signIn()
        let phones = try await walk.send("GET", "/me/phone_numbers", as: id)
        let phone = try #require(phones.array?.first?["id"]?.string)
        try await walk.send("PATCH", "/me/phone_numbers/\(phone)", ["reserved_for_second_factor": "true"], as: id)
        try await walk.send("POST", "/me/backup_codes", as: id)
        let path = "/client/sessions/\(id)/verify"
        for strategy in ["email_code", "phone_code"] {
            try await walk.send("POST", path, ["level": "first_factor"])
            try await walk.send("POST", "\(path)/prepare_first_factor", ["strategy": strategy])
            let end = try await walk.send(
                "POST", "\(path)/attempt_first_factor", ["strategy": strategy, "code": "424242"])
            #expect(end["status"] == "complete")
        }
        try await walk.send("POST", path, ["level": "multi_factor"])
        let half = try await walk.send(
            "POST", "\(path)/attempt_first_factor", ["strategy": "password", "password": "ada-password"])
        #expect(half["status"] == "needs_second_factor")
        try await walk.send("POST", "\(path)/prepare_second_factor", ["strategy": "phone_code"])
        let end = try await walk.send(
            "POST", "\(path)/attempt_second_factor", ["strategy": "phone_code", "code": "424242"])
        #expect(end["status"] == "complete" && end["session"]?["factor_verification_age"] == [0, 0])
        return walk.finding
    }

    func pending() async throws -> ClientContract.Finding {
        let walk = try ContractWalk(.setupMFA, .chooseOrganization)
        let id = try await walk.signIn()
        try await walk.send("GET", "/client")
        try await walk.send("POST", "/client/sessions/\(id)/tokens")
        try await walk.send("GET", "/environment")
        return walk.finding
    }

    func organizations() async throws -> ClientContract.Finding {
        let walk = try ContractWalk()
        let id = try await walk.signIn()
        let made = try await walk.send("POST", "/organizations", ["name": "Looms", "slug": "looms"], as: id)
        let path = "/organizations/\(made["id"]?.string ?? "")"
        try await walk.send("GET", path, as: id)
        try await walk.send("PATCH", path, ["name": "Power Looms"], as: id)
        try await walk.send("DELETE", "\(path)/logo", as: id)
        try await walk.send("GET", "\(path)/roles", as: id)
        try await walk.send("POST", "\(path)/memberships", ["user_id": "user_grace", "role": "org:member"], as: id)
        try await walk.send("GET", "\(path)/memberships", as: id)
        try await walk.send("PATCH", "\(path)/memberships/user_grace", ["role": "org:admin"], as: id)
        try await walk.send("DELETE", "\(path)/memberships/user_grace", as: id)
        let invited = try await walk.send(
            "POST", "\(path)/invitations", ["email_address": "x@example.test", "role": "org:member"], as: id)
        try await walk.send("GET", "\(path)/invitations", as: id)
        try await walk.send("POST", "\(path)/invitations/\(invited["id"]?.string ?? "")/revoke", as: id)
        let domain = try await walk.send("POST", "\(path)/domains", ["name": "example.test"], as: id)
        let own = "\(path)/domains/\(domain["id"]?.string ?? "")"
        try await walk.send(
            "POST", "\(own)/prepare_affiliation_verification",
            ["affiliation_email_address": "post+clerk_test@example.test"], as: id)
        try await walk.send("POST", "\(own)/attempt_affiliation_verification", ["code": "424242"], as: id)
        try await walk.send(
            "POST", "\(own)/update_enrollment_mode", ["enrollment_mode": "automatic_suggestion"], as: id)
        try await walk.send("GET", "\(path)/domains", as: id)
        try await walk.send("GET", own, as: id)
        try await walk.send("GET", "/me/organization_memberships", as: id)
        let joined = try await join(walk, path, as: id)
        try await walk.send("DELETE", own, as: id)
        try await walk.send("DELETE", "/me/organization_memberships/org_engines", as: id)
        try await walk.send("DELETE", path, as: id)
        return walk.finding + joined
    }

    /// A person with an address of the domain asks to join, and is let in.
    private func join(
        _ walk: ContractWalk, _ path: String, as id: String
    ) async throws -> ClientContract.Finding {
        let client = try RawClient(at: walk.client.server)
        let signUp = try await client.send(
            "POST", "/client/sign_ups",
            ["email_address": "lin+clerk_test@example.test", "password": "long enough", "strategy": "email_code"])
        let done = try await client.send(
            "POST", "/client/sign_ups/\(signUp.content["id"]?.string ?? "")/attempt_verification",
            ["strategy": "email_code", "code": "424242"])
        let session = try #require(done.content["created_session_id"]?.string)
        let suggested = try await client.send("GET", "/me/organization_suggestions", as: session)
        var found = ClientContract.Finding()
        ClientContract.clerk.check(
            suggested.content, as: "paginated of organization_suggestion", at: "suggestions", &found)
        let suggestion = try #require(suggested.content["data"]?.array?.first?["id"]?.string)
        let accepted = try await client.send("POST", "/me/organization_suggestions/\(suggestion)/accept", as: session)
        ClientContract.clerk.check(accepted.content, as: "organization_suggestion", at: "suggestion", &found)
        let open = try await walk.send("GET", "\(path)/membership_requests", as: id)
        let request = try #require(open["data"]?.array?.first?["id"]?.string)
        try await walk.send("POST", "\(path)/membership_requests/\(request)/accept", as: id)
        #expect(try await client.send("GET", "/me", as: session).content["organization_memberships"]?.array?.count == 1)
        return found
    }
}
