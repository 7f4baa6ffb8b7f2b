import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeySupabase

@Suite("Taking over a session of another Supabase client")
struct AdoptionTests {
    static let answer = session(
        refresh: "r-new", claims: ["sub": .string(StoredSessions.ada)],
        user: ["id": .string(StoredSessions.ada), "factors": [FactorTests.totp]])

    private func stored() throws -> SupabaseImport { try SupabaseImport(StoredSessions.service.serialized()) }

    @Test(
        "every layout is adopted by one refresh, and the next process goes on with it", .need("N7"),
        .complaint(.supabase, 24),
        arguments: StoredSessions.layouts)
    func adopted(_ layout: StoredSessions.Layout) async throws {
        let stage = try Stage()
        stage.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        let session = try await stage.client.adopt(SupabaseImport(layout.bytes))
        #expect(stage.scene.bodies == [["refresh_token": "r-old"]])
        #expect(session.supabaseUser?.email == "ada@example.test" && session.id == AuthSession.ID("s1"))
        #expect(SessionState(session.state).providerToken == Secret("gh-1"))
        #expect(SessionState(session.state).providerRefreshToken == Secret("gh-2"))
        #expect(stage.client.currentAccount == session.account)
        let next = try Stage(store: stage.store)
        #expect(try await next.client.accounts().map(\.isDurable) == [true])
        next.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        try await next.client.refresh()
        #expect(next.scene.bodies == [["refresh_token": "r-new"]])
        try stage.scene.transport.verifyFinished()
    }

