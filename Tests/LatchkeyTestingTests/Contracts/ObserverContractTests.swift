import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite("Contract of observers: descriptors, lines, and what is kept")
struct ObserverContractTests {
    private func contract(_ fault: LinesObserver.Fault?) -> ObserverContract<LinesObserver> {
        ObserverContract(
            sink: .init(bound: LinesObserver.limit) { LinesObserver(fault, $0) }, secrets: [LinesObserver.secret],
            timeLimit: .seconds(fault == nil ? 30 : 10)
        ) { LinesObserver(fault, -1) }
    }

    @Test("an observer that keeps every promise passes") func right() async throws { try await contract(nil).run() }

    @Test(
        "an observer that breaks one promise is refused by the clause that demands it",
        arguments: LinesObserver.Fault.allCases)
    func broken(fault: LinesObserver.Fault) async throws {
        let violation = await #expect(throws: ContractViolation.self) { try await contract(fault).run() }
        let clause = violation?.clause
        // A caller that waits is seen where it waits longest, which the machine decides.
        let isSeenEarly =
            [.blocks, .waitsForRoom].contains(fault) && clause == "a sink that takes nothing blocks no caller"
        #expect(clause == fault.clause || isSeenEarly, "\(violation?.description ?? "")")
    }

    /// Keeps a line for each observation, or one for all.
    private final class Kept: AuthObserver {
        let lines = Locked<[String]>([])
        let forgets: Bool

        init(forgets: Bool = false) { self.forgets = forgets }

        func observe(_ observation: AuthObservation) {
            guard case .refresh(let provider, _, _) = observation else { return }
            lines.withLock { lines in
                if forgets, lines.count >= 100 { lines.removeFirst() }
                lines.append(provider.name.filter { $0 >= " " && $0 != "\u{7F}" })
            }
        }
    }

    @Test("what an observer says it wrote is judged as well") func written() async throws {
        try await ObserverContract(written: { (kept: Kept) in kept.lines.withLock { $0 } }) { Kept() }.run()
        let violation = await #expect(throws: ContractViolation.self) {
            try await ObserverContract(written: { (kept: Kept) in kept.lines.withLock { $0.dropLast() } }) { Kept() }
                .run()
        }
        #expect(violation?.clause == "it loses none within its bound")
    }

    @Test("what an observer keeps of thousands of names is bounded", arguments: [false, true])
    func bounded(forgets: Bool) async throws {
        let contract = ObserverContract(size: { (kept: Kept) in kept.lines.withLock { $0.count } }) {
            Kept(forgets: forgets)
        }
        guard !forgets else { return try await contract.run() }
        let violation = await #expect(throws: ContractViolation.self) { try await contract.run() }
        #expect(violation?.clause == "what it keeps is bounded")
    }
}
