import FolderStores
import LatchkeyFileStore
import LatchkeyTesting

/// A process that uses the store which its argument names: `file`, `folder`, or the fault of a broken one.
@main struct Member {
    static func main() async {
        let name = CommandLine.arguments.dropFirst().first ?? "file"
        let isOrdered = await StoreProcessContract.runMember { folder in
            if name == "file" { return FileStore(unencryptedAt: folder) }
            return try FolderStore(folder, FolderStore.Fault(rawValue: name))
        }
        if !isOrdered { print("Usage: store-member file|folder|FAULT, started by StoreProcessContract") }
    }
}
