import LatchkeyFileStore
import LatchkeyLocked
import LatchkeyTesting

@testable import Latchkey

/// One run of several processes over one disk, one network and one service: what is done, in which order, and whether
/// a law was broken.
final class History: Sendable {
    /// A client in a process.
    struct Running: Sendable {
        let number: Int
        let started: Duration
        let process: SimulatedProcess
        let client: AuthClient
    }

    struct State {
        var random: SplitMix
        var running: [Running?] = [nil, nil, nil]
        var started = 0
        var story: [String] = []
        var violations: [String] = []
        /// Access tokens that a flushed record has held.
        var stored: Set<String> = []
        /// Families whose sign-out was confirmed to a caller, and when.
        var signedOut: [Int: Duration] = [:]
        /// The family of each login that was ever stored.
        var families: [String: Int] = [:]
        var pending = 0
    }

    static let directory = "/home/alice/store"
    static let people = ["ada", "bob"]
    let kind: SimulatedService.Kind
    let machine: SimulatedMachine
    let disk = SimulatedDisk()
    let service: SimulatedService
    let network: SimulatedNetwork
    let state: Locked<State>

    init(_ kind: SimulatedService.Kind, operations: UInt64, schedule: UInt64) {
        self.kind = kind
        machine = SimulatedMachine(schedule: schedule)
        service = SimulatedService(kind, on: machine)
        var random = SplitMix(seed: operations)
        network = SimulatedNetwork(machine, to: service, seed: random.next())
        state = Locked(State(random: random))
    }

    var steps: Int { machine.executor.steps }
    var foreignJobs: Int { machine.executor.foreignJobs }
    var violations: [String] { state.withLock { $0.violations } + network.violations }
    var story: String { state.withLock { $0.story.joined(separator: "\n") } }

    func tell(_ line: String) {
        let seconds = machine.elapsed.components.seconds
        let milliseconds = machine.elapsed.components.attoseconds / 1_000_000_000_000_000
        state.withLock { $0.story.append("\(seconds).\(milliseconds) \(line)") }
    }

    func violate(_ law: Int, _ line: String) {
        tell("VIOLATION of law \(law): \(line)")
        state.withLock { $0.violations.append("law \(law): \(line)") }
    }

    func draw(_ limit: Int) -> Int { state.withLock { $0.random.below(limit) } }

    /// Runs it from the first sign-in to the last check.
    func run() {
        network.setTrouble(draw(3) == 0 ? 0 : draw(400))
        operate(Operation.signIn)
        let count = 5 + draw(25)
        for _ in 0..<count {
            operate(Operation.allCases[draw(Operation.allCases.count)])
            let patience = draw(4) == 0 ? 400 : draw(60)
            for _ in 0..<patience { step() }
            for running in state.withLock({ $0.running }).compactMap(\.self) { checkCurrent(running) }
            if !violations.isEmpty { break }
        }
        settle()
        finalCheck()
        for running in state.withLock({ $0.running }).compactMap(\.self) { kill(running) }
        drain(seconds: 60)
        state.withLock { $0.running = [] }
        drain(seconds: 60)
    }

    /// One job, or where none is ready the next moment that something waits for.
    @discardableResult
    func step() -> Bool {
        if !isStuck, machine.executor.step() {
            lookAtDisk()
            return true
        }
        return !isStuck && machine.advance()
    }

    /// More steps than any history needs: something goes round without waiting for anything.
    var isStuck: Bool {
        guard machine.executor.steps > 200_000 else { return false }
        if violations.isEmpty { violate(14, "a loop does not end") }
        return true
    }

    /// Goes on to `end`, or until nothing waits for an earlier moment.
    func proceed(to end: MonotonicInstant) {
        while !isStuck, machine.executor.step() || machine.advance(notPast: end) { lookAtDisk() }
    }

    /// Goes on until nothing happens for so long.
    func drain(seconds: Int) {
        let end = machine.now + .seconds(seconds)
        proceed(to: end)
    }

    /// Faults end; what is owed is paid.
    func settle() {
        tell("settle")
        network.setTrouble(0)
        disk.inject(nil)
        disk.setCapacity(.max)
        drain(seconds: 120)
        let process = start(0)
        machine.executor.start { _ = try? await process.client.restore() }
        drain(seconds: 60)
        for _ in 0..<4 {
            machine.executor.start { try? await process.client.settleRevocations() }
            drain(seconds: 120)
        }
    }
}
