import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Testing

@testable import LatchkeyEncryptedStore

@Suite("Vault: the contract of stores that a key opens") struct VaultLockTests {
    private static let options = VaultOptions(cost: VaultBench.cheap, isMadeWhenFirstOpened: true)

    private static func damage(_ path: String) throws {
        let files = SystemFiles()
        guard var bytes = try files.read(path, limit: 1 << 20) else { return }
        bytes[bytes.count - 40] ^= 1
        try files.remove(path)
        try files.writeNew(path, bytes)
    }

    @Test("one file") func vault() async throws {
        try await TemporaryFolder.with { place in
            let random = SeededRandom(seed: 11)
            try await LockableStoreContract(
                key: VaultBench.passphrase, damaging: { try Self.damage("\($0.directory)/vault.lkv") }
            ) { context in
                EncryptedFileStore(
                    at: "\(place.path)/\(random.next())", keptBy: VaultBench.keeper(context), options: Self.options,
                    context: context)
            }.run()
        }
    }

    @Test("sealed records in another store") func records() async throws {
        try await LockableStoreContract(key: VaultBench.passphrase) { context in
            EncryptedStore(
                wrapping: MemoryStore(context: context), namespace: "test", keptBy: VaultBench.keeper(context),
                options: Self.options, context: context)
        }.run()
    }

    @Test("sealed records list beside damage as the files do") func listing() async throws {
        try await TemporaryFolder.with { place in
            let random = SeededRandom(seed: 12)
            try await DamageTolerantStoreContract(damaging: Self.damageFile) { context in
                let store = EncryptedStore(
                    wrapping: FileStore(unencryptedAt: "\(place.path)/\(random.next())", context: context),
                    namespace: "test", keptBy: VaultBench.keeper(context), options: Self.options, context: context)
                try await store.open(with: VaultBench.passphrase)
                return store
            }.run()
        }
    }

    /// Leaves so little of the record's file that nobody can tell whose it is.
    private static func damageFile(_ store: EncryptedStore<FileStore>, _ key: StoreKey) throws {
        let (files, directory) = (SystemFiles(), store.inner.directory)
        for name in try files.list(directory) where name.hasPrefix(key.kind.rawValue) && name.hasSuffix(".record") {
            let head = try files.read("\(directory)/\(name)", limit: 1 << 20)?.prefix(200) ?? []
            guard String(decoding: head, as: UTF8.self).contains(key.name) else { continue }
            try files.remove("\(directory)/\(name)")
            try files.writeNew("\(directory)/\(name)", [0x7B])
        }
    }
}