    @Test("adopting once more sends nothing, and returns the session that is there")
    func again() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        let first = try await stage.client.adopt(stored())
        let second = try await stage.client.adopt(stored())
        #expect(second.id == first.id && second.tokens == first.tokens)
        let next = try Stage(store: stage.store)
        #expect(try await next.client.adopt(stored(), for: "supabase").account == first.account)
        #expect(stage.scene.transport.requests.count == 1 && next.scene.transport.requests.isEmpty)
    }

    @Test("four at once get one session by one request")
    func together() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        let stored = try stored()
        let sessions = try await withThrowingTaskGroup(of: AuthSession.self) { group in
            for _ in 0..<4 { group.addTask { try await stage.client.adopt(stored) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sessions.count == 4 && sessions.allSatisfy { $0.id == sessions[0].id && !$0.tokens.isEmpty })
        try await stage.client.settleRevocations()
        #expect(stage.scene.transport.requests.count == 1)
    }

    @Test(
        "a session that is over is told so, and the account says why nobody is signed in",
        arguments: [
            ("refresh_token_not_found", AuthError.SignInRequiredReason.refused),
            ("refresh_token_already_used", .refused), ("session_not_found", .refused),
            ("session_expired", .expired), ("user_banned", .banned),
        ])
    func dead(code: String, reason: AuthError.SignInRequiredReason) async throws {
        let stage = try Stage()
        stage.scene.refuse("POST", TokenRefreshTests.path, 400, code)
        let error = try await refusal(stage)
        #expect(error.code == .signInRequired(reason) && error.serviceCode == code)
        #expect(try await stage.client.accounts().map(\.state) == [.signInRequired(reason)])
    }

    /// What comes in the way of the first refresh, and passes.
    enum Trouble: CaseIterable {
        case unreachable, interrupted, unavailable, limited

        func befall(_ scene: Scene) {
            let path = Scene.url + TokenRefreshTests.path
            switch self {
            case .unreachable:
                scene.transport.expect("POST", path, .failure(TransportError(.unreachable, wasSent: false)))
            case .interrupted:
                scene.transport.expect("POST", path, .failure(TransportError(.interrupted, wasSent: true)))
            case .unavailable: scene.expect("POST", TokenRefreshTests.path, 503)
            case .limited: scene.refuse("POST", TokenRefreshTests.path, 429, "over_request_rate_limit")
            }
        }
    }

    @Test("where the service cannot be reached the session is stored, and refreshed later", arguments: Trouble.allCases)
    func passing(_ trouble: Trouble) async throws {
        let stage = try Stage()
        trouble.befall(stage.scene)
        let session = try await stage.client.adopt(stored())
        #expect(session.tokens.isEmpty && session.account == stage.client.currentAccount)
        let next = try Stage(store: stage.store)
        next.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        #expect(try await next.client.accounts().map(\.isDurable) == [true])
        _ = try await next.client.accessToken()
        #expect(stage.scene.bodies + next.scene.bodies == Array(repeating: ["refresh_token": "r-old"], count: 2))
        // Once more with the same bytes: it is there.
        #expect(try await !next.client.adopt(stored()).tokens.isEmpty)
        try next.scene.transport.verifyFinished()
    }

    @Test("a refusal for no reason that ends a session, and an answer that is none, are told and end nothing")
    func unexplained() async throws {
        let hook = TransportResponse(
            status: 403, fields: ["X-Supabase-Api-Version": "2024-01-01"],
            body: Array(#"{"code":"unknown","message":"Your plan has ended."}"#.utf8))
        for (answer, code) in [
            (hook, AuthError.Code.signInRequired(.refusedWithoutReason)),
            (TransportResponse(status: 200, body: Array(#"{"access_token":"x"}"#.utf8)), .untrusted(.malformed)),
        ] {
            let stage = try Stage()
            stage.scene.transport.expect("POST", Scene.url + TokenRefreshTests.path, .answer(answer))
            #expect(try await refusal(stage).code == code)
            stage.scene.clock.advance(by: .seconds(86_400))
            stage.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
            #expect(try await !stage.client.adopt(stored()).tokens.isEmpty)
            #expect(stage.scene.bodies.allSatisfy { $0 == ["refresh_token": "r-old"] })
            try stage.scene.transport.verifyFinished()
        }
    }

    @Test("a full store keeps nothing, and the same bytes do it the next time")
    func full() async throws {
        let stage = try Stage()
        let failing = FaultyStore(stage.store)
        failing.script(replaces: .refused(AuthError(.store(.full), "no space")))
        let client = try AuthClient.Builder().provider(stage.scene.provider).store(failing)
            .transport(stage.scene.transport).context(stage.scene.world).build()
        #expect(try await trouble { _ = try await client.adopt(stored()) }.code == .store(.full))
        #expect(try await client.accounts().isEmpty && stage.scene.transport.requests.isEmpty)
        stage.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        #expect(try await !client.adopt(stored()).tokens.isEmpty)
    }

    @Test("where the stored token does not say which session it is, it has a name that is always the same")
    func nameless() throws {
        func name(_ refresh: JSON) throws -> String {
            let access = accessToken(["sub": .string(StoredSessions.ada), "session_id": .null])
            let bytes = StoredSessions.changed(["access_token": .string(access), "refresh_token": refresh])
            return try SupabaseImport(bytes).session
        }
        #expect(try name("r-1") == name("r-1") && name("r-1") != name("r-2"))
        #expect(try SupabaseImport(StoredSessions.service.serialized()).session == "s1")
    }

    @Test("another person's answer is not taken")
    func person() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", TokenRefreshTests.path, 200, session(refresh: "r-new"))
        #expect(try await refusal(stage).code == .untrusted(.subject))
    }

    @Test(
        "a session of another project is told so, and its token is sent nowhere",
        arguments: [
            "https://xyz.supabase.co/auth/v1", "http://abc.supabase.co/auth/v1", "https://abc.supabase.co",
            "https://abc.supabase.co.example.test/auth/v1", "https://abc.supabase.co/auth/v11",
        ])
    func project(issuer: String) async throws {
        let bytes = StoredSessions.changed(["access_token": .string(accessToken(["iss": .string(issuer)]))])
        let stage = try Stage()
        let error = try await trouble { _ = try await stage.client.adopt(SupabaseImport(bytes)) }
        #expect(error.code == .untrusted(.issuer) && error.message.contains("another project"))
        let ticket = try SupabaseImport(bytes).ticket
        let direct = try await trouble { _ = try await stage.client.signIn(with: "supabase", .ticket(ticket)) }
        #expect(direct.code == .untrusted(.issuer) && stage.scene.transport.requests.isEmpty)
        // A project that is reached by another address than it names itself by.
        var scene = Scene()
        scene.provider.issuer = issuer
        try SupabaseImport(bytes).check(scene.provider)
    }

    @Test("a session of a further issuer that the provider trusts is taken over, by exactly that name and no other")
    func trustedIssuer() throws {
        let domain = "https://auth.example.com/auth/v1"
        var provider = Scene().provider
        provider.trustedIssuers = [domain, "http://10.0.0.1/auth/v1", ""]
        for issuer in [domain, Scene.url] {
            let bytes = StoredSessions.changed(["access_token": .string(accessToken(["iss": .string(issuer)]))])
            try SupabaseImport(bytes).check(provider)
        }
        for issuer in [
            domain + "/", domain + "1", "https://AUTH.example.com/auth/v1", "https://auth.example.com",
            "http://auth.example.com/auth/v1", "https://auth.example.com.evil.test/auth/v1",
            "https://xyz.supabase.co/auth/v1", "https://auth.example.com:443/auth/v1", "http://10.0.0.1/auth/v1",
        ] {
            let bytes = StoredSessions.changed(["access_token": .string(accessToken(["iss": .string(issuer)]))])
            #expect(throws: AuthError.self, "\(issuer)") { try SupabaseImport(bytes).check(provider) }
        }
    }

    @Test("a token that names no project, or the same with a slash, is no reason to refuse")
    func anyProject() throws {
        let provider = Scene().provider
        for issuer: JSON in [.null, "supabase", 7, .string(Scene.url + "/"), "https://ABC.supabase.co/auth/v1"] {
            let bytes = StoredSessions.changed(["access_token": .string(accessToken(["iss": issuer]))])
            try SupabaseImport(bytes).check(provider)
        }
    }

    @Test("a ticket of anything else is none, and a damaged one is named")
    func tickets() async throws {
        let scene = Scene()
        for text in ["", "r-old", "supabase-import", String(decoding: StoredSessions.changed([:]), as: UTF8.self)] {
            let error = try await trouble { _ = try await scene.begin(.signIn(.ticket(Secret(text)))) }
            #expect(error.code == .configuration(.unsupported))
        }
        let damaged = try await trouble {
            _ = try await scene.begin(.signIn(.ticket(Secret("supabase-import:{\"refresh_token\":\"r-old\"}"))))
        }
        #expect(damaged.code == .untrusted(.malformed) && damaged.message.contains("$.access_token is missing"))
        #expect(scene.transport.requests.isEmpty)
    }

    @Test("without such a provider nothing is sent")
    func unknown() async throws {
        let stage = try Stage()
        let error = try await trouble { _ = try await stage.client.adopt(stored(), for: "other") }
        #expect(error.code == .configuration(.invalid) && stage.scene.transport.requests.isEmpty)
    }

    @Test("whose session ended here gets in again by one that is still good")
    func afterTheEnd() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        _ = try await stage.client.adopt(stored())
        stage.scene.refuse("POST", TokenRefreshTests.path, 400, "session_not_found")
        _ = try? await stage.client.refresh()
        stage.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        _ = try await stage.client.adopt(stored())
        #expect(try await stage.client.accounts().map(\.state) == [.fresh])
        try stage.scene.transport.verifyFinished()
    }

    @Test("nothing secret of an adoption is in the log")
    func log() async throws {
        let lines = RecordingObserver()
        let stage = try Stage(observer: lines)
        stage.scene.expect("POST", TokenRefreshTests.path, 200, Self.answer)
        _ = try await stage.client.adopt(stored())
        let text = lines.observations.map { "\($0)" }.joined()
        for secret in StoredSessions.secrets + ["r-new"] { #expect(!text.contains(secret)) }
        #expect(!text.isEmpty)
    }

    /// What an adoption is refused with; there is no token, and no secret is told.
    private func refusal(_ stage: Stage) async throws -> AuthError {
        let error = try await trouble { _ = try await stage.client.adopt(stored()) }
        #expect(stage.client.currentToken() == nil)
        for secret in StoredSessions.secrets + ["r-new"] { #expect(!error.message.contains(secret)) }
        return error
    }
}
