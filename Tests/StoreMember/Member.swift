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
            return try await count(times, in: store(name, in: words[1]))
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

    private static func count(_ times: Int, in store: any CrossProcessStore) async throws {
        let key = StoreKey(.settings, "counter")
        var conflicts = 0
        for _ in 0..<times {
            while true {
                let found = try await store.read(key)
                let number = found.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
                do {
                    try await store.replace(key, at: found?.version, with: Array(String(number + 1).utf8))
                    break
                } catch is StoreConflict {
                    conflicts += 1
                }
            }
        }
        print("conflicts=\(conflicts)")
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
