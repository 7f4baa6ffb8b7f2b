import Latchkey
import LatchkeyEncryptedStore
import Testing

@testable import LatchkeyTesting

@Suite("Vault: several processes")
struct VaultProcessTests {
    private static let key = UnlockKey(.key(source: "test"), Secret([UInt8](repeating: 0x5A, count: 32)))

    private static func store(_ folder: String) async throws -> EncryptedFileStore {
        let store = EncryptedFileStore(
            at: folder, options: VaultOptions(isMadeWhenFirstOpened: true, rollback: .enforce, isEphemeral: true))
        try await store.open(with: key)
        return store
    }

    @Test("the vault keeps the contract of several processes, killed ones among them")
    func contract() async throws {
        try await StoreProcessContract(.built("store-member", arguments: ["vault"])) { try await Self.store($0) }.run()
    }

    @Test("eight processes that make the vault and count at once lose nothing, and each conflict is resolved")
    func eight() async throws {
        try await TemporaryFolder.with { folder in
            let program = StoreProcessContract.Program.built("store-member").path
            let place = folder["vault"]
            let outputs = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...8 { group.addTask { try await ProgramOutput.of(program, ["vault", place, "50"]) } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(outputs.allSatisfy { $0.hasPrefix("conflicts=") }, "\(outputs)")
            let found = try await Self.store(place).read(StoreKey(.settings, "counter"))
            #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == "400")
            // Else nobody met anybody.
            #expect(outputs.contains { $0 != "conflicts=0\n" })
        }
    }
}
