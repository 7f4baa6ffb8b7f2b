import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
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
}
