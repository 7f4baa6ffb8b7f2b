import Latchkey
import LatchkeyTesting
import Proofs
import Testing

/// A policy that is changed while the client runs.
@Suite struct UnlockPolicyTests {
    private let bench = Bench()

    private func opened(_ policy: UnlockPolicy) async throws -> AuthClient {
        _ = try await bench.signedIn()
        let client = try bench.process(seed: 9) {
            $0.unlock(ScriptedUnlock(clock: bench.clock), reason: "Show your notes", policy: policy)
        }
        try await client.unlock()
        return client
    }

    @Test("the new times hold at once, and the client says which policy it has") func changed() async throws {
        let client = try await opened(UnlockPolicy(interval: .seconds(600)))
        var policy = try #require(client.unlockPolicy)
        policy.interval = .seconds(60)
        try await client.setUnlockPolicy(policy)
        #expect(client.unlockPolicy == policy)
        bench.clock.advance(by: .seconds(59))
        _ = try await client.accessToken()
        bench.clock.advance(by: .seconds(1))
        #expect(await code { try await client.accessToken() } == .locked)
    }

    @Test(
        "nobody makes the lock weaker while it is locked, not even when it has locked by itself a moment ago", .law(12))
    func locked() async throws {
        let client = try await opened(UnlockPolicy(interval: .seconds(60)))
        bench.clock.advance(by: .seconds(60))
        #expect(await code { try await client.setUnlockPolicy(UnlockPolicy()) } == .locked)
        try await client.unlock()
        await client.lock()
        #expect(await code { try await client.setUnlockPolicy(UnlockPolicy()) } == .locked)
        #expect(client.unlockPolicy?.interval == .seconds(60))
        #expect(await code { try await client.accessToken() } == .locked)
    }

    @Test("starting over switches an offered unlock off, for later processes, too", .law(12)) func startedOver()
        async throws
    {
        _ = try await bench.signedIn()
        let policy = UnlockPolicy(enrolment: .offered)
        func process(_ seed: UInt64) throws -> AuthClient {
            try bench.process(seed: seed) {
                $0.unlock(ScriptedUnlock(clock: bench.clock), reason: "Show your notes", policy: policy)
            }
        }
        let client = try process(9)
        try await client.setUnlockEnabled(true)
        await client.lock()
        try await client.startOver()
        #expect(!client.isUnlockEnabled && !client.isLocked)
        let next = try process(10)
        _ = try await next.restore()
        #expect(!next.isUnlockEnabled && !next.isLocked)
    }

    @Test("negative times, and what cannot change while the client runs, are refused, and nothing changes")
    func refused() async throws {
        let client = try await opened(UnlockPolicy(interval: .seconds(60)))
        let wrong = [
            UnlockPolicy(interval: .seconds(-1)), UnlockPolicy(afterBackground: .seconds(-1)),
            UnlockPolicy(atLaunch: false), UnlockPolicy(enrolment: .offered),
            UnlockPolicy(enrolment: .required, keeping: .whileEnabled),
        ]
        for policy in wrong {
            #expect(await code { try await client.setUnlockPolicy(policy) } == .configuration(.invalid))
        }
        #expect(client.unlockPolicy == UnlockPolicy(interval: .seconds(60)))
        let open = try bench.process(seed: 10) { $0 }
        #expect(await code { try await open.setUnlockPolicy(UnlockPolicy()) } == .configuration(.unsupported))
    }
}
