import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite("Sessions that are at rest only while the unlock is on, over a store that is watched") struct KeptStoreTests {
    private static let key = StoreKey(.credential, "alice")
    private static let policy = UnlockPolicy(enrolment: .offered, keeping: .whileEnabled)

    /// Does something after each removal, as a watcher would that is very quick, and fails removals if it is told to.
    private final class Hooked: WatchableStore, CrossProcessStore {
        let inner = MemoryStore()
        let afterRemoval = Locked<(@Sendable (StoreKey) async throws -> Void)?>(nil)
        let refusal = Locked<AuthError?>(nil)

        func read(_ key: StoreKey) throws -> StoredRecord? { try inner.read(key) }
        func keys(_ kind: StoreKey.Kind) -> [StoreKey] { inner.keys(kind) }
        func changes() -> AsyncStream<StoreKey> { inner.changes() }

        func replace(
            _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?
        ) async throws -> RecordVersion? {
            if bytes == nil, let refusal = refusal.withLock({ $0 }) { throw refusal }
            let new = try inner.replace(key, at: version, with: bytes)
            if bytes == nil { try await afterRemoval.withLock { $0 }?(key) }
            return new
        }

        func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
            try await inner.lock(key, deadline: deadline)
        }
    }

    @Test("switching the unlock on and off signs nobody out, and no watcher reads that somebody is gone", .law(12))
    func switched() async throws {
        let bench = Bench()
        let store = Hooked()
        let unlock = ScriptedUnlock(clock: bench.clock)
        let auth = try bench.process { $0.store(store).unlock(unlock, reason: "Show your notes", policy: Self.policy) }
        let account = try await auth.signIn(with: "scripted", .anonymous).account
        let events = auth.events
        let seen = Locked<[[AccountID]]>([])
        store.afterRemoval.withLock { hook in
            hook = { _ in
                let known = try await auth.restore().map(\.id)
                seen.withLock { $0.append(known) }
            }
        }
        for isOn in [true, false, true, false] {
            try await auth.setUnlockEnabled(isOn)
            #expect(store.keys(.credential).count == (isOn ? 1 : 0))
            #expect(try await auth.accounts().map(\.id) == [account])
            _ = try await auth.accessToken()
            try await auth.refresh()
        }
        let readings = seen.withLock { $0 }
        #expect(!readings.isEmpty && readings.allSatisfy { $0 == [account] })
        // What the watch has been told of is looked at within the pause between two readings.
        bench.clock.advance(by: StoreWatch.pause)
        await bench.settle()
        _ = try await auth.accessToken()
        try await auth.signOut()
        for await event in events {
            if case .signedOut(_, let cause) = event {
                #expect(cause == .app)
                break
            }
        }
    }

    @Test("a record that moves is in its new place before it leaves the old one", .law(12))
    func moved() async throws {
        let store = Hooked()
        let kept = KeptStore(store, context: .system)
        try await kept.keep(true)
        let version = try await kept.replace(Self.key, at: nil, with: [1])
        let found = Locked<[[UInt8]?]>([])
        store.afterRemoval.withLock { hook in
            hook = { key in
                let bytes = try await kept.read(key)?.bytes
                found.withLock { $0.append(bytes) }
            }
        }
        try await kept.keep(false)
        #expect(found.withLock { $0 } == [[1]] && store.keys(.credential).isEmpty)
        // A version from before the move fits no record after it, and the other way round.
        await #expect(throws: StoreConflict.self) { try await kept.replace(Self.key, at: version, with: [2]) }
        let inMemory = try await kept.read(Self.key)?.version
        _ = try await kept.replace(Self.key, at: inMemory, with: [3])
        try await kept.keep(true)
        await #expect(throws: StoreConflict.self) { try await kept.replace(Self.key, at: inMemory, with: [4]) }
        #expect(try await kept.read(Self.key)?.bytes == [3] && store.read(Self.key)?.bytes == [3])
    }

    @Test("what cannot be removed from the disk loses nobody, is an error, and is removed the next time", .law(12))
    func notRemoved() async throws {
        let store = Hooked()
        let kept = KeptStore(store, context: .system)
        try await kept.keep(true)
        _ = try await kept.replace(Self.key, at: nil, with: [1])
        store.refusal.withLock { $0 = AuthError(.store(.unavailable), "no") }
        await #expect(throws: AuthError.self) { try await kept.keep(false) }
        #expect(try await kept.read(Self.key)?.bytes == [1])
        _ = try await kept.replace(Self.key, at: kept.read(Self.key)?.version, with: nil)
        store.refusal.withLock { $0 = nil }
        // Somebody who has signed out meanwhile does not come back from what was left.
        try await kept.keep(true)
        #expect(try await kept.read(Self.key) == nil && store.keys(.credential).isEmpty)
        _ = try await kept.replace(Self.key, at: nil, with: [2])
        store.refusal.withLock { $0 = AuthError(.store(.unavailable), "no") }
        await #expect(throws: AuthError.self) { try await kept.keep(false) }
        store.refusal.withLock { $0 = nil }
        try await kept.keep(false)
        #expect(try await kept.read(Self.key)?.bytes == [2] && store.keys(.credential).isEmpty)
    }

    @Test("keeps every contract of stores, whether it keeps records at rest or not", arguments: [true, false])
    func contracts(isKept: Bool) async throws {
        let make: @Sendable (PluginContext) async throws -> KeptStore<MemoryStore> = { context in
            let store = KeptStore(MemoryStore(context: context), context: context)
            try await store.keep(isKept)
            return store
        }
        try await StoreContract { try await make($0) }.run()
        try await CrossProcessStoreContract { context in
            let store = try await make(context)
            return (store, store)
        }.run()
        // What is in memory is changed by this process alone, so nothing tells of it.
        guard isKept else { return }
        try await WatchableStoreContract { context in
            let store = try await make(context)
            return (store, store)
        }.run()
    }
}
