import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// A lock of a store behind a network, whose lease may end while it is held.
@Suite("A lock that the store has lost: nothing is sent under it", .law(1)) struct LostLockTests {
    /// Gives locks of which the first few are lost as soon as they are held.
    private final class LeasingStore: CrossProcessStore {
        let inner = MemoryStore()
        private let losses: Locked<Int>
        private let given = Locked(0)

        init(losing count: Int) { losses = Locked(count) }

        var lockCount: Int { given.withLock { $0 } }

        func read(_ key: StoreKey) throws -> StoredRecord? { try inner.read(key) }

        func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
            try inner.replace(key, at: version, with: bytes)
        }

        func keys(_ kind: StoreKey.Kind) -> [StoreKey] { inner.keys(kind) }

        func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
            given.withLock { $0 += 1 }
            let isLost = losses.withLock { left in
                left -= 1
                return left >= 0
            }
            return Lease(lock: try await inner.lock(key, deadline: deadline), isHeld: !isLost)
        }

        struct Lease: HeldLock {
            let lock: any HeldLock
            let isHeld: Bool
            func release() async { await lock.release() }
        }
    }

    private func client(losing count: Int, _ rules: ProviderRules) async throws -> (Bench, LeasingStore, AuthClient) {
        let bench = Bench(rules: rules)
        let store = LeasingStore(losing: count)
        let auth = try bench.process { $0.store(store) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        return (bench, store, auth)
    }

    private static let rules: [ProviderRules.RefreshRule] = [.killsFamily, .sameSuccessor, .newSuccessor, .fixed]

    @Test("the lock is taken again, and one request leaves", arguments: rules, [1, 2])
    func again(_ rule: ProviderRules.RefreshRule, losses: Int) async throws {
        let (bench, store, auth) = try await client(losing: losses, ProviderRules.scripted(refresh: rule))
        try await auth.refresh()
        #expect(bench.service.refreshCount == 1)
        #expect(store.lockCount == losses + 1)
        #expect(auth.currentToken()?.value.revealText() == "access-2")
    }

    @Test("a store that loses every lock is busy; nothing was sent, and no mark keeps others waiting", arguments: rules)
    func never(_ rule: ProviderRules.RefreshRule) async throws {
        let (bench, store, auth) = try await client(losing: 3, ProviderRules.scripted(refresh: rule))
        #expect(await code { try await auth.refresh() } == .busy)
        #expect(bench.service.refreshCount == 0)
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        let record = try CredentialRecord(
            try #require(try store.inner.read(StoreKey(.credential, account.value))).bytes)
        #expect(record.mark == nil)
        try await auth.refresh()
        #expect(bench.service.refreshCount == 1)
    }
}
