import Latchkey
import LatchkeyEncryptedStore
import LatchkeyFileStore

/// Which store is used.
enum StoreKind: String {
    case file, encrypted

    /// Holds the key of the encrypted store, so that every process opens it by itself.
    private struct Holder: KeyHolder {
        let source = "torture"
        static let key = Secret([UInt8](repeating: 0x5A, count: 32))

        func availability() async -> UnlockAvailability { .available }
        func key(_ name: String) async throws -> Secret? { Self.key }
        func keep(_ key: Secret, under name: String) async throws {}
        func remove(_ name: String) async throws {}
    }

    private static let options = VaultOptions(rollback: .enforce, isEphemeral: true)

    /// The store in `directory`, as a new process opens it.
    func store(in directory: String) -> any CrossProcessStore {
        switch self {
        case .file: FileStore(unencryptedAt: directory)
        case .encrypted:
            SelfOpening(EncryptedFileStore(at: directory, options: Self.options), by: Holder(), name: "torture")
        }
    }

    /// Makes what has to be there first.
    func prepare(_ directory: String) async throws {
        guard self == .encrypted else { return }
        try await EncryptedFileStore(at: directory, options: Self.options)
            .initialise(with: [NewSlot(UnlockKey(.key(source: Holder().source), Holder.key), name: "torture")])
    }
}
