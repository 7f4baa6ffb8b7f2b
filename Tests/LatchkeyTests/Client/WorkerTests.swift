import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

/// What the service is still owed after a sign-out: section 4 of `Documentation/Lane.md`.
@Suite struct WorkerTests {
    private let lost = TransportError(.interrupted, wasSent: true)
    private let unreachable = TransportError(.unreachable, wasSent: false)

    /// A bench whose login was left during a refresh whose answer is lost, and a process that comes later.
    private func left() async throws -> (Bench, AuthClient) {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(renewals: .failed(lost))
        _ = await code { try await auth.accessToken() }
        #expect(try await auth.signOut() == .revocationQueued)
        return (bench, try bench.process(seed: 9))
    }

    @Test("the token of a lost answer is not sent again before that request can no longer arrive")
    func waits() async throws {
        let (bench, other) = try await left()
        let begun = bench.clock.now()
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRenewals(2)
        }
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("a token that is refused when it is sent again has no family left: the entry goes, and nothing is revoked")
    func refused() async throws {
        let (bench, other) = try await left()
        bench.service.script(renewals: .refused(Refusal(.definite, code: "invalid_grant")))
        try await bench.run {
            try await other.restore()
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokeCount == 0)
        #expect(bench.service.renewCount == 2)
    }

    @Test("an answer that is lost again, or that gives no reason, leaves the entry for later")
    func lostAgain() async throws {
        let (bench, other) = try await left()
        bench.service.script(renewals: .failed(lost), .refused(Refusal(.unexplained, code: "")), .rotated)
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRevocations(1)
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.sentSecrets == Array(repeating: "renewal-1", count: 4))
        #expect(bench.service.revokedSecrets == ["renewal-2"])
    }

    @Test("what the worker got is kept in the entry until it is revoked, and never put back")
    func keptForLater() async throws {
        let (bench, other) = try await left()
        bench.service.script(revocations: .failed(unreachable))
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRevocations(2)
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokedSecrets == ["renewal-2", "renewal-2"])
        #expect(bench.service.renewCount == 2)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("a service that never accepts a revocation is asked ever more seldom, and given up after seven days")
    func givenUp() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        for _ in 0..<400 { bench.service.script(revocations: .failed(unreachable)) }
        #expect(try await auth.signOut() == .revocationQueued)
        let begun = bench.clock.now()
        try await bench.run { try await bench.until { try await bench.owed == 0 } }
        #expect(bench.clock.now() - begun >= .seconds(7 * 86_400))
        #expect(bench.service.revokeCount < 200)
    }

    @Test("a sign-in over a login whose answer is not stored yet ends that one, and lets its lane go")
    func signInOverUnsaved() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(renewals: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRenewals(1)
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        hold.open()
        #expect(try await caller.value.isDurable == false)
        bench.store.failCommits(nil)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(try await bench.storedSecret == "renewal-3")
        try await bench.run {
            try await bench.service.waitForRevocations(1)
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokedSecrets.last == "renewal-2")
        #expect(try await bench.storedSecret == "renewal-3")
        #expect(try await auth.accounts().map(\.isDurable) == [true])
        let key = try await bench.store.onlyRecord().key
        let lane = try await bench.store.lane(key, sharing: false, deadline: .seconds(1))
        await lane.release()
    }
}
