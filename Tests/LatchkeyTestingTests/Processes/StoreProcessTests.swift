import FolderStores
import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Testing

@Suite("Stores and processes that are killed", .serialized)
struct StoreProcessTests {
    func contract(_ fault: FolderStore.Fault?) -> StoreProcessContract {
        // Those that hang shall not do so for long.
        let limit = fault == .hangsAfterDeath ? Duration.seconds(10) : .seconds(120)
        let program = StoreProcessContract.Program.built("store-member", arguments: [fault?.rawValue ?? "folder"])
        return StoreProcessContract(program, timeLimit: limit) { try FolderStore($0, fault) }
    }

    @Test("a store that keeps its promises keeps them when its processes are killed") func sound() async throws {
        try await contract(nil).run()
    }

    @Test("the file store keeps them, too") func fileStore() async throws {
        try await StoreProcessContract(.built("store-member", arguments: ["file"])) {
            FileStore(unencryptedAt: $0)
        }.run()
    }

    @Test(
        "a store that breaks one promise is refused by the clause that demands it",
        arguments: FolderStore.Fault.allCases)
    func broken(fault: FolderStore.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await contract(fault).run() }
        #expect(violation?.contract == "StoreProcessContract")
        #expect(violation?.clause == fault.clause, "\(violation?.description ?? "none")")
    }

    @Test("a program that is none, or does not do its part, breaks no clause of the store's") func programs()
        async throws
    {
        let missing = await #expect(throws: ContractViolation.self) {
            try await StoreProcessContract(.init(path: "/nonexistent/member")) { try FolderStore($0) }.run()
        }
        #expect(missing?.clause == ContractViolation.given)
        let silent = await #expect(throws: ContractViolation.self) {
            try await StoreProcessContract(.init(path: "/bin/true")) { try FolderStore($0) }.run()
        }
        #expect(silent?.clause == "a new process can use the store")
    }
}
