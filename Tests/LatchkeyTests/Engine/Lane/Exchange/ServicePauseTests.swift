import Foundation
import Latchkey
import LatchkeyTesting
import Proofs
import Testing

/// Pauses that a service has asked for, in every process of the store.
@Suite struct ServicePauseTests {
    typealias Step = ScriptedProvider.RefreshStep

    static let rules: [ProviderRules] = [
        .scripted(refresh: .killsFamily), .scripted(refresh: .sameSuccessor), .scripted(refresh: .newSuccessor),
        .scripted(refresh: .fixed), .scripted(refresh: .mints), .scripted(refresh: .mints, sharesCredential: true),
    ]

    /// What providers throw for an answer with `Retry-After`: of the token endpoint, and of what is asked before.
    static func answers(_ wait: Duration) -> [any Error & Sendable] {
        let limited = AuthError(.rateLimited, "HTTP 429", retryAfter: wait)
        let down = AuthError(.serviceTrouble, "HTTP 503", retryAfter: wait)
        return [limited, down, NotSent(limited), NotSent(down)]
    }

    @Test(
        "what the service asks one process to wait for holds for all: timers, callers and forced refreshes", .law(19),
        arguments: rules.indices, 0..<4)
    func everywhere(_ rule: Int, _ answer: Int) async throws {
        let (bench, auth) = try await Bench.ended(Self.rules[rule])
        bench.service.script(refreshes: .failed(Self.answers(.seconds(300))[answer]))
        #expect(await code { try await auth.accessToken() } != nil)
        bench.clock.advance(by: .seconds(20))
        for seed: UInt64 in [8, 9] {
            let other = try bench.process(seed: seed)
            let told = await error { try await other.accessToken() }
            #expect(told?.code == .rateLimited && told?.retryAfter == .seconds(280))
            let forced = await error { try await other.refresh() }
            #expect(forced?.code == .rateLimited && forced?.retryAfter == .seconds(280))
            #expect(await code { try await auth.refresh() } == .rateLimited)
        }
        #expect(bench.service.refreshCount == 1)
        bench.clock.advance(by: .seconds(280))
        let later = try bench.process(seed: 10)
        #expect(try await bench.run { try await later.accessToken() }.value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 2)
    }

    @Test(
        "a person may ask before the pause is over, and an answer ends the pause for all", .law(19),
        arguments: rules.indices)
    func now(_ rule: Int) async throws {
        let (bench, auth) = try await Bench.ended(Self.rules[rule])
        let wait = AuthError(.serviceTrouble, "HTTP 503", retryAfter: .seconds(300))
        bench.service.script(refreshes: .failed(NotSent(wait)), .failed(NotSent(wait)))
        #expect(await code { try await auth.accessToken() } == .serviceTrouble)
        let other = try bench.process(seed: 9)
        #expect(await code { try await other.refresh(ignoresPause: true) } == .serviceTrouble)
        #expect(bench.service.refreshCount == 2)
        #expect(await code { try await other.refresh() } == .rateLimited)
        #expect(try await other.refresh(ignoresPause: true).value.revealText() == "access-2")
        let third = try bench.process(seed: 11)
        #expect(try await third.refresh().value.revealText() == "access-3")
    }

    @Test(
        "an answer to a person's call ends neither a pause nor a refusal of the refresh token", .law(19),
        arguments: rules.indices
    )
    func otherAnswers(_ rule: Int) async throws {
        let refusal = Refusal(.unexplained, code: "")
        let limited = AuthError(.rateLimited, "HTTP 429", retryAfter: .seconds(300))
        var cases: [(Step, AuthError.Code)] = [(.failed(limited), .rateLimited)]
        // A refusal of one of several people who share the credential is in no record, and no other process knows it.
        if !Self.rules[rule].sharesCredential {
            cases.append((.refused(refusal), .signInRequired(.refusedWithoutReason)))
        }
        for (step, code) in cases {
            let (bench, auth) = try await Bench.ended(Self.rules[rule])
            bench.service.script(refreshes: step)
            _ = try? await auth.accessToken()
            let sent = bench.service.refreshCount
            let other = try bench.process(seed: 9)
            try await other.perform(replay: .fixed) { credential, _ in
                var sessions = credential.sessions
                sessions[0].label = "another name"
                return (CredentialChange(sessions: sessions), ())
            }
            let third = try bench.process(seed: 10)
            let told = await error { try await bench.run { try await third.accessToken() } }
            #expect(told?.code == code)
            #expect(bench.service.refreshCount == sent)
        }
    }

    @Test("while the access token lasts, the pause takes it from nobody")
    func stillGood() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(refreshes: .failed(AuthError(.rateLimited, "HTTP 429", retryAfter: .seconds(300))))
        // Stale, and not ended.
        bench.clock.advance(by: .seconds(3_400))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        let other = try bench.process(seed: 9)
        #expect(try await other.accessToken().value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("a pause is bounded, and a clock that was set back does not make it longer", .law(19))
    func bounded() async throws {
        let (bench, auth) = try await Bench.ended()
        let ages = NotSent(AuthError(.rateLimited, "HTTP 429", retryAfter: .seconds(9_000_000)))
        bench.service.script(refreshes: .failed(ages))
        #expect(await code { try await auth.accessToken() } == .rateLimited)
        let told = await error { try await bench.process(seed: 9).refresh() }
        #expect(told?.retryAfter == RetryAfter.longest)
        bench.clock.setBoot("another", uptime: .seconds(60))
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(-86_400))
        let other = try bench.process(seed: 10)
        #expect(try await bench.run { try await other.refresh() }.value.revealText() == "access-2")
    }

    @Test("another person's session, and a new sign-in, wait for no pause of this one", .law(19))
    func others() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: .granted(to: "alice"), .granted(to: "bob"), .granted(to: "alice"))
        let alice = try await auth.signIn(with: "scripted", .anonymous)
        let bob = try await auth.signIn(with: "scripted", .anonymous)
        bench.service.script(refreshes: .failed(NotSent(AuthError(.rateLimited, "429", retryAfter: .seconds(300)))))
        _ = await code { try await auth.refresh(of: alice.account) }
        let other = try bench.process(seed: 9)
        #expect(await code { try await other.refresh(of: alice.account) } == .rateLimited)
        #expect(await code { try await other.refresh(of: bob.account) } == nil)
        _ = try await other.signIn(with: "scripted", .anonymous)
        #expect(await code { try await bench.process(seed: 10).refresh(of: alice.account) } == nil)
    }

    @Test("a revocation that the service wants to wait is sent by no process before", .law(19))
    func revocation() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(
            revocations: .failed(AuthError(.rateLimited, "HTTP 429", retryAfter: .seconds(300))))
        #expect(try await auth.signOut() == .revocationQueued)
        for seed: UInt64 in [8, 9, 10] {
            let other = try bench.process(seed: seed)
            try await other.restore()
            // A process that has read the store tries by itself after a few seconds, and here it is asked to as well.
            bench.clock.advance(by: .seconds(30))
            await bench.settle()
            try await other.settleRevocations()
        }
        #expect(bench.service.revokeCount == 1)
        bench.clock.advance(by: .seconds(211))
        let later = try bench.process(seed: 11)
        try await bench.run {
            try await later.restore()
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokeCount == 2)
    }

    private func error<Value>(_ work: () async throws -> Value) async -> AuthError? {
        do {
            _ = try await work()
            return nil
        } catch {
            return error as? AuthError
        }
    }
}
