import FoundationEssentials
import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// What the gate keeps between processes, and what it does with a store that a key opens.
@Suite struct GateMemoryTests {
    private let bench = Bench()

    private func process(
        _ policy: UnlockPolicy, _ unlock: ScriptedUnlock, seed: UInt64 = 9
    ) throws -> AuthClient {
        try bench.process(seed: seed) { $0.unlock(unlock, reason: "Show your notes", policy: policy) }
    }

    private var unlock: ScriptedUnlock { ScriptedUnlock(clock: bench.clock) }

    @Test("where the policy lets it, a proof counts in the next process, for the rest of its interval", .need("L2"))
    func nextProcess() async throws {
        _ = try await bench.signedIn()
        let policy = UnlockPolicy(atLaunch: false, interval: .seconds(300))
        let first = try process(policy, unlock)
        #expect(first.isLocked)
        try await first.unlock()
        bench.clock.advance(by: .seconds(100))
        let asked = unlock
        let second = try process(policy, asked, seed: 10)
        _ = try await second.accessToken()
        bench.clock.advance(by: .seconds(200))
        #expect(await code { try await second.accessToken() } == .locked)
        #expect(asked.promptCount == 0)
    }

    @Test(
        "a proof does not count in the next process after a restart, however the clock was set", .law(12), .need("L2"))
    func restart() async throws {
        _ = try await bench.signedIn()
        let policy = UnlockPolicy(atLaunch: false, interval: .seconds(300))
        try await process(policy, unlock).unlock()
        bench.clock.setWall(bench.clock.wall().addingTimeInterval(-3_600))
        #expect(await code { try await process(policy, unlock, seed: 10).accessToken() } == nil)
        // At an instant that looks as if it were a little later.
        bench.clock.setBoot("another", uptime: .nanoseconds(bench.clock.now().nanoseconds) + .seconds(10))
        #expect(await code { try await process(policy, unlock, seed: 11).accessToken() } == .locked)
    }

    @Test("whoever locks locks the next process too", .law(12))
    func lockedForAll() async throws {
        _ = try await bench.signedIn()
        let policy = UnlockPolicy(atLaunch: false, interval: .seconds(300))
        let first = try process(policy, unlock)
        try await first.unlock()
        await first.lock()
        #expect(await code { try await process(policy, unlock, seed: 10).accessToken() } == .locked)
    }

    @Test(
        "who locked before reading what is remembered stays locked, though another process is given a proof since",
        .law(12))
    func lockedBeforeRecall() async throws {
        _ = try await bench.signedIn()
        let policy = UnlockPolicy(atLaunch: false, interval: .seconds(300))
        let (first, second) = (try process(policy, unlock), try process(policy, unlock, seed: 10))
        await second.lock()
        try await first.unlock()
        #expect(await code { try await second.accessToken() } == .locked)
        #expect(second.isLocked)
        try await second.unlock()
        _ = try await second.accessToken()
    }

    @Test("who was away for too long before reading what is remembered comes back locked", .law(12))
    func awayBeforeRecall() async throws {
        _ = try await bench.signedIn()
        let policy = UnlockPolicy(atLaunch: false, afterBackground: .seconds(30), interval: .seconds(300))
        let (first, second) = (try process(policy, unlock), try process(policy, unlock, seed: 10))
        await second.setPhase(.background)
        try await first.unlock()
        bench.clock.advance(by: .seconds(31))
        await second.setPhase(.active)
        #expect(await code { try await second.accessToken() } == .locked)
    }

    @Test("a record of the gate that cannot be read leaves it shut", .law(12))
    func damagedRecord() async throws {
        _ = try await bench.signedIn()
        try await bench.store.replace(StoreKey(.settings, "gate"), at: nil, with: [1, 2, 3])
        let auth = try process(UnlockPolicy(enrolment: .offered), unlock)
        #expect(await code { try await auth.accessToken() } == .locked)
        #expect(auth.isUnlockEnabled)
        try await auth.unlock()
        _ = try await auth.accessToken()
    }

    @Test(
        "it is offered once after the first sign-in, switched by the person, and off when everybody has signed out",
        .need("N18", "B2", "B3", "L1"))
    func offered() async throws {
        let policy = UnlockPolicy(shields: false, enrolment: .offered)
        let auth = try process(policy, unlock)
        let events = auth.events
        _ = try await auth.signIn(with: "scripted", .anonymous)
        var iterator = events.makeAsyncIterator()
        var seen: [AuthEvent] = []
        while seen.last != .unlockOffered, let event = await iterator.next() { seen.append(event) }
        #expect(!auth.isLocked && !auth.isUnlockEnabled)
        try await auth.setUnlockEnabled(true)
        #expect(auth.isUnlockEnabled)
        await auth.lock()
        #expect(auth.isLocked)
        #expect(await code { try await auth.setUnlockEnabled(false) } == .locked)
        let next = try process(policy, unlock, seed: 10)
        #expect(await code { try await next.accessToken() } == .locked)
        try await next.unlock()
        _ = try await next.signOut()
        #expect(!next.isUnlockEnabled)
        let last = try process(policy, unlock, seed: 11)
        #expect(await code { try await last.accessToken() } == .signInRequired(.signedOut))
    }

