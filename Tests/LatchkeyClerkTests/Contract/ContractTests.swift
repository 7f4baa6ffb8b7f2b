import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import Testing

@testable import LatchkeyClerk

/// Walks through what a client does, and checks each answer against what the clients decode there.
struct ContractWalk: Sendable {
    let client: RawClient
    private let found = Locked(ClientContract.Finding())
    static let redirect = "http://127.0.0.1:8765/callback"

    init(_ settings: DevServer.ClerkSetting..., change: (inout DevServer.Clerk) -> Void = { _ in }) throws {
        client = try RawClient {
            $0.settings = Set(settings)
            change(&$0)
        }
    }

    var finding: ClientContract.Finding { found.withLock { $0 } }

    @discardableResult
    func send(
        _ method: String, _ path: String, _ form: KeyValuePairs<String, String> = [:], query: String = "",
        as session: String? = nil
    ) async throws -> JSON {
        let answer = try await client.send(method, path, form, query: query, as: session)
        #expect(answer.status == 200, "\(method) \(path): \(answer.text.prefix(200))")
        var one = ClientContract.Finding()
        let request = try #require(ClientRequest.all.first { $0.fits(method, path) }, "\(method) \(path)")
        request.check(answer, &one)
        found.withLock { $0 += one }
        return answer.content
    }

    func signIn(_ who: String = RawClient.ada, _ password: String = "ada-password") async throws -> String {
        let done = try await send("POST", "/client/sign_ins", ["identifier": who, "password": password])
        return try #require(done["created_session_id"]?.string)
    }
}

@Suite("What Clerk's clients decode") struct ContractTests {
    private typealias Walk = ContractWalk

    @Test("every answer has each member that iOS, Android and clerk-js need, with its type") func all() async throws {
        var found = ClientContract.Finding()
        for walk in [signIns, signUps, elsewhere, person, addresses, sessions, reverification, pending, organizations] {
            found += try await walk()
        }
        print(found.line)
        #expect(found.missing.isEmpty, "\(found.missing.joined(separator: "\n"))")
        #expect(found.wrong.isEmpty, "\(found.wrong.joined(separator: "\n"))")
        #expect(found.resources.count >= 50 && found.members > 10_000)
    }

    @Test("a member that is missing, null or of another type is found") func finds() {
        var found = ClientContract.Finding()
        let token: JSON = ["object": "token", "jwt": .null]
        ClientContract.clerk.check(token, as: "session_token", at: "t", &found)
        ClientContract.clerk.check(["object": "token", "jwt": 1], as: "session_token", at: "t", &found)
        ClientContract.clerk.check(["object": "token"], as: "session_token", at: "t", &found)
        #expect(found.missing.count == 2 && found.wrong.count == 1)
    }

    func signIns() async throws -> ClientContract.Finding {
        let walk = try Walk()
        try await walk.send("GET", "/environment")
        try await walk.send("PATCH", "/environment")
        try await walk.send("GET", "/client")
        try await walk.send("PUT", "/client")
        let begun = try await walk.send("POST", "/client/sign_ins", ["identifier": RawClient.ada])
        let path = "/client/sign_ins/\(begun["id"]?.string ?? "")"
        try await walk.send("GET", path)
        for form: KeyValuePairs in [
            ["strategy": "email_code"], ["strategy": "phone_code"],
            ["strategy": "email_link", "redirect_url": Walk.redirect],
            ["strategy": "reset_password_email_code"],
        ] { try await walk.send("POST", "\(path)/prepare_first_factor", form) }
        try await walk.send(
            "POST", "\(path)/attempt_first_factor", ["strategy": "reset_password_email_code", "code": "424242"])
        try await walk.send("POST", "\(path)/reset_password", ["password": "another horse"])
        try await walk.send("DELETE", "/client/sessions")
        let grace = try await walk.send(
            "POST", "/client/sign_ins", ["identifier": "grace+clerk_test@example.test", "password": "grace-password"])
        let code = Scene.appCode.revealText()
        try await walk.send(
            "POST", "/client/sign_ins/\(grace["id"]?.string ?? "")/attempt_second_factor",
            ["strategy": "totp", "code": code])
        try await walk.send("POST", "/client/sign_ins", ["strategy": "passkey"])
        try await walk.send("POST", "/client/sign_ins")
        let trust = try Walk(.clientTrust)
        let asked = try await trust.send(
            "POST", "/client/sign_ins", ["identifier": RawClient.ada, "password": "ada-password"])
        let second = "/client/sign_ins/\(asked["id"]?.string ?? "")"
        try await trust.send("POST", "\(second)/prepare_second_factor", ["strategy": "email_code"])
        try await trust.send(
            "POST", "\(second)/attempt_second_factor", ["strategy": "email_code", "code": "424242"])
        try await trust.send("DELETE", "/client")
        return walk.finding + trust.finding
    }

