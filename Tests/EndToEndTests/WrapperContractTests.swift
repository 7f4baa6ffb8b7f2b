import LatchkeyEncryptedStore
import LatchkeyPartitionedStore
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import Latchkey

/// Every store that wraps another, over one that is watched and locks across processes.
@Suite("Stores that wrap a store") struct WrapperContractTests {
    typealias Watched = CrossProcessStore & WatchableStore

    private static let passphrase = UnlockKey(.passphrase, Secret("correct horse battery staple"))

    /// Has no key: the store is open already.
    private struct NoKeys: KeyHolder {
        let source = "test"

        func availability() -> UnlockAvailability { .available }
        func key(_ name: String) -> Secret? { nil }
        func keep(_ key: Secret, under name: String) {}
        func remove(_ name: String) {}
    }

    private static func sealed(_ context: PluginContext) async throws -> EncryptedStore<MemoryStore> {
        let options = VaultOptions(cost: ScryptCost(logN: 15), isMadeWhenFirstOpened: true)
        let store = EncryptedStore(
            wrapping: MemoryStore(context: context), namespace: "test", options: options, context: context)
        try await store.open(with: passphrase)
        return store
    }

    private static func kept(_ context: PluginContext) async throws -> KeptStore<MemoryStore> {
        let store = KeptStore(MemoryStore(context: context), context: context)
        try await store.keep(true)
        return store
    }

    private static func keyed(_ context: PluginContext) throws -> KeyedStore<MemoryStore> {
        let store = KeyedStore(MemoryStore(context: context), key: Secret("k"))
        try store.open(with: UnlockKey(.passphrase, Secret("k")))
        return store
    }

    /// Runs the three contracts over a wrapper, and returns how many those are.
    private static func contracts<Store: Watched>(
        _ make: @escaping @Sendable (PluginContext) async throws -> Store
    ) async throws -> Int {
        try await StoreContract { try await make($0) }.run()
        try await CrossProcessStoreContract(rounds: 5) { context in
            let store = try await make(context)
            return (store, store)
        }.run()
        try await WatchableStoreContract { context in
            let store = try await make(context)
            return (store, store)
        }.run()
        return 3
    }

    @Test("each keeps every contract of stores that its inner store keeps, and tells of the inner store's changes")
    func all() async throws {
        var contracts = [
            try await Self.contracts { try await Self.kept($0) },
            try await Self.contracts { try await Self.sealed($0) },
            try await Self.contracts { SelfOpening(try await Self.sealed($0), by: NoKeys(), name: "a") },
            try await Self.contracts { try Self.keyed($0) },
            try await Self.contracts { PartitionedStore(MemoryStore(context: $0), context: $0).partition("alice") },
        ]
        // One over another, as an app may put them together.
        contracts.append(
            try await Self.contracts { context in
                let inner = try await Self.sealed(context)
                let store = KeptStore(inner, context: context)
                try await store.keep(true)
                return store
            })
        print("wrappers=\(contracts.count) contracts=\(contracts.reduce(0, +))")
    }
}
