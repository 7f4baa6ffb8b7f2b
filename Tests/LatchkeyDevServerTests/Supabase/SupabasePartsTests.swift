import LatchkeyCrypto
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@testable import LatchkeyDevServer

@Suite("Parts of the Supabase dialect")
struct SupabasePartsTests {
    @Test("a secret that is none has no code, and neither has a time that is none")
    func noCode() {
        for secret in ["", "not base 32!"] { #expect(DevServer.TOTP.code(secret: secret, at: 59) == nil) }
        #expect(DevServer.TOTP.code(secret: "GEZDGNBVGY3TQOJQ", at: -1) == nil)
    }

    @Test("Keccak-256 gives the published values, and what signed nothing has no signer")
    func ethereum() {
        #expect(
            Hex.encode(Keccak.digest([])) == "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
        #expect(
            Hex.encode(Keccak.digest(Array("abc".utf8)))
                == "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45")
        let zero = [UInt8](repeating: 0, count: 65)
        let large = [UInt8](repeating: 0xFF, count: 64) + [27]
        for signature in [[], zero, large, Array(zero.dropLast()), [UInt8](repeating: 1, count: 64) + [31]] {
            #expect(EthereumSignature.signer(of: [1, 2, 3], signature: signature) == nil)
        }
        let five = Residue([UInt8](repeating: 0, count: 31) + [5], Residue.scalars)
        #expect(five * five.inverse == Residue(1, Residue.scalars))
        #expect((Residue(0, Residue.scalars) - five) + five == Residue(0, Residue.scalars))
        let nine = Residue(9, Residue.coordinates)
        #expect(nine.root.map { $0 * $0 } == nine)
    }

    @Test("Times are written as RFC 3339 wants them")
    func times() {
        #expect(RFC3339.string(0) == "1970-01-01T00:00:00Z")
        #expect(RFC3339.string(1_795_000_000.25) == "2026-11-18T11:06:40.25Z")
        #expect(RFC3339.string(-0.5) == "1969-12-31T23:59:59.5Z")
    }

    @Test("Projects with a shared secret publish no key, and their tokens are signed with the secret")
    func sharedSecret() async throws {
        let harness = try SupabaseHarness { ($0.signing, $0.secret) = (.hs256, "0123456789abcdef0123456789abcdef") }
        harness.user("ada@example.test")
        #expect(try await harness.send("GET", "/.well-known/jwks.json").json == ["keys": []])
        let token = try await harness.signIn("ada@example.test").accessToken
        let parts = token.split(separator: ".")
        let code = KeyedHash.code(
            for: Array("\(parts[0]).\(parts[1])".utf8), key: Array("0123456789abcdef0123456789abcdef".utf8))
        #expect(Base64URL.encode(code) == String(parts[2]))
        #expect(try await harness.send("GET", "/user", bearer: token).status == 200)
    }

    @Test(
        "An access token is verified with the published key, and dies with one changed letter, another key, or its time"
    )
    func tokens() async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        let token = try await harness.signIn("ada@example.test").accessToken
        let parts = token.split(separator: ".")
        let jwks = try await harness.send("GET", "/.well-known/jwks.json").json
        let key = try Answer.publicKey(try #require(jwks["keys"]?.array?.first))
        let isValid = try key.verify(
            signature: Base64URL.decode(parts[2]), of: Array("\(parts[0]).\(parts[1])".utf8), algorithm: .es256)
        #expect(isValid)
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        let stranger = try SupabaseHarness()
        stranger.user("ada@example.test")
        let bad = [
            "\(none).\(parts[1]).", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[0]).\(parts[2])",
            try await stranger.signIn("ada@example.test").accessToken, "x.y.z", "...",
        ]
        for token in bad { #expect(try await harness.send("GET", "/user", bearer: token).code == "bad_jwt") }
        for value in ["Bearer", "Bearer  \(token)", "Basic \(token)", token, "Bearer \(token) x"] {
            let answer = try await harness.send("GET", "/user", fields: [("Authorization", value)])
            #expect(answer.code == "no_authorization")
        }
        harness.advance(3600)
        #expect(try await harness.send("GET", "/user", bearer: token).code == "bad_jwt")
    }

