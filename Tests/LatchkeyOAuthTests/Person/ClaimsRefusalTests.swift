import FoundationEssentials
import Latchkey
import LatchkeyLog
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@Suite("Claims that are not taken") struct ClaimsRefusalTests {
    /// An answer of the userinfo endpoint, and what comes of it.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status = 200
        var body = ""
        var type = "application/json"
        var fields: HeaderFields = [:]
        var expected: AuthError.Code

        init(
            _ name: String, _ expected: AuthError.Code, status: Int = 200, _ body: String = "",
            type: String = "application/json", fields: HeaderFields = [:]
        ) {
            (testDescription, self.expected, self.status, self.body) = (name, expected, status, body)
            (self.type, self.fields) = (type, fields)
        }
    }

    private static func unsigned(_ header: String, signature: String = "") -> String {
        let claims = #"{"sub":"user-ada","name":"CANARY"}"#
        return [header, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".") + "." + signature
    }

    static let rows: [Row] = [
        Row("another person", .untrusted(.subject), #"{"sub":"user-mallory","name":"CANARY"}"#),
        Row("a person in other letters", .untrusted(.subject), #"{"sub":"USER-ADA","name":"CANARY"}"#),
        Row("nobody", .untrusted(.malformed), #"{"name":"CANARY"}"#),
        Row("a number", .untrusted(.malformed), #"{"sub":7,"name":"CANARY"}"#),
        Row("a page", .offline(.unreachable), "<html>CANARY", type: "text/html"),
        Row("a page that calls itself JSON", .offline(.unreachable), "<html>CANARY"),
        Row("a list", .serviceTrouble, #"["CANARY"]"#),
        Row("a member twice", .serviceTrouble, #"{"sub":"user-ada","sub":"user-ada","name":"CANARY"}"#),
        Row("17 levels", .serviceTrouble, #"{"sub":"user-ada","a":\#(String(repeating: "[", count: 17))"#),
        Row(
            "too much", .untrusted(.malformed),
            #"{"sub":"user-ada","name":"\#(String(repeating: "CANARY", count: 6_000))"}"#),
        Row("no algorithm", .untrusted(.signature), unsigned(#"{"alg":"none"}"#), type: "application/jwt"),
        Row(
            "a symmetric algorithm", .untrusted(.signature), unsigned(#"{"alg":"HS256"}"#, signature: "AAAA"),
            type: "application/jwt"),
        Row("no token", .untrusted(.malformed), "CANARY", type: "Application/JWT; charset=utf-8"),
        Row("an encrypted token", .configuration(.unsupported), "a.b.c.d.e", type: "application/jwt"),
        Row(
            "too few scopes", .refused(.scope), status: 403,
            fields: ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="CANARY""#]),
        Row("a refusal", .refused(.denied), status: 403, "CANARY"),
        Row("too many requests", .rateLimited, status: 429, "CANARY", fields: ["Retry-After": "9"]),
        Row("trouble", .serviceTrouble, status: 503, "CANARY", fields: ["Retry-After": "9"]),
        Row("a redirect", .serviceTrouble, status: 302, fields: ["Location": "https://CANARY.example"]),
    ]

    @Test(
        "an answer that is wrong is refused by its own code, says nothing of itself, and changes nothing", .law(10),
        .standard(43),
        arguments: rows)
    func refused(_ row: Row) async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        let before = try await auth.oauth().refreshClaims()
        scene.network.answer(row.status, row.body, type: row.type, row.fields)
        let error = try await trouble { try await auth.oauth().refreshClaims() }
        #expect(error.code == row.expected, "\(error)")
        #expect(error.provider == "oauth")
        #expect(!"\(error)\(scene.observer.observations)".contains("CANARY"))
        if row.fields["Retry-After"] != nil { #expect(error.retryAfter == .seconds(9)) }
        #expect(try await scene.process().oauth().claims == before)
        #expect(try await auth.accounts().first?.label == "ada@example.test")
        #expect(auth.currentToken() != nil && scene.refreshes == 0)
    }

    @Test(
        "claims that an attacker has signed, or that were signed for another client, are refused", .standard(43),
        arguments: [
            (DevServer.Attack.unsigned, AuthError.UntrustedReason.signature), (.symmetric, .signature),
            (.foreignKey, .signature), (.unknownKey, .signature), (.embeddedKey, .signature),
            (.foreignTokenIssuer, .issuer), (.foreignAudience, .claims), (.expiredToken, .claims),
            (.foreignKind, .claims), (.foreignPerson, .subject),
        ])
    func forged(_ attack: DevServer.Attack, _ reason: AuthError.UntrustedReason) async throws {
        let scene = try PersonScene { $0.signsUserInfo = true }
        let auth = try await scene.signedIn()
        let before = try await auth.oauth().refreshClaims()
        scene.server.describe(subject: "user-ada", displayName: "Mallory")
        #expect(scene.server.configure { $0.attack = attack })
        let error = try await trouble { try await auth.oauth().refreshClaims() }
        #expect(error.code == .untrusted(reason), "\(error)")
        #expect(try await auth.oauth().claims == before)
        #expect(scene.server.configure { $0.attack = nil })
        #expect(try await auth.oauth().refreshClaims().name == "Mallory")
    }

    @Test("a userinfo endpoint that refuses a new token too says nothing about the session, which goes on", .law(3))
    func refusedTwice() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        scene.server.inject(DevServer.Fault(.status, at: .userinfo, count: 2, status: 401))
        let error = try await trouble { try await auth.oauth().refreshClaims() }
        #expect(error.code == .refused(.scope) && error.recovery != .signIn)
        #expect(scene.refreshes == 1 && scene.count(.userinfo) == 2)
        #expect(try await auth.accounts().first?.state == .fresh)
        #expect(try await auth.oauth().claims?.email == "ada@example.test")
    }

    @Test("while the service cannot be reached, the call fails and the old claims stay")
    func offline() async throws {
        let scene = try PersonScene()
        let auth = try await scene.signedIn()
        let before = try await auth.oauth().refreshClaims()
        scene.network.answer { _ in throw TransportError(.unreachable, wasSent: false) }
        #expect(try await trouble { try await auth.oauth().refreshClaims() }.code == .offline(.unreachable))
        scene.network.answer { _ in throw TransportError(.tooLarge, wasSent: true) }
        #expect(try await trouble { try await auth.oauth().refreshClaims() }.code == .untrusted(.malformed))
        #expect(try await auth.oauth().claims == before)
    }

    @Test("a service without a userinfo endpoint is named as one, and the ID token's claims are there")
    func lacking() async throws {
        let scene = try PersonScene()
        scene.network.withoutUserInfo.withLock { $0 = true }
        let auth = try await scene.signedIn()
        let error = try await trouble { try await auth.oauth().refreshClaims() }
        #expect(error.code == .configuration(.unsupported) && error.message == "The service has no userinfo endpoint.")
        #expect(try await auth.oauth().claims?.email == "ada@example.test")
    }

    @Test(
        "what is said of somebody who has signed out meanwhile is kept nowhere, not with who comes next either", .law(5)
    )
    func signedOut() async throws {
        let scene = try PersonScene()
        let (auth, other) = (try await scene.signedIn(), try scene.process())
        let ada = try #require(auth.currentAccount)
        scene.network.answer { [network = scene.network] request in
            let answer = try await network.sendHonestly(request)
            _ = try await other.signOut(of: ada)
            try await scene.signIn(other, as: "grace")
            return answer
        }
        let error = try await trouble { try await auth.oauth(account: ada).refreshClaims() }
        #expect(error.code == .signInRequired(.signedOut))
        let next = try scene.process()
        #expect(try await next.accounts().map(\.label) == ["grace@example.test"])
        #expect(try await next.oauth().claims?.subject == "user-grace")
        #expect(try await next.oauth().claims?.locale == nil)
    }

    @Test("what is said of a login is not kept with the next login of the same person")
    func signedInAgain() async throws {
        let scene = try PersonScene()
        let (auth, other) = (try await scene.signedIn(), try scene.process())
        scene.network.answer { _ in
            _ = try await other.signOut()
            try await scene.signIn(other)
            return TransportResponse(
                status: 200, fields: [:], body: Array(#"{"sub":"user-ada","nickname":"of the former"}"#.utf8))
        }
        await #expect(throws: AuthError.self) { try await auth.oauth().refreshClaims() }
        #expect(try await scene.process().oauth().claims?.nickname == nil)
    }

    @Test("no claim is in an observation, an event, a log line or an error, whatever is done with it", .law(10))
    func canary() async throws {
        let lines = Locked("")
        let scene = try PersonScene { configuration in
            configuration.users[0].displayName = "CANARY One"
            configuration.users[0].claims["locale"] = "CANARY"
        }
        let auth = try scene.process { builder in
            builder.observer(LogObserver(.lines) { line in lines.withLock { $0 += line } })
                .observer(LogObserver(.jsonLines) { line in lines.withLock { $0 += line } })
        }
        let events = auth.events
        try await scene.signIn(auth)
        let claims = try await auth.oauth().refreshClaims()
        #expect(claims.name == "CANARY One" && claims.locale == "CANARY")
        try await auth.refresh()
        for (status, body) in [(200, #"{"sub":"CANARY"}"#), (401, "CANARY"), (503, "CANARY"), (200, "CANARY")] {
            scene.network.answer(status, body)
            if status == 401 { scene.network.answer(status, body) }
            do { try await auth.oauth().refreshClaims() } catch {
                lines.withLock { $0 += "\(error)\(String(reflecting: error))" }
            }
        }
        try await auth.signOut()
        var told: [AuthEvent] = []
        for await event in events {
            told.append(event)
            if case .signedOut = event { break }
        }
        var dumped = ""
        dump((told, scene.observer.observations, claims), to: &dumped)
        #expect(!told.isEmpty && !lines.withLock { $0 }.isEmpty)
        #expect(!(lines.withLock { $0 } + dumped + "\(told)\(claims)").contains("CANARY"))
    }

    @Test("nobody is asked about without being signed in, and an account of another provider is refused")
    func nobody() async throws {
        let scene = try PersonScene()
        let auth = try scene.process()
        #expect(try await trouble { _ = try await auth.oauth().claims }.code == .signInRequired(.signedOut))
        #expect(try await trouble { try await auth.oauth().refreshClaims() }.code == .signInRequired(.signedOut))
        #expect(try await trouble { _ = try auth.oauth("other") }.code == .configuration(.invalid))
        let two = try AuthClient.Builder()
            .provider(.oauth(issuer: scene.server.issuer, clientID: "dev-native"))
            .provider(.oauth(issuer: scene.server.issuer, clientID: "dev-native", named: "second"))
            .store(MemoryStore(context: scene.context)).transport(scene.network).context(scene.context).build()
        let ada = try await scene.signIn(two).account
        let error = try await trouble { _ = try await two.oauth("second", account: ada).claims }
        #expect(error.code == .configuration(.invalid))
        #expect(try await two.oauth("oauth", account: ada).claims?.subject == "user-ada")
        #expect(try await trouble { _ = try two.oauth() }.code == .configuration(.invalid))
    }
}
