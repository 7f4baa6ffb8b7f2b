import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// Ending sessions at services that take nothing but a live access token.
@Suite struct LiveRevocationTests {
    private func bench() -> Bench { Bench(rules: .scripted(refresh: .sameSuccessor, revocation: .liveAccessToken)) }

    /// The access tokens that revocations came with.
    private func revoked(_ bench: Bench) -> [String?] {
        bench.service.revocations.map { $0.credential.sessions.first?.tokens[.standard]?.value.revealText() }
    }

    @Test("a token that lasts revokes as it is; nothing is refreshed")
    func live() async throws {
        let bench = bench()
        let auth = try await bench.signedIn()
        #expect(try await auth.signOut() == .revoked)
        #expect(revoked(bench) == ["access-1"] && bench.service.refreshCount == 0)
    }

    @Test("an ended token is refreshed first, journaled, and the newest one revokes", arguments: [0, 2])
    func ended(_ left: Int64) async throws {
        let bench = bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600 - left))
        #expect(try await auth.signOut() == .revoked)
        #expect(bench.service.sentSecrets == ["refresh-1"] && revoked(bench) == ["access-2"])
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(try await bench.owed == 0)
    }

    @Test(
        "where it takes one to end more than the session, nothing is refreshed to end that alone",
        arguments: [(SignOutScope.thisSession, 0), (.everywhere, 1)])
    func forOthers(_ scope: SignOutScope, _ refreshes: Int) async throws {
        let (bench, auth) = try await Bench.ended(.scripted(revocation: .liveAccessTokenForOthers))
        #expect(try await auth.signOut(scope: scope) == .revoked)
        #expect(bench.service.refreshCount == refreshes && bench.service.revokeCount == 1)
    }

    @Test("a token that the service does not take is refreshed once, whatever the clock here says")
    func untaken() async throws {
        let bench = bench()
        let auth = try await bench.signedIn()
        bench.service.script(
            revocations: .failed(AuthError(.signInRequired(.notAccepted), "not taken")))
        #expect(try await auth.signOut() == .revoked)
        #expect(revoked(bench) == ["access-1", "access-2"] && bench.service.refreshCount == 1)
        #expect(try await bench.owed == 0)
    }

    @Test("one that is never taken is not asked for without end")
    func neverTaken() async throws {
        let bench = bench()
        let auth = try await bench.signedIn()
        for _ in 0..<2 {
            bench.service.script(
                revocations: .failed(AuthError(.signInRequired(.notAccepted), "not taken")))
        }
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(bench.service.revokeCount == 2 && bench.service.refreshCount == 1)
        #expect(try await bench.owed == 1)
    }

    @Test("a process that dies in between leaves a mark, and the next one sends the token again and revokes", .law(6))
    func interrupted() async throws {
        let bench = bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(try await bench.store.onlyRecord().document["pending"]?.array?.first?["mark"] != nil)
        let next = try bench.process(seed: 9)
        // Past the request's end, and before the first process would try again by itself.
        bench.clock.advance(by: .seconds(11))
        try await next.settleRevocations()
        #expect(bench.service.sentSecrets == ["refresh-1", "refresh-1"])
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(try await bench.owed == 0)
    }

    @Test("a session that is over is done; where it was to end others with it, that cannot be had any more")
    func over() async throws {
        for (scope, result) in [(SignOutScope.thisSession, SignOutResult.revoked), (.everywhere, .localOnly)] {
            let bench = bench()
            let auth = try await bench.signedIn()
            bench.clock.advance(by: .seconds(3_600))
            bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
            #expect(try await auth.signOut(scope: scope) == result)
            #expect(bench.service.revokeCount == 0)
            #expect(try await bench.owed == 0)
        }
    }

    @Test("a ban may be lifted, and the session with it: the revocation stays owed")
    func banned() async throws {
        let bench = bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "banned", reason: .banned)))
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(try await bench.owed == 1)
    }

    @Test("a sign-out waits for no lane: where another process holds it, the worker sees to it")
    func waitsForNoLock() async throws {
        let bench = bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let key = try #require(try await bench.store.keys(.credential).first)
        let hold = try await bench.store.lock(key, deadline: .zero)
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(bench.service.refreshCount == 0)
        await hold.release()
        try await auth.settleRevocations()
        #expect(revoked(bench) == ["access-2"])
        #expect(try await bench.owed == 0)
    }

    @Test("others are ended by a token that is good, refreshed once where the service does not take it")
    func others() async throws {
        let bench = bench()
        let auth = try await bench.signedIn()
        bench.service.script(
            revocations: .failed(AuthError(.signInRequired(.notAccepted), "not taken")))
        #expect(try await auth.signOut(scope: .others) == .revoked)
        #expect(revoked(bench) == ["access-1", "access-2"])
        #expect(auth.currentToken()?.value.revealText() == "access-2")
    }
}