    @Test("Wrong clocks: what the server shows is ahead, what it counts is not")
    func skew() async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        harness.server.configure { $0.clockSkew = 86_400 }
        let answer = try await harness.signIn("ada@example.test")
        #expect(answer.json["expires_at"]?.number == harness.now.rounded(.down) + 86_400 + 3600)
        #expect(answer.json["expires_in"] == 3600)
        #expect(try await harness.send("GET", "/user", bearer: answer.accessToken).status == 200)
    }

    @Test("Faults hit the dialect's endpoints, by grant too, and the log tells what happened")
    func faults() async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        let first = try await harness.signIn("ada@example.test")
        harness.server.inject(.init(.status, at: .supabaseToken, grant: .refreshToken, status: 503))
        harness.server.inject(.init(.empty400, at: .supabaseUser))
        #expect(try await harness.signIn("ada@example.test").status == 200)
        let refused = try await harness.refresh(first.refreshToken)
        #expect(refused.status == 503 && refused.field("X-Sb-Error-Code") == nil)
        #expect(try await harness.send("GET", "/user", bearer: first.accessToken).response.body.isEmpty)
        #expect(try await harness.refresh(first.refreshToken).status == 200)
        harness.server.inject(.init(.spentToken, at: .supabaseToken, grant: .refreshToken))
        #expect(try await harness.refresh(first.refreshToken).code == "refresh_token_not_found")
        let log = harness.server.log().filter { $0.endpoint == .supabaseToken }
        #expect(log.map(\.grant) == ["password", "password", "refresh_token", "refresh_token", "refresh_token"])
        #expect(log.map(\.outcome) == ["ok", "ok", "not_reached", "ok", "refresh_token_not_found"])
        #expect(log[3].family == 1 && log[3].generation == 1)
    }

    @Test(
        "A fault with a code is the service's own error, without one a gateway's", arguments: ["conflict", "unknown"])
    func namedFault(code: String) async throws {
        let harness = try SupabaseHarness()
        for version in ["2024-01-01", ""] {
            harness.server.inject(.init(.status, at: .supabaseToken, status: 409, error: code))
            let answer = try await harness.send(
                "POST", "/token?grant_type=refresh_token", [:], fields: [("X-Supabase-Api-Version", version)])
            #expect(answer.status == 409)
            #expect(answer.field("X-Sb-Error-Code") == (code == "unknown" ? nil : code))
            #expect((version.isEmpty ? answer.json["error_code"]?.string : answer.code) == code)
        }
        harness.server.inject(.init(.status, at: .supabaseToken, status: 400))
        let gateway = try await harness.post("/token?grant_type=refresh_token", [:])
        #expect(gateway.status == 400 && gateway.code == nil && gateway.field("X-Sb-Error-Code") == nil)
    }

    @Test("Keys rotate: old tokens live while the old key is published, and new ones are signed with the new one")
    func rotation() async throws {
        let harness = try SupabaseHarness()
        #expect(harness.server.add(.init(email: "ada@example.test", password: SupabaseHarness.password)))
        #expect(!harness.server.add(.init(email: "ada@example.test", password: "another")))
        let old = try await harness.signIn("ada@example.test").accessToken
        harness.server.rotateKeys()
        #expect(try await harness.send("GET", "/.well-known/jwks.json").json["keys"]?.array?.count == 2)
        let new = try await harness.signIn("ada@example.test").accessToken
        #expect(old.split(separator: ".")[0] != new.split(separator: ".")[0])
        for token in [old, new] { #expect(try await harness.send("GET", "/user", bearer: token).status == 200) }
        harness.server.rotateKeys(keepingOld: false)
        for token in [old, new] { #expect(try await harness.send("GET", "/user", bearer: token).code == "bad_jwt") }
        harness.server.revoke(subject: "ada@example.test")
        #expect(harness.server.supabaseSessions().isEmpty)
    }

    @Test("The inbox is read by programs and by people, and forgets the oldest")
    func inbox() async throws {
        let harness = try SupabaseHarness { $0.resendGap = 0 }
        harness.user("ada@example.test")
        for _ in 0..<3 { _ = try await harness.post("/otp", ["email": "ada@example.test"]) }
        _ = try await harness.post("/otp", ["phone": "+15550100001"])
        func get(_ target: String, _ fields: [(name: String, value: String)]) async throws -> Answer {
            let host = [(name: "Host", value: "127.0.0.1:\(harness.server.port)")]
            let request = try #require(ServerRequest("GET", target, fields: host + fields))
            return Answer(try #require(await harness.server.answer(request)))
        }
        #expect(try await get("/control/inbox", []).status == 403)
        let field = [(name: "X-Latchkey-Control", value: "1")]
        let all = try #require(try await get("/control/inbox", field).json["messages"]?.array)
        #expect(all.map { $0["channel"]?.string } == ["email", "email", "email", "sms"])
        let sms = try await get("/control/inbox?to=15550100001", field).json["messages"]?.array
        #expect(sms?.count == 1 && sms?.first?["link"] == nil)
        let page = try await get("/inbox", [])
        #expect(page.status == 200)
        for message in harness.server.inbox() { #expect(page.text.contains(message.code)) }
        #expect(page.text.contains("<time datetime=\"20") && page.text.contains("just now, 20"))
        // It refreshes itself, until the person stops that, and without an element that tools complain of.
        #expect(page.field("Refresh") == "15;url=/inbox" && !page.text.contains("http-equiv"))
        #expect(page.text.contains("<a href=\"/inbox?paused=1\">Stop refreshing</a>"))
        let paused = try await get("/inbox?paused=1", [])
        #expect(paused.field("Refresh") == nil && paused.text.contains("<a href=\"/inbox\">Refresh again</a>"))
        var inbox = SupabaseInbox()
        for number in 0..<5_000 {
            inbox.add(.init(sequence: 0, to: "\(number)", channel: "sms", type: "sms", code: "0"))
        }
        #expect(inbox.latest.map(\.sequence) == Array(4_001...5_000))
    }

    @Test("The dialect is configured through control, and what makes no sense is refused")
    func control() async throws {
        let harness = try SupabaseHarness()
        harness.user("ada@example.test")
        func configure(_ document: String) async throws -> Int {
            let fields = [
                (name: "Host", value: "127.0.0.1:\(harness.server.port)"), (name: "X-Latchkey-Control", value: "1"),
            ]
            let request = try #require(
                ServerRequest("POST", "/control/configure", fields: fields, body: Array(document.utf8)))
            return try #require(await harness.server.answer(request)).status
        }
        let good = #"{"supabase":{"accessTokenLifetime":2,"reuseInterval":0,"autoconfirms":true,"refreshTokens":"v1"}}"#
        #expect(try await configure(good) == 200)
        let answer = try await harness.signIn("ada@example.test")
        #expect(answer.json["expires_in"] == 2 && answer.refreshToken.utf8.count == 12)
        let bad = [
            #"{"supabase":{"accessTokenLifetime":0}}"#, #"{"supabase":{"nothing":1}}"#, #"{"supabase":1}"#,
            #"{"supabase":{"autoconfirms":1}}"#, #"{"supabase":{"refreshTokens":"v3"}}"#,
            #"{"supabase":{"reuseInterval":-1}}"#,
        ]
        for document in bad { #expect(try await configure(document) == 400, "\(document)") }
    }

    @Test("Settings that make no sense start no server")
    func settings() {
        let bad: [(inout DevServer.Supabase) -> Void] = [
            { $0.accessTokenLifetime = 0 }, { $0.secret = "short" }, { $0.secretKey = "" }, { $0.gatewayStatus = 42 },
            { $0.users = [.init(email: "a@b.test", password: nil), .init(email: "a@b.test", password: nil)] },
            { $0.users = [.init(email: "nobody", password: nil)] }, { $0.resendGap = -1 }, { $0.codeLifetime = 0 },
            {
                $0.secretKey = "same"; $0.publishableKey = "same"
            }, { $0.mailsPerHour = -1 },
        ]
        for change in bad {
            #expect(throws: DevServer.Failure.configuration) { try SupabaseHarness(change) }
        }
    }

    @Test("The administrator lists people by page, makes links, and takes factors away")
    func admin() async throws {
        let harness = try SupabaseHarness()
        for number in 0..<5 {
            let created = try await harness.admin(
                "POST", "/users",
                ["email": .string("user-\(number)@example.test"), "password": "long enough", "email_confirm": true])
            #expect(created.status == 200)
            harness.advance(1)
        }
        let page = try await harness.admin("GET", "/users?page=2&per_page=2")
        let shown = page.json["users"]?.array?.compactMap { $0["email"]?.string }
        #expect(shown == ["user-2@example.test", "user-1@example.test"])
        #expect(page.field("X-Total-Count") == "5")
        #expect(page.field("Link")?.contains("page=3&per_page=2>; rel=\"next\"") == true)
        #expect(try await harness.admin("GET", "/users?page=9&per_page=2").json["users"] == [])
        let taken = try await harness.admin("POST", "/users", ["email": "user-0@example.test"])
        #expect(taken.code == "email_exists")

        let link = try await harness.admin(
            "POST", "/generate_link", ["type": "magiclink", "email": "user-0@example.test"])
        #expect(harness.server.inbox().isEmpty)
        let code = try #require(link.json["email_otp"])
        let session = try await harness.post(
            "/verify", ["type": "magiclink", "email": "user-0@example.test", "token": code])
        let bearer = session.accessToken
        let id = try #require(session.json["user"]?["id"]?.string)
        _ = try await SecondFactor.verify(harness, bearer: bearer)
        let factors = try await harness.admin("GET", "/users/\(id)/factors").json
        let factor = try #require(factors.array?.first?["id"]?.string)
        #expect(try await harness.admin("DELETE", "/users/\(id)/factors/\(factor)").status == 200)
        #expect(harness.server.supabaseSessions(of: "user-0@example.test").map(\.level) == ["aal1"])
        #expect(try await harness.admin("DELETE", "/users/\(id)").status == 200)
        #expect(try await harness.admin("DELETE", "/users/\(id)").code == "user_not_found")
    }

    @Test("The state keeps no more than its tables hold")
    func bounds() throws {
        var table = BoundedTable<Int, Int>(capacity: 10)
        for number in 0..<100 {
            table[number] = number
            table[number - 3] = nil
        }
        #expect(table.count <= 10 && table.all.count == table.count)
    }
}
