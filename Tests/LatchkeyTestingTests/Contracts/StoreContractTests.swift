import Latchkey
import LatchkeyTesting
import Testing

@Suite("Store contracts")
struct StoreContractTests {
    func contract(_ fault: BrokenStore.Fault?) -> StoreContract<BrokenStore> {
        StoreContract(
            damaging: { store, key in store.damage(key) }, reopening: { store, _ in store.reopened() }
        ) { _ in BrokenStore(fault) }
    }

    @Test(
        "a store that breaks one promise is refused by the clause that demands it", .timeLimit(.minutes(1)),
        arguments: BrokenStore.Fault.allCases)
    func broken(fault: BrokenStore.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await contract(fault).run() }
        #expect(violation?.contract == "StoreContract")
        #expect(violation?.clause == fault.clause)
    }

    @Test("the same store without the fault keeps the contract") func sound() async throws {
        try await contract(nil).run()
    }

    @Test(
        "locks that break one promise are refused by the clause that demands it", arguments: BrokenLocks.Fault.allCases)
    func brokenLocks(fault: BrokenLocks.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) {
            try await CrossProcessStoreContract { _ in
                let store = BrokenLocks(fault)
                return (store, store.other())
            }.run()
        }
        #expect(violation?.clause == fault.clause)
    }

    @Test(
        "a store that tells wrongly is refused by the clause that demands it", arguments: BrokenWatch.Fault.allCases)
    func brokenWatch(fault: BrokenWatch.Fault) async throws {
        var violation: ContractViolation?
        // A store that is merely slow, as the machine may be, breaks another clause.
        for patience in [Duration.milliseconds(300), .seconds(5), .seconds(30)] where violation?.clause != fault.clause
        {
            violation = await #expect(throws: ContractViolation.self) {
                try await WatchableStoreContract(patience: patience) { _ in
                    let store = BrokenWatch(fault)
                    return (store, store)
                }.run()
            }
        }
        #expect(violation?.clause == fault.clause)
    }

    @Test("the same store without the fault tells rightly") func soundWatch() async throws {
        try await WatchableStoreContract { _ in
            let store = BrokenWatch(nil)
            return (store, store)
        }.run()
    }

    @Test("the memory store keeps all three contracts") func memory() async throws {
        try await WatchableStoreContract { context in
            let store = MemoryStore(context: context)
            return (store, store)
        }.run()
        try await StoreContract { MemoryStore(context: $0) }.run()
        try await CrossProcessStoreContract { context in
            let store = MemoryStore(context: context)
            return (store, store)
        }.run()
    }
}
