import Latchkey
import LatchkeyTesting
import OutsiderStore
import Testing

@Suite("A store in one file")
struct SnapshotStoreTests {
    @Test("The store keeps the contract of stores" /* .need("B6") */)
    func contract() async throws {
        try await TemporaryFolder.with { folder in
            try await StoreContract {
                SnapshotStore(at: folder[$0.randomName()], context: $0)
            }.run()
        }
    }
}
