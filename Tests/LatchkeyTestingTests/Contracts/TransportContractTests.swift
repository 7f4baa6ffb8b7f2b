import Latchkey
import LatchkeyCurl
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite("Contracts of transports over real sockets, and of those that wrap others")
struct TransportContractTests {
    @Test(
        "a transport that breaks one promise about connections is refused by the clause that demands it",
        .timeLimit(.minutes(2)), arguments: BrokenWire.Fault.allCases)
    func brokenWire(fault: BrokenWire.Fault) async throws {
        let contract = TransportContract(cap: 65_536, timeLimit: .seconds(5), BrokenWire(fault))
        let violation = await #expect(throws: ContractViolation.self) { try await contract.run() }
        #expect(violation?.clause == fault.clause)
    }

    @Test("the same transport without the fault keeps the contract") func wire() async throws {
        try await TransportContract(cap: 65_536, BrokenWire(nil)).run()
    }

    func wrapper(_ fault: BrokenWrapper.Fault?) -> TransportWrapperContract {
        let told = Locked<[String]>([])
        return TransportWrapperContract(written: { told.withLock { $0 } }, timeLimit: .seconds(5)) { inner, context in
            BrokenWrapper(fault, inner, context) { line in told.withLock { $0.append(line) } }
        }
    }

    @Test(
        "a wrapper that breaks one promise is refused by the clause that demands it",
        .timeLimit(.minutes(2)), arguments: BrokenWrapper.Fault.allCases)
    func brokenWrapper(fault: BrokenWrapper.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await wrapper(fault).run() }
        #expect(violation?.clause == fault.clause)
    }

    @Test("the same wrapper without the fault keeps the contract") func soundWrapper() async throws {
        try await wrapper(nil).run()
    }

    @Test("what retries keeps the contract of wrappers") func retrying() async throws {
        try await TransportWrapperContract { inner, context in Retrying(wrapping: inner, context: context) }.run()
    }
}
