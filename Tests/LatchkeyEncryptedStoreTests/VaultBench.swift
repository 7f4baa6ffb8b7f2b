import Latchkey
import LatchkeyTesting

@testable import LatchkeyEncryptedStore

/// What the tests of vaults share: a cheap passphrase, and stores on a simulated disk.
struct VaultBench {
    static let directory = "/home/alice/vault"
    static let passphrase = UnlockKey(.passphrase, Secret("correct horse battery staple"))
    static let cheap = ScryptCost(logN: 10)
    let disk = SimulatedDisk()
    var options = VaultOptions(cost: cheap)

    static func keeper(_ context: PluginContext) -> LocalKeeper { LocalKeeper(context: context, leastLogN: 10) }

    func context(seed: UInt64 = 1) -> PluginContext { .testing(seed: seed, files: SimulatedFiles(on: disk)) }

    /// A closed store, as another process has it.
    func store(seed: UInt64 = 1, options: VaultOptions? = nil, context: PluginContext? = nil) -> EncryptedFileStore {
        let context = context ?? self.context(seed: seed)
        return EncryptedFileStore(
            at: Self.directory, keptBy: Self.keeper(context), options: options ?? self.options, context: context)
    }

    /// The first process: makes the vault.
    func made(seed: UInt64 = 1, options: VaultOptions? = nil) async throws -> EncryptedFileStore {
        let store = store(seed: seed, options: options)
        try await store.initialise(with: [NewSlot(Self.passphrase, cost: Self.cheap)])
        return store
    }

    /// Another process that has opened it.
    func opened(seed: UInt64, options: VaultOptions? = nil) async throws -> EncryptedFileStore {
        let store = store(seed: seed, options: options)
        try await store.open(with: Self.passphrase)
        return store
    }

    static var vault: String { "\(directory)/vault.lkv" }
}

/// What `work` throws, as the code; `nil` when it does not.
func code<Value>(_ work: () async throws -> Value) async -> AuthError.Code? {
    do {
        _ = try await work()
        return nil
    } catch {
        return (error as? AuthError)?.code
    }
}