    @Test("switching on takes a proof: without one it stays off", .need("B3"))
    func noProof() async throws {
        let asked = unlock
        let auth = try process(UnlockPolicy(enrolment: .offered), asked)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        asked.script(.failed(AuthError(.declined, "no")))
        #expect(await code { try await auth.setUnlockEnabled(true) } == .declined)
        #expect(!auth.isUnlockEnabled)
    }

    @Test(
        "sessions are kept only while the unlock is on: else the next launch is a fresh sign-in, and nothing is at rest",
        .need("B1", "R2")
    )
    func keptWhileEnabled() async throws {
        let policy = UnlockPolicy(enrolment: .offered, keeping: .whileEnabled)
        let auth = try process(policy, unlock)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(try await bench.store.keys(.credential).isEmpty)
        let second = try process(policy, unlock, seed: 10)
        #expect(await code { try await second.accessToken() } == .signInRequired(.signedOut))
        try await auth.setUnlockEnabled(true)
        #expect(try await bench.store.keys(.credential).count == 1)
        let third = try process(policy, unlock, seed: 11)
        #expect(await code { try await third.accessToken() } == .locked)
        try await third.unlock()
        _ = try await third.accessToken()
        try await third.refresh()
        try await third.setUnlockEnabled(false)
        #expect(try await bench.store.keys(.credential).isEmpty)
        _ = try await third.refresh()
        let fourth = try process(policy, unlock, seed: 12)
        #expect(await code { try await fourth.accessToken() } == .signInRequired(.signedOut))
    }

    @Test("what an earlier process left at rest without an unlock is removed, and never shown", .need("B1"))
    func leftovers() async throws {
        _ = try await bench.signedIn()
        let auth = try process(UnlockPolicy(enrolment: .offered, keeping: .whileEnabled), unlock)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(try await bench.store.keys(.credential).isEmpty)
    }

    @Test("the fallback is asked only when it is chosen, and offered where it can be asked", .need("N3", "L4"))
    func fallback() async throws {
        _ = try await bench.signedIn()
        let (finger, phrase) = (unlock, unlock)
        let auth = try bench.process(seed: 9) { $0.unlock(finger, fallback: phrase, reason: "Show your notes") }
        finger.script(.failed(AuthError(.refused(.wrongInput), "no match")))
        await #expect { try await auth.unlock() } throws: { ($0 as? AuthError)?.offersFallback == true }
        phrase.set(.notEnrolled)
        finger.script(.failed(AuthError(.refused(.wrongInput), "no match")))
        await #expect { try await auth.unlock() } throws: { ($0 as? AuthError)?.offersFallback == false }
        #expect(phrase.promptCount == 0)
        phrase.set(.available)
        try await auth.unlock(with: .fallback)
        #expect(phrase.promptCount == 1)
        let plain = try process(UnlockPolicy(), unlock, seed: 10)
        #expect(await code { try await plain.unlock(with: .fallback) } == .configuration(.invalid))
    }

    @Test(
        "whoever cannot prove it any more signs in by hand, and sees nothing of what was behind the gate", .law(12),
        .need("B4", "L4"))
    func startOver() async throws {
        _ = try await bench.signedIn()
        let asked = unlock
        let auth = try process(UnlockPolicy(), asked)
        asked.set(.lockedOut(nil))
        #expect(await code { try await auth.unlock() } == .unlockUnavailable(.lockedOut))
        try await auth.startOver()
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(asked.promptCount == 0)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        _ = try await auth.accessToken()
        #expect(bench.service.revocations.count == 1)
    }
}

/// A store that a key opens.
@Suite struct GateKeyTests {
    private let bench = Bench()
    private let key = UnlockKey(.key(source: "test"), Secret("0123456789abcdef"))

    private func process(
        _ store: some SessionStore, _ unlock: some UnlockAuthenticator, policy: UnlockPolicy = UnlockPolicy()
    ) throws -> AuthClient {
        try bench.process(seed: 9) { $0.store(store).unlock(unlock, reason: "Show your notes", policy: policy) }
    }

    private func keyed() async throws -> (KeyedStore<MemoryStore>, ScriptedUnlock, AuthClient) {
        let store = KeyedStore(MemoryStore(context: bench.world), key: key.secret)
        let script = ScriptedUnlock(clock: bench.clock)
        let auth = try process(store, ScriptedKeyUnlock(script, key: key))
        try await auth.unlock()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        return (store, script, auth)
    }

    @Test(
        "locking closes the store and drops the tokens; unlocking brings them back from it", .law(12), .need("N2", "B2")
    )
    func closing() async throws {
        let (store, _, auth) = try await keyed()
        let token = try await auth.accessToken()
        await auth.lock()
        #expect(!store.isOpen)
        #expect(await code { try await auth.accessToken() } == .locked)
        try await auth.unlock()
        #expect(try await auth.accessToken() == token)
        #expect(bench.service.refreshCount == 0)
    }

