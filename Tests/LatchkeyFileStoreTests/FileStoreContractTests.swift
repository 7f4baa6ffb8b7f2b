import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Proofs
import Testing

@Suite("File store: contracts")
struct FileStoreContractTests {
    @Test("keeps the store contract on the real disk") func real() async throws {
        let place = try TemporaryDirectory()
        let random = SeededRandom(seed: 1)
        try await StoreContract(
            damaging: { store, key in try place.damage(store, key) },
            reopening: { store, context in FileStore(unencryptedAt: store.directory, context: context) }
        ) { context in
            FileStore(unencryptedAt: "\(place.path)/\(random.next())", context: context)
        }.run()
    }

    @Test("keeps the contract of stores that several processes use on the real disk", .complaint(.supabase, 11))
    func realCross() async throws {
        let place = try TemporaryDirectory()
        let random = SeededRandom(seed: 2)
        try await CrossProcessStoreContract(rounds: 200) { context in
            let path = "\(place.path)/\(random.next())"
            return (FileStore(unencryptedAt: path, context: context), FileStore(unencryptedAt: path, context: context))
        }.run()
    }

    #if os(Linux)
        @Test("keeps the contract of stores that tell of changes on the real disk") func realWatch() async throws {
            if let reason = WatchLimit.reached { try Test.cancel("\(reason)") }
            let place = try TemporaryDirectory()
            let random = SeededRandom(seed: 4)
            try await WatchableStoreContract { context in
                let path = "\(place.path)/\(random.next())"
                return (
                    FileStore(unencryptedAt: path, context: context), FileStore(unencryptedAt: path, context: context)
                )
            }.run()
        }
    #endif

    @Test("keeps the store contract on a simulated disk") func simulated() async throws {
        let disk = SimulatedDisk()
        let random = SeededRandom(seed: 3)
        var context = PluginContext.system
        context.files = SimulatedFiles(on: disk)
        try await StoreContract(
            context: context,
            reopening: { store, context in
                disk.crash(losing: .unsynced)
                var context = context
                context.files = SimulatedFiles(on: disk)
                return FileStore(unencryptedAt: store.directory, context: context)
            }
        ) { context in
            FileStore(unencryptedAt: "/home/alice/\(random.next())", context: context)
        }.run()
    }

    @Test("keeps the contract of stores that several processes use on a simulated disk")
    func simulatedCross() async throws {
        try await CrossProcessStoreContract { context in
            let disk = SimulatedDisk()
            let stores = [1, 2].map { _ in
                var context = context
                context.files = SimulatedFiles(on: disk)
                return FileStore(unencryptedAt: "/home/alice/store", context: context)
            }
            return (stores[0], stores[1])
        }.run()
    }
}
