import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyClerk

@Suite("Sessions of the emulated instance that are pending") struct PendingTests {
    private func keys(_ session: JSON) -> [String] {
        session["tasks"]?.array?.compactMap { $0["key"]?.string } ?? []
    }

    /// What a fresh session token says about the session.
    private func claim(_ client: RawClient, _ session: String) async throws -> String? {
        let answer = try await client.send("POST", "/client/sessions/\(session)/tokens")
        let parts = try #require(answer.json["jwt"]?.string).split(separator: ".")
        return try JSON.parse(Base64URL.decode(parts[1]))["sts"]?.string
    }

    private func begin(_ setting: DevServer.ClerkSetting) async throws -> (RawClient, String) {
        let client = try RawClient { $0.settings = [setting] }
        let id = try await client.signIn()
        let session = try await client.session()
        #expect(session["status"] == "pending" && keys(session) == [setting.rawValue])
        #expect(try await claim(client, id) == "pending")
        return (client, id)
    }

    private func expectActive(_ client: RawClient, _ id: String) async throws {
        let session = try await client.session()
        #expect(session["status"] == "active" && session["tasks"] == .null)
        #expect(try await claim(client, id) == "active")
    }

    @Test("without a setting a session is active at once") func none() async throws {
        let client = try RawClient()
        try await expectActive(client, client.signIn())
    }

    @Test("setup-mfa ends with an authenticator app that was verified") func app() async throws {
        let (client, id) = try await begin(.setupMFA)
        let made = try await client.send("POST", "/me/totp", as: id)
        let secret = try #require(made.content["secret"]?.string)
        _ = try await client.send("POST", "/me/totp/attempt_verification", ["code": "000000"], as: id)
        #expect(try await client.session()["status"] == "pending")
        let code = try #require(DevServer.TOTP.code(secret: secret, at: Date().timeIntervalSince1970))
        _ = try await client.send("POST", "/me/totp/attempt_verification", ["code": code], as: id)
        try await expectActive(client, id)
    }

    @Test("setup-mfa ends with a number for the second factor, which the next sign-in asks for")
    func number() async throws {
        let (client, id) = try await begin(.setupMFA)
        let phones = try await client.send("GET", "/me/phone_numbers", as: id)
        let phone = try #require(phones.json.array?.first?["id"]?.string)
        let patched = try await client.send(
            "PATCH", "/me/phone_numbers/\(phone)", ["reserved_for_second_factor": "true"], as: id)
        #expect(patched.content["reserved_for_second_factor"] == true)
        try await expectActive(client, id)
        let other = try RawClient(at: client.server)
        let begun = try await other.send(
            "POST", "/client/sign_ins", ["identifier": RawClient.ada, "password": "ada-password"])
        #expect(begun.content["status"] == "needs_second_factor")
        let path = "/client/sign_ins/\(try #require(begun.content["id"]?.string))"
        _ = try await other.send("POST", "\(path)/prepare_second_factor", ["strategy": "phone_code"])
        let end = try await other.send(
            "POST", "\(path)/attempt_second_factor", ["strategy": "phone_code", "code": "424242"])
        #expect(end.content["status"] == "complete")
    }

    @Test("reset-password ends with a new password, here or in a sign-in") func password() async throws {
        let (client, id) = try await begin(.resetPassword)
        let wrong = try await client.send(
            "POST", "/me/change_password", ["current_password": "x", "new_password": "another horse"], as: id)
        #expect(wrong.code == "form_password_incorrect")
        #expect(keys(try await client.session()) == ["reset-password"])
        _ = try await client.send(
            "POST", "/me/change_password", ["current_password": "ada-password", "new_password": "another horse"],
            as: id)
        try await expectActive(client, id)
    }

    @Test("choose-organization ends with one that the person is in, and there is no way back to none")
    func organization() async throws {
        let (client, id) = try await begin(.chooseOrganization)
        let path = "/client/sessions/\(id)/touch"
        #expect(try await client.send("POST", path, ["active_organization_id": "org_none"]).status == 404)
        #expect(try await client.send("POST", path, ["active_organization_id": ""]).content["status"] == "pending")
        #expect(
            try await client.send("POST", path, ["active_organization_id": "org_engines"]).content["status"] == "active"
        )
        try await expectActive(client, id)
        #expect(try await client.send("POST", path, ["active_organization_id": ""]).content["status"] == "active")
        let environment = try await client.send("GET", "/environment").json
        #expect(environment["organization_settings"]?["force_organization_selection"] == true)
    }

    @Test("several tasks are worked on in order") func several() async throws {
        let client = try RawClient { $0.settings = [.setupMFA, .resetPassword, .chooseOrganization] }
        try await client.signIn()
        #expect(keys(try await client.session()) == ["reset-password", "setup-mfa", "choose-organization"])
    }
}