    @Test("a key that opens nothing is a wrong proof, and the gate stays shut")
    func wrongKey() async throws {
        let store = KeyedStore(MemoryStore(context: bench.world), key: key.secret)
        let script = ScriptedUnlock(clock: bench.clock)
        let auth = try process(store, ScriptedKeyUnlock(script, key: UnlockKey(.passphrase, Secret("wrong"))))
        #expect(await code { try await auth.unlock() } == .refused(.wrongInput))
        #expect(auth.isLocked && !store.isOpen)
    }

    @Test("it starts locked whatever the policy says: without the key nothing can be read", .need("B2"))
    func launch() async throws {
        let store = KeyedStore(MemoryStore(context: bench.world), key: key.secret)
        let script = ScriptedUnlock(clock: bench.clock)
        let auth = try process(store, ScriptedKeyUnlock(script, key: key), policy: UnlockPolicy(atLaunch: false))
        #expect(auth.isLocked)
        #expect(await code { try await auth.accessToken() } == .locked)
        #expect(script.promptCount == 0)
    }

    @Test("an interval that lapses closes the store as well")
    func lapse() async throws {
        let store = KeyedStore(MemoryStore(context: bench.world), key: key.secret)
        let script = ScriptedUnlock(clock: bench.clock)
        let auth = try process(
            store, ScriptedKeyUnlock(script, key: key), policy: UnlockPolicy(interval: .seconds(60)))
        try await auth.unlock()
        await bench.settle()
        bench.clock.advance(by: .seconds(60))
        try await bench.until { !store.isOpen }
    }

    @Test("an answer that is under way when somebody locks is stored before the store is closed", .law(2))
    func underWay() async throws {
        let (store, _, auth) = try await keyed()
        let held = try await bench.service.hold { try await auth.refresh() }
        let locking = Task { await auth.lock() }
        try await bench.until { auth.isLocked }
        #expect(store.isOpen)
        held.answer()
        #expect(await code { try await held.value } == .locked)
        await locking.value
        #expect(!store.isOpen)
        try await auth.unlock()
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("a store that waits to be closed is not closed over somebody who has unlocked meanwhile", .law(12))
    func unlockedMeanwhile() async throws {
        let (store, _, auth) = try await keyed()
        let held = try await bench.service.hold { try await auth.refresh() }
        let locking = Task { await auth.lock() }
        try await bench.until { auth.isLocked }
        try await auth.unlock()
        held.answer()
        _ = try await held.value
        await locking.value
        #expect(store.isOpen && !auth.isLocked)
        _ = try await auth.accessToken()
    }

    @Test("a cancelled lock does not wait for the prompt that is up, and the store stays closed", .law(7))
    func cancelledLock() async throws {
        let (store, script, auth) = try await keyed()
        await auth.lock()
        let latch = Latch()
        script.script(.held(latch, then: .failed(AuthError(.declined, "no"))))
        let unlocking = Task { try await auth.unlock() }
        try await script.waitForPrompts(2)
        let hasReturned = Locked(false)
        let locking = Task {
            await auth.lock()
            hasReturned.withLock { $0 = true }
        }
        await bench.settle()
        #expect(!hasReturned.withLock { $0 })
        locking.cancel()
        try await bench.until { hasReturned.withLock { $0 } }
        latch.open()
        #expect(await code { try await unlocking.value } == .declined)
        await bench.settle()
        #expect(!store.isOpen && auth.isLocked)
    }

    @Test("whoever has lost the key starts over with an empty store", .need("L4"))
    func startOver() async throws {
        let (store, script, auth) = try await keyed()
        await auth.lock()
        script.set(.lockedOut(nil))
        try await auth.startOver()
        #expect(auth.isLocked && !store.isOpen)
        script.set(.available)
        try await auth.unlock()
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
    }

    @Test("a store without its key cannot be set up with an unlock that has none, nor the other way round")
    func refusedTogether() throws {
        let store = KeyedStore(MemoryStore(context: bench.world), key: key.secret)
        let script = ScriptedUnlock(clock: bench.clock)
        #expect(throws: AuthError.self) { try process(store, script) }
        #expect(throws: AuthError.self) { try bench.process { $0.store(store) } }
        #expect(throws: AuthError.self) { try process(MemoryStore(), ScriptedKeyUnlock(script, key: key)) }
        #expect(throws: AuthError.self) {
            try process(store, ScriptedKeyUnlock(script, key: key), policy: UnlockPolicy(enrolment: .offered))
        }
        #expect(throws: AuthError.self) {
            try process(MemoryStore(), script, policy: UnlockPolicy(keeping: .whileEnabled))
        }
        #expect(throws: AuthError.self) {
            try bench.process {
                $0.store(store).unlock(ScriptedKeyUnlock(script, key: key), fallback: script, reason: "Show")
            }
        }
    }
}
