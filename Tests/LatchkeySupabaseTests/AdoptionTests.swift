import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("Taking over a session of another Supabase client")
struct AdoptionTests {
    static let answer = session(
        refresh: "r-new", claims: ["sub": .string(StoredSessions.ada)],
        user: ["id": .string(StoredSessions.ada), "factors": [FactorTests.totp]])

    private func stored() throws -> SupabaseImport { try SupabaseImport(StoredSessions.service.serialized()) }

    @Test(
        "every layout is adopted by one refresh, and the next process goes on with it",
        arguments: StoredSessions.layouts)
    func adopted(_ layout: StoredSessions.Layout) async throws {
        let stage = try Stage()
        stage.scene.expect("POST", RenewalTests.path, 200, Self.answer)
        let session = try await stage.client.adopt(SupabaseImport(layout.bytes))
        #expect(stage.scene.bodies == [["refresh_token": "r-old"]])
        #expect(session.supabaseUser?.email == "ada@example.test" && session.id == Session.ID("s1"))
        #expect(SessionState(session.state).providerToken == Secret("gh-1"))
        #expect(SessionState(session.state).providerRefreshToken == Secret("gh-2"))
        #expect(stage.client.currentAccount == session.account)
        let next = try Stage(store: stage.store)
        #expect(try await next.client.accounts().map(\.isDurable) == [true])
        next.scene.expect("POST", RenewalTests.path, 200, Self.answer)
        try await next.client.refresh()
        #expect(next.scene.bodies == [["refresh_token": "r-new"]])
        try stage.scene.transport.verifyFinished()
    }

    @Test("adopting once more sends nothing, and returns the session that is there")
    func again() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", RenewalTests.path, 200, Self.answer)
        let first = try await stage.client.adopt(stored())
        let second = try await stage.client.adopt(stored())
        #expect(second.id == first.id && second.tokens == first.tokens)
        let next = try Stage(store: stage.store)
        #expect(try await next.client.adopt(stored(), for: "supabase").account == first.account)
        #expect(stage.scene.transport.requests.count == 1 && next.scene.transport.requests.isEmpty)
    }

    @Test("two at once do not end each other's session")
    func together() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", RenewalTests.path, 200, Self.answer)
        let stored = try stored()
        let codes = await withTaskGroup(of: AuthError.Code?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do throws(AuthError) { _ = try await stage.client.adopt(stored) } catch { return error.code }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.contains(nil) && codes.allSatisfy { $0 == nil || $0 == .busy })
        try await stage.client.settleRevocations()
        #expect(stage.scene.transport.requests.count == 1)
    }

    @Test(
        "a session that is over is told so, and nobody is signed in",
        arguments: [
            ("refresh_token_not_found", AuthError.SignInRequiredReason.refused),
            ("refresh_token_already_used", .refused), ("session_not_found", .refused),
            ("session_expired", .expired), ("user_banned", .banned),
        ])
    func dead(code: String, reason: AuthError.SignInRequiredReason) async throws {
        let stage = try Stage()
        stage.scene.refuse("POST", RenewalTests.path, 400, code)
        let error = try await refusal(stage)
        #expect(error.code == .signInRequired(reason) && error.serviceCode == code)
    }

    @Test("what passes adopts nothing and loses nothing: the same bytes do it the next time")
    func transient() async throws {
        let stage = try Stage()
        let path = Scene.url + RenewalTests.path
        stage.scene.transport.expect("POST", path, .failure(TransportError(.unreachable, wasSent: false)))
        #expect(try await refusal(stage).code == .offline(.unreachable))
        stage.scene.transport.expect("POST", path, .failure(TransportError(.interrupted, wasSent: true)))
        #expect(try await refusal(stage).code == .offline(.unreachable))
        stage.scene.expect("POST", RenewalTests.path, 503)
        #expect(try await refusal(stage).code == .serviceTrouble)
        stage.scene.refuse("POST", RenewalTests.path, 429, "over_request_rate_limit", header: ["Retry-After": "7"])
        let limited = try await refusal(stage)
        #expect(limited.code == .rateLimited && limited.retryAfter == .seconds(7))
        let page = HTTPResponse(status: 400, body: Array(#"{"message":"Project not specified"}"#.utf8))
        stage.scene.transport.expect("POST", path, .answer(page))
        #expect(try await refusal(stage).code == .serviceTrouble)
        stage.scene.expect("POST", RenewalTests.path, 200, ["access_token": "x"])
        #expect(try await refusal(stage).code == .untrusted(.malformed))
        stage.scene.expect("POST", RenewalTests.path, 200, Self.answer)
        _ = try await stage.client.adopt(stored())
        #expect(stage.scene.bodies.allSatisfy { $0 == ["refresh_token": "r-old"] })
        try stage.scene.transport.verifyFinished()
    }

    @Test("another person's answer is not taken")
    func person() async throws {
        let stage = try Stage()
        stage.scene.expect("POST", RenewalTests.path, 200, session(refresh: "r-new"))
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
        stage.scene.expect("POST", RenewalTests.path, 200, Self.answer)
        _ = try await stage.client.adopt(stored())
        stage.scene.refuse("POST", RenewalTests.path, 400, "session_not_found")
        _ = try? await stage.client.refresh()
        stage.scene.expect("POST", RenewalTests.path, 200, Self.answer)
        _ = try await stage.client.adopt(stored())
        #expect(try await stage.client.accounts().map(\.state) == [.fresh])
        try stage.scene.transport.verifyFinished()
    }

    @Test("nothing secret of an adoption is in the log")
    func log() async throws {
        let lines = RecordingObserver()
        let stage = try Stage(observer: lines)
        stage.scene.expect("POST", RenewalTests.path, 200, Self.answer)
        _ = try await stage.client.adopt(stored())
        let text = lines.observations.map { "\($0)" }.joined()
        for secret in StoredSessions.secrets + ["r-new"] { #expect(!text.contains(secret)) }
        #expect(!text.isEmpty)
    }

    /// What an adoption is refused with; nobody is signed in, and no secret is told.
    private func refusal(_ stage: Stage) async throws -> AuthError {
        let error = try await trouble { _ = try await stage.client.adopt(stored()) }
        #expect(try await stage.client.accounts().isEmpty)
        for secret in StoredSessions.secrets + ["r-new"] { #expect(!error.message.contains(secret)) }
        return error
    }
}
