import FolderStores
import Latchkey
import LatchkeyEncryptedStore
import LatchkeyFileStore
import LatchkeyTesting

/// A process that uses the store which its argument names: `file`, `vault`, `folder`, or the fault of a broken one. With a
/// folder and a number it counts so often over what is there.
@main struct Member {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let name = words.first ?? "file"
        if words.count == 3, let times = Int(words[2]) {
            print("conflicts=\(try await CountingMember.count(times, in: store(name, in: words[1])))")
            return
        }
        let isOrdered = await StoreProcessContract.runMember { folder in try store(name, in: folder) }
        if !isOrdered { print("Usage: store-member file|vault|folder|FAULT [FOLDER COUNT]") }
    }

    private static func store(_ name: String, in folder: String) throws -> any CrossProcessStore {
        switch name {
        case "file": FileStore(unencryptedAt: folder)
        case "vault":
            SelfOpening(
                EncryptedFileStore(
                    at: folder,
                    options: VaultOptions(isMadeWhenFirstOpened: true, rollback: .enforce, isEphemeral: true)),
                by: FixedKey(), name: "test")
        default: try FolderStore(folder, FolderStore.Fault(rawValue: name))
        }
    }
}

/// The key of the vault, the same for all processes of a test.
private struct FixedKey: KeyHolder {
    let source = "test"

    func availability() async -> UnlockAvailability { .available }
    func key(_ name: String) async throws -> Secret? { Secret([UInt8](repeating: 0x5A, count: 32)) }
    func keep(_ key: Secret, under name: String) async throws {}
    func remove(_ name: String) async throws {}
}
