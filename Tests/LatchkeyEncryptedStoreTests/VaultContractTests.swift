import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyEncryptedStore

@Suite("Vault: contracts")
struct VaultContractTests {
    private static func vault(_ path: String, _ context: PluginContext) async throws -> EncryptedFileStore {
        let options = VaultOptions(cost: VaultBench.cheap, isMadeWhenFirstOpened: true)
        let store = EncryptedFileStore(
            at: path, keptBy: VaultBench.keeper(context), options: options, context: context)
        try await store.open(with: VaultBench.passphrase)
        return store
    }

    private static func wrapped<Inner: SessionStore>(
        _ inner: Inner, _ context: PluginContext
    ) async throws -> EncryptedStore<Inner> {
        let options = VaultOptions(cost: VaultBench.cheap, isMadeWhenFirstOpened: true)
        let store = EncryptedStore(
            wrapping: inner, namespace: "test", keptBy: VaultBench.keeper(context), options: options, context: context)
        try await store.open(with: VaultBench.passphrase)
        return store
    }

    @Test("the vault keeps the store contract on the real disk") func real() async throws {
        try await TemporaryFolder.with { place in
            let random = SeededRandom(seed: 1)
            try await StoreContract(
                damaging: { store, _ in
                    let files = SystemFiles()
                    let path = "\(store.directory)/vault.lkv"
                    guard var bytes = try files.read(path, limit: 1 << 20) else { return }
                    bytes[bytes.count - 40] ^= 1
                    try files.remove(path)
                    try files.writeNew(path, bytes)
                },
                reopening: { try await Self.vault($0.directory, $1) }
            ) { try await Self.vault("\(place.path)/\(random.next())", $0) }.run()
        }
    }

    @Test("the vault keeps the contract of stores that several processes use") func cross() async throws {
        try await TemporaryFolder.with { place in
            let random = SeededRandom(seed: 2)
            try await CrossProcessStoreContract(rounds: 100) { context in
                let path = "\(place.path)/\(random.next())"
                return (try await Self.vault(path, context), try await Self.vault(path, context))
            }.run()
        }
    }

    #if os(Linux)
        @Test("the vault keeps the contract of stores that tell of changes") func watch() async throws {
            if let reason = WatchLimit.reached { try Test.cancel("\(reason)") }
            try await TemporaryFolder.with { place in
                let random = SeededRandom(seed: 4)
                try await WatchableStoreContract { context in
                    let path = "\(place.path)/\(random.next())"
                    return (try await Self.vault(path, context), try await Self.vault(path, context))
                }.run()
            }
        }
    #endif

    @Test("sealed records keep the store contract over memory") func overMemory() async throws {
        try await StoreContract { try await Self.wrapped(MemoryStore(context: $0), $0) }.run()
    }

    @Test("sealed records, and a store that opens itself, keep the contracts over a store that is watched")
    func overWatched() async throws {
        try await WatchableStoreContract { context in
            let store = try await Self.wrapped(MemoryStore(context: context), context)
            return (store, store)
        }.run()
        try await WatchableStoreContract { context in
            let sealed = try await Self.wrapped(MemoryStore(context: context), context)
            let store = SelfOpening(sealed, by: NoKeys(), name: "a")
            return (store, store)
        }.run()
        try await StoreContract {
            SelfOpening(try await Self.wrapped(MemoryStore(context: $0), $0), by: NoKeys(), name: "a")
        }.run()
    }

    /// Has no key: the store is open already.
    private struct NoKeys: KeyHolder {
        let source = "test"

        func availability() -> UnlockAvailability { .available }
        func key(_ name: String) -> Secret? { nil }
        func keep(_ key: Secret, under name: String) {}
        func remove(_ name: String) {}
    }

    @Test("sealed records keep the store contract over files, across processes too", .need("N6", "L6")) func overFiles()
        async throws
    {
        try await TemporaryFolder.with { place in
            let random = SeededRandom(seed: 5)
            try await StoreContract(
                reopening: { try await Self.wrapped(FileStore(unencryptedAt: $0.inner.directory, context: $1), $1) }
            ) { try await Self.wrapped(FileStore(unencryptedAt: "\(place.path)/\(random.next())", context: $0), $0) }
            .run()
            try await CrossProcessStoreContract(rounds: 50) { context in
                let path = "\(place.path)/\(random.next())"
                let stores = (0..<2).map { _ in FileStore(unencryptedAt: path, context: context) }
                return (try await Self.wrapped(stores[0], context), try await Self.wrapped(stores[1], context))
            }.run()
        }
    }

    @Test("over a store that fails, sealed records fail as it does, and nothing is lost") func overFailing()
        async throws
    {
        let context = PluginContext.testing()
        let failing = FaultyStore(MemoryStore(context: context))
        let store = try await Self.wrapped(failing, context)
        let key = StoreKey(.credential, "alice")
        let version = try await store.replace(key, at: nil, with: [1])
        for trouble in [AuthError.Code.locked, .store(.unavailable), .store(.full), .store(.damaged)] {
            failing.failCommits(AuthError(trouble, "no"))
            #expect(await code { try await store.replace(key, at: version, with: [2]) } == trouble)
            failing.failCommits(nil)
            failing.script(reads: AuthError(trouble, "no"))
            #expect(await code { try await store.read(key) } == trouble)
            #expect(try await store.read(key)?.bytes == [1])
        }
        try await StoreContract { try await Self.wrapped(FaultyStore(MemoryStore(context: $0)), $0) }.run()
    }
}
