import LatchkeyFileStore
import LatchkeyTesting
import Testing

@Suite("File store: processes that are killed")
struct FileStoreProcessTests {
    @Test("keeps what was acknowledged, whole, private and free of locks, when its processes are killed")
    func killed() async throws {
        try await StoreProcessContract(.built("store-member", arguments: ["file"])) {
            FileStore(unencryptedAt: $0)
        }.run()
    }
}