    func signUps() async throws -> ClientContract.Finding {
        let walk = try Walk(.legal)
        let begun = try await walk.send(
            "POST", "/client/sign_ups",
            ["email_address": "new+clerk_test@example.test", "unsafe_metadata": "{\"a\":1}"])
        let path = "/client/sign_ups/\(begun["id"]?.string ?? "")"
        try await walk.send(
            "PATCH", path, ["password": "long enough", "first_name": "Nia", "phone_number": "+12015550142"])
        try await walk.send("GET", path)
        for strategy in ["email_code", "phone_code"] {
            try await walk.send("POST", "\(path)/prepare_verification", ["strategy": strategy])
            try await walk.send("POST", "\(path)/attempt_verification", ["strategy": strategy, "code": "424242"])
        }
        try await walk.send("GET", "\(path)/enterprise_connections")
        try await walk.send("PATCH", path, ["legal_accepted": "true"])
        try await walk.send("POST", "/waitlist", ["email_address": "new@example.test"])
        let links = try Walk(.emailLink, .passwordless)
        let made = try await links.send("POST", "/client/sign_ups", ["email_address": "lin@example.test"])
        let verifier = String(repeating: "v", count: 43)
        try await links.send(
            "POST", "/client/sign_ups/\(made["id"]?.string ?? "")/prepare_verification",
            [
                "strategy": "email_link", "redirect_uri": Walk.redirect, "code_challenge_method": "S256",
                "code_challenge": Base64URL.encode(Hash.digest(Array(verifier.utf8), .sha256)),
            ])
        let link = try #require(links.client.server.clerkMessages.last?.link)
        let query = Dictionary(
            link.split(separator: "?")[1].split(separator: "&").map { $0.split(separator: "=").map(String.init) }
                .map { ($0[0], $0[1]) }
        ) { $1 }
        try await links.send(
            "POST", "/client/magic_links/complete",
            [
                "flow_id": query["flow_id"] ?? "", "approval_token": query["approval_token"] ?? "",
                "code_verifier": verifier,
            ])
        return walk.finding + links.finding
    }

    func elsewhere() async throws -> ClientContract.Finding {
        var found = ClientContract.Finding()
        for visitor in [RawClient.ada, "new@example.test", nil] {
            for kind in ["sign_ins", "sign_ups"] {
                let walk = try Walk { $0.visitor = visitor }
                let begun = try await walk.send(
                    "POST", "/client/\(kind)", ["strategy": "oauth_github", "redirect_url": Walk.redirect])
                let state = begun["first_factor_verification"] ?? begun["verifications"]?["external_account"]
                let page = try #require(state?["external_verification_redirect_url"]?.string)
                _ = try await walk.client.visit(page)
                try await walk.send("GET", "/client/\(kind)/\(begun["id"]?.string ?? "")")
                try await walk.send("GET", "/client")
                found += walk.finding
            }
        }
        let walk = try Walk(.ssoOnly)
        let begun = try await walk.send(
            "POST", "/client/sign_ins",
            ["strategy": "enterprise_sso", "identifier": "mae@corp.example.test", "redirect_url": Walk.redirect])
        _ = try await walk.client.visit(
            begun["first_factor_verification"]?["external_verification_redirect_url"]?.string ?? "")
        let session = try #require(try await walk.send("GET", "/client")["last_active_session_id"]?.string)
        try await walk.send("GET", "/me", as: session)
        try await walk.send("GET", "/me/enterprise_connections", as: session)
        try await walk.send("GET", "/environment")
        found += walk.finding
        return found
    }
}

extension ClientContract.Finding {
    static func + (one: Self, other: Self) -> Self {
        var both = one
        both += other
        return both
    }
}
