import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// What the service is still owed after a sign-out: section 4 of `Documentation/Internals/Lane.md`.
@Suite struct WorkerTests {
    private let lost = TransportError(.interrupted, wasSent: true)
    private let unreachable = TransportError(.unreachable, wasSent: false)

    /// A bench whose login was left during a refresh whose answer is lost, and a process that comes later.
    private func left() async throws -> (Bench, AuthClient) {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .failed(lost))
        _ = await code { try await auth.accessToken() }
        #expect(try await auth.signOut() == .revocationQueued)
        return (bench, try bench.process(seed: 9))
    }

    @Test(
        "the token of a lost answer is not sent again before that request can no longer arrive",
        arguments: [("its sender gave it up", Duration.milliseconds(2_500)), ("its sender was killed", .seconds(10))])
    func waits(_ end: String, least: Duration) async throws {
        let (bench, other) = try await left()
        if end == "its sender was killed" { try await bench.forgetLeaving() }
        let begun = bench.clock.now()
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRefreshes(2)
        }
        #expect(bench.clock.now() - begun >= least)
    }

    @Test("20: what one worker sent is waited for by the next")
    func waitsForWorkers() async throws {
        let (bench, other) = try await left()
        for _ in 0..<100 { bench.service.script(refreshes: .failed(lost)) }
        let before = try await bench.store.onlyRecord().document["pending"]
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRefreshes(2)
        }
        // The entry bears the time of this request now, which is what the next worker goes by.
        #expect(before != nil)
        #expect(try await bench.store.onlyRecord().document["pending"] != before)
    }

    @Test("18: what a sign-in dropped while the worker asked is not put back, and not revoked")
    func droppedMeanwhile() async throws {
        let (bench, auth) = try await Bench.ended(.scripted(revocationEndsEveryGrant: true))
        let hold = Latch()
        bench.service.script(refreshes: .failed(lost), .held(hold, then: .rotated))
        _ = await code { try await auth.accessToken() }
        #expect(try await auth.signOut() == .revocationQueued)
        let other = try bench.process(seed: 9)
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRefreshes(2)
        }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(try await bench.owed == 0)
        hold.open()
        await bench.settle()
        #expect(try await bench.owed == 0)
        #expect(bench.service.revokeCount == 0)
    }

    @Test("a token that is refused when it is sent again has no family left: the entry goes, and nothing is revoked")
    func refused() async throws {
        let (bench, other) = try await left()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        try await bench.run {
            try await other.restore()
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokeCount == 0)
        #expect(bench.service.refreshCount == 2)
    }

    @Test("an answer that is lost again, or that gives no reason, leaves the entry for later")
    func lostAgain() async throws {
        let (bench, other) = try await left()
        bench.service.script(refreshes: .failed(lost), .refused(Refusal(.unexplained, code: "")), .rotated)
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRevocations(1)
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.sentSecrets == Array(repeating: "refresh-1", count: 4))
        #expect(bench.service.revokedSecrets == ["refresh-2"])
    }

    @Test("what the worker got is kept in the entry until it is revoked, and never put back", .law(5))
    func keptForLater() async throws {
        let (bench, other) = try await left()
        bench.service.script(revocations: .failed(unreachable))
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRevocations(2)
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokedSecrets == ["refresh-2", "refresh-2"])
        #expect(bench.service.refreshCount == 2)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test(
        "a service that never accepts a revocation is asked ever more seldom, and given up after seven days", .law(14))
    func givenUp() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        for _ in 0..<400 { bench.service.script(revocations: .failed(unreachable)) }
        #expect(try await auth.signOut() == .revocationQueued)
        let begun = bench.clock.now()
        try await bench.run { try await bench.until { try await bench.owed == 0 } }
        #expect(bench.clock.now() - begun >= .seconds(7 * 86_400))
        // At most each half hour, once the pauses have grown.
        #expect(bench.service.revokeCount < 350)
    }

    @Test(
        "a revocation that no process could try for seven days is tried once before it is given up", .law(5),
        arguments: [("told", true), ("given up", false)])
    func triedAtTheEnd(_ end: String, isTold: Bool) async throws {
        let (bench, other) = try await left()
        bench.clock.advance(by: .seconds(8 * 86_400))
        if !isTold { for _ in 0..<9 { bench.service.script(revocations: .failed(unreachable)) } }
        try await bench.run {
            try await other.restore()
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(bench.observer.observations.contains(.signOut("scripted", isTold ? .done : .givenUp)))
    }

    @Test("who waits for revocations behind a refresh returns at once when cancelled", .timeLimit(.minutes(2)))
    func cancelled() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        for _ in 0..<20 { bench.service.script(revocations: .failed(unreachable)) }
        #expect(try await auth.signOut() == .revocationQueued)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let held = try await bench.service.hold { try await auth.refresh() }
        let caller = Task { try await auth.settleRevocations() }
        caller.cancel()
        #expect(await code { try await caller.value } == .cancelled)
        held.answer()
        _ = try await held.value
    }

    @Test("a sign-in over a login whose answer is not stored yet ends that one, and lets its lane go")
    func signInOverUnsaved() async throws {
        let (bench, auth) = try await Bench.ended()
        #expect(try await bench.unsavedToken(of: auth).isDurable == false)
        bench.store.failCommits(nil)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(try await bench.storedSecret == "refresh-3")
        try await bench.run {
            try await bench.service.waitForRevocations(1)
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokedSecrets.last == "refresh-2")
        #expect(try await bench.storedSecret == "refresh-3")
        #expect(try await auth.accounts().map(\.isDurable) == [true])
        try await bench.expectFreeLock()
    }

    /// Lets the alarm ring until the service was told `count` times; how long that took.
    private func nextRound(_ bench: Bench, until count: Int) async throws -> Duration {
        let begun = bench.clock.now()
        // One move for one round: a second one might pass over the next.
        try await bench.until { bench.clock.sleepers > 0 }
        bench.clock.advanceToNextSleeper()
        try await bench.until { bench.service.revokeCount >= count }
        return bench.clock.now() - begun
    }

    @Test("the pauses between two tries grow from half a minute to an hour, and are spread")
    func pauses() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        for _ in 0..<1_000 { bench.service.script(revocations: .failed(unreachable)) }
        #expect(try await auth.signOut() == .revocationQueued)
        var pauses: [Duration] = []
        for count in 2...60 { pauses.append(try await nextRound(bench, until: count)) }
        #expect(pauses.allSatisfy { $0 <= .seconds(3_600) })
        #expect(pauses.dropFirst(8).allSatisfy { $0 >= .seconds(1_800) }, "\(pauses)")
        #expect(pauses.prefix(2).allSatisfy { $0 <= .seconds(60) })
        #expect(Set(pauses.dropFirst(8)).count > pauses.count / 2, "the pauses are not spread")
        withExtendedLifetime(auth) {}
    }

    @Test("a service that says when to come again is not asked before, for a day at most", .law(14))
    func retryAfter() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let busy = { (wait: Duration) in
            ScriptedProvider.RevocationStep.failed(AuthError(.rateLimited, "slow down", retryAfter: wait))
        }
        bench.service.script(
            revocations: busy(.seconds(7_200)), busy(.seconds(10_000)), busy(.seconds(9_000_000)), busy(.seconds(1)))
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(try await nextRound(bench, until: 2) == .seconds(7_200))
        #expect(try await nextRound(bench, until: 3) == .seconds(10_000))
        #expect(try await nextRound(bench, until: 4) == .seconds(86_400))
        #expect(try await nextRound(bench, until: 5) <= .seconds(480))
        while try await bench.owed != 0 { await Task.yield() }
        withExtendedLifetime(auth) {}
    }

    @Test("the queue is bounded, whoever signs out is told, and nothing else waits for it", .law(14))
    func bounded() async throws {
        let bench = Bench()
        for _ in 0..<1_000 { bench.service.script(revocations: .failed(unreachable)) }
        let auth = try bench.process()
        for _ in 0..<20 {
            _ = try await auth.signIn(with: "scripted", .anonymous)
            #expect(try await auth.signOut() == .revocationQueued)
        }
        #expect(try await bench.owed == 16)
        #expect(try await auth.owedRevocations() == 16)
        #expect(bench.observer.observations.count { $0 == .signOut("scripted", .givenUp) } == 4)
        // A round costs one request while the service refuses, and each begins with another entry.
        let before = bench.service.revokeCount
        for _ in 0..<16 { try await auth.settleRevocations() }
        // The client's own rounds, one for each sign-in at most, may come between.
        #expect((16...40).contains(bench.service.revokeCount - before))
        #expect(Set(bench.service.revokedSecrets.dropFirst(before)).count == 16)
        // Who signs in and refreshes meanwhile does not notice.
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let token = try await auth.refresh()
        #expect(auth.currentToken() == token)
        #expect(try await auth.accessToken() == token)
    }

    @Test("what waits to end every session of a person ends its own only, once the person has signed in again")
    func scopeAfterSignIn() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(revocations: .failed(unreachable), .failed(unreachable))
        #expect(try await auth.signOut(scope: .everywhere) == .revocationQueued)
        _ = try await auth.signIn(with: "scripted", .password(identifier: "a", Secret("p")))
        for _ in 0..<4 { try await auth.settleRevocations() }
        #expect(bench.service.revocations.first?.scope == .everywhere)
        #expect(bench.service.revocations.last?.scope == .thisSession)
        #expect(try await auth.owedRevocations() == 0)
    }
}
