import LatchkeyTesting
import Testing

@testable import Latchkey

/// A store whose system has no watch left.
@Suite("A store that cannot tell of changes any more") struct LostWatchTests {
    private struct DeafStore: CrossProcessStore, WatchableStore {
        let inner = MemoryStore()

        func read(_ key: StoreKey) throws -> StoredRecord? { try inner.read(key) }

        func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
            try inner.replace(key, at: version, with: bytes)
        }

        func keys(_ kind: StoreKey.Kind) -> [StoreKey] { inner.keys(kind) }

        func changes() -> AsyncStream<StoreKey> { AsyncStream { $0.finish() } }

        func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
            try await inner.lock(key, deadline: deadline)
        }
    }

    private static let lost = AuthObservation.storeFailure(.credential, .watch, .store(.unavailable))

    @Test("the observer is told, once, and the client goes on")
    func told() async throws {
        let bench = Bench()
        let store = DeafStore()
        let auth = try bench.process { $0.store(store) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await bench.until { bench.observer.observations.contains(Self.lost) }
        _ = try await auth.accessToken()
        await auth.finish()
        #expect(bench.observer.observations.count { $0 == Self.lost } == 1)
    }

    @Test("a watch that ends with its client is no failure")
    func ended() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        await auth.finish()
        await bench.settle()
        #expect(!bench.observer.observations.contains(Self.lost))
    }
}
