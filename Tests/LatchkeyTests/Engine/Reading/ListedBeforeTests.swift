import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// A sign-in that comes between the list of a store's keys and the reading of its records.
@Suite("An account that signs in while the store is read", .law(24), .law(21)) struct ListedBeforeTests {
    /// Does something once, after the keys were listed and before the caller learns of them.
    private final class ListingStore: CrossProcessStore, WatchableStore {
        let inner = MemoryStore()
        private let then = Locked<(@Sendable () async throws -> Void)?>(nil)

        func afterListing(_ work: @escaping @Sendable () async throws -> Void) { then.withLock { $0 = work } }

        func read(_ key: StoreKey) throws -> StoredRecord? { try inner.read(key) }

        func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
            try inner.replace(key, at: version, with: bytes)
        }

        func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
            let keys = inner.keys(kind)
            let work = then.withLock { then in
                defer { if kind == .credential { then = nil } }
                return kind == .credential ? then : nil
            }
            try await work?()
            return keys
        }

        func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
            try await inner.lock(key, deadline: deadline)
        }

        func changes() -> AsyncStream<StoreKey> { inner.changes() }
    }

    @Test("it stays, and nothing tells that it was signed out elsewhere")
    func stays() async throws {
        let bench = Bench()
        let store = ListingStore()
        let auth = try bench.process { $0.store(store) }
        _ = try await auth.accounts()
        let heard = Locked<[AuthEvent]>([])
        let events = auth.events
        let listening = Task { for await event in events { heard.withLock { $0.append(event) } } }
        store.afterListing { _ = try await auth.signIn(with: "scripted", .anonymous) }
        try await auth.engine.reader.restore(again: true)
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        #expect(auth.currentToken() != nil)
        #expect(try await auth.accounts().map(\.id) == [account])
        await bench.settle()
        listening.cancel()
        #expect(!heard.withLock { $0 }.contains(.signedOut(account, by: .elsewhere)))
    }

    @Test("one that signed out elsewhere in between is gone")
    func goes() async throws {
        let bench = Bench()
        let store = ListingStore()
        let acting = try bench.process(seed: 9) { $0.store(store.inner) }
        let auth = try bench.process { $0.store(store) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        _ = try await auth.accounts()
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        let key = StoreKey(.credential, account.value)
        try await acting.signOut()
        // Swept, as after a week: nothing is left that says so.
        try store.inner.replace(key, at: try store.inner.read(key)?.version, with: nil)
        try await auth.engine.reader.restore(again: true)
        #expect(auth.currentToken() == nil)
        #expect(try await auth.accounts().isEmpty)
    }
}
