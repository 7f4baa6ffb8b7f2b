import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import TaskSettling
import Testing

@testable import LatchkeyPartitionedStore

@Suite("One part of a shared store") struct StorePartitionTests {
    @Test("a part of a store is a store itself") func contract() async throws {
        try await StoreContract { PartitionedStore(MemoryStore(context: $0), context: $0).partition("alice") }.run()
    }

    @Test("a part of a store locks as the whole store does, between parts that are one and between processes")
    func locks() async throws {
        try await CrossProcessStoreContract { context in
            let whole = PartitionedStore(MemoryStore(context: context), context: context)
            return (whole.partition("alice"), whole.partition("alice"))
        }.run()
        try await TemporaryFolder.with { folder in
            try await CrossProcessStoreContract(rounds: 5) { context in
                let place = "\(folder.path)/\(context.randomName())"
                return (
                    PartitionedStore(FileStore(unencryptedAt: place)).partition("alice"),
                    PartitionedStore(FileStore(unencryptedAt: place)).partition("alice")
                )
            }.run()
        }
    }

    @Test("a part of a store tells of its changes, and the parts share one watch") func watch() async throws {
        try await WatchableStoreContract { context in
            let whole = PartitionedStore(MemoryStore(context: context), context: context)
            return (whole.partition("alice"), whole.partition("alice"))
        }.run()
    }

    @Test("nothing in one part is seen, told or changed in another") func apart() async throws {
        let context = PluginContext.testing()
        let whole = PartitionedStore(MemoryStore(context: context), context: context)
        let (alice, bob) = (whole.partition("alice"), whole.partition("alice/credential"))
        let key = StoreKey(.credential, "one")
        let told = try await alice.changes()
        try await bob.replace(key, at: nil, with: [2])
        try await alice.replace(key, at: nil, with: [1])
        #expect(try await alice.read(key)?.bytes == [1])
        #expect(try await bob.keys(.credential) == [key])
        try await whole.erase("alice/credential")
        #expect(try await bob.read(key) == nil)
        var reader = told.makeAsyncIterator()
        #expect(await reader.next() == key)
        #expect(try await alice.read(key)?.bytes == [1])
    }

    @Test("a record that is not a part is damaged, and never empty", arguments: [[], [1, 2, 3], [0xFF]] as [[UInt8]])
    func damaged(_ bytes: [UInt8]) async throws {
        let inner = MemoryStore()
        let part = PartitionedStore(inner).partition("alice")
        let key = StoreKey(.credential, "one")
        try await part.replace(key, at: nil, with: [1])
        let place = StorePartition<MemoryStore>.key(of: "alice")
        let stored = try #require(try inner.read(place))
        for bytes in [bytes, Array(stored.bytes.dropLast()), stored.bytes + [0]] {
            try inner.replace(place, at: try inner.read(place)?.version, with: bytes)
            await #expect(throws: AuthError.self) { try await part.read(key) }
            await #expect(throws: AuthError.self) { try await part.keys(.credential) }
        }
    }

    @Test("the store is watched while a part is listened to, and no longer, also when the part was erased or damaged")
    func watchEnds() async throws {
        let inner = HeardStore()
        let whole = PartitionedStore(inner)
        let (alice, bob) = (whole.partition("alice"), whole.partition("bob"))
        let key = StoreKey(.credential, "one")
        for bytes in [nil, [1, 2, 3]] as [[UInt8]?] {
            try await alice.replace(key, at: nil, with: [1])
            let place = StorePartition<HeardStore>.key(of: "alice")
            let (first, other) = (try await alice.changes(), try await bob.changes())
            #expect(inner.feed.isHeard)
            try await inner.replace(place, at: try await inner.read(place)?.version, with: bytes)
            for await _ in first {}
            #expect(inner.feed.isHeard, "bob is listened to")
            await Task { for await _ in other {} }.cancelled()
            #expect(await settleTasks { !inner.feed.isHeard })
            let (again, version) = (try await alice.changes(), try await inner.read(place)?.version)
            #expect(inner.feed.isHeard)
            try await inner.replace(place, at: version, with: nil)
            for await _ in again {}
            #expect(await settleTasks { !inner.feed.isHeard })
        }
    }
}

/// A store that shows whether anybody listens to it.
private struct HeardStore: WatchableStore, DocumentlessStore {
    let feed = ChangeFeed()
    private let inner = MemoryStore()

    func read(_ key: StoreKey) async throws -> StoredRecord? { try inner.read(key) }

    @discardableResult
    func replace(
        _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?
    ) async throws -> RecordVersion? {
        defer { feed.tell(key) }
        return try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { inner.keys(kind) }

    func changes() -> AsyncStream<StoreKey> { feed.listen() }
}

extension Task where Success == Void, Failure == Never {
    /// Cancels the task, and waits for its end.
    fileprivate func cancelled() async {
        cancel()
        await value
    }
}
