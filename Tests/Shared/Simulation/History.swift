import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting

/// One run of several processes over one disk or keyring, one network and one service: what is done, in which order,
/// and whether a law was broken.
package final class History: Sendable {
    /// A client in a process.
    struct Running: Sendable {
        let number: Int
        let started: Duration
        let process: SimulatedProcess
        let client: AuthClient
        let gate: SimulatedPerson?
        let began: MonotonicInstant
        /// Whether its store is open, where a key opens it.
        let isStoreOpen: (@Sendable () -> Bool)?
    }

    /// A call that has not returned.
    struct Underway {
        var call: Call
        var process: Int
    }

    /// A stored record, and what the trace knows of it.
    struct SeenRecord {
        var whole: CredentialRecord
        var lane: LaneRecord
    }

    /// Bytes as a key, hashed by their end, where each record has the name of its writing.
    struct SeenBytes: Hashable {
        var bytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.suffix(64))) }
        }
    }

    struct State {
        var random = SplitMix(seed: 0)
        var running: [Running?] = [nil, nil, nil]
        var started = 0
        /// The numbers of processes, by those that they have on the disk, where others have some, too.
        var numbers: [Int: Int] = [:]
        var story: [String] = []
        /// The steps of the lane, where the story is told.
        var events: [LaneEvent] = []
        var violations: [String] = []
        var counts: [String: Int] = [:]
        var calls: [Int: Underway] = [:]
        var nextCall = 0
        /// The tasks that can be cancelled, and which calls were.
        var tasks: [Int: Task<Void, Never>] = [:]
        var cancelled: Set<Int> = []
        /// What was decoded, by its bytes.
        var seen: [SeenBytes: SeenRecord] = [:]
        /// What the store holds, by key, where several people share a credential.
        var shared: [String: CredentialRecord] = [:]
        /// What the store says, person by person, and since when.
        var records: [String: CredentialRecord] = [:]
        var changed: [String: Duration] = [:]
        /// The processes that follow what the store tells.
        var following: Set<Int> = []
        /// The processes that read an account when a call names it.
        var naming: Set<Int> = []
        /// Access tokens that a durable record has held.
        var durable: Set<String> = []
        /// Families whose sign-out was confirmed to a caller, and when.
        var signedOut: [Int: Duration] = [:]
        /// When a record of the family was in the store for the first time.
        var entered: [Int: Duration] = [:]
        /// The family of each login that was ever stored.
        var families: [String: Int] = [:]
        /// Logins that a record said to have ended.
        var ended: Set<String> = []
        /// Refresh tokens that another client of the person's has, until this one has taken its session over.
        var others: [String: String] = [:]
        /// Who was ever asked to be signed out.
        var leaving: Set<String> = []
        /// How often who was asked to be signed in.
        var entering: [String: Int] = [:]
        var gates: [Int: SeenGate] = [:]
        /// Every proof of this boot.
        var proofs: [MonotonicInstant] = []
        var unlocks: [Int: Int] = [:]
        /// How many calls that unlock are under way.
        var opening: [Int: Int] = [:]
        var keyOfPath: [String: String] = [:]
        /// Requests to the API, by the call that sent them.
        var requests: [Int: Int] = [:]
        var heldLock: (any FileLock)?
        /// Processes that were killed in the middle of a job, and what a power loss in the middle of one takes.
        var fallen: [Running] = []
        var blackout: UInt64?
        /// Whether the store is in trouble; and when it last was.
        var hasStoreTrouble = false
        var troubleEnded: Duration?
        /// For how many days the network was down, in all.
        var daysDown = 0
        /// The process that has been told to end, and has not yet.
        var ending: Int?
        var outbox = Outbox()
        var workers: [Int: Worker] = [:]
        /// Access tokens that a resource refused.
        var refused: [String: RefusedToken] = [:]
        /// Access tokens that the resource that takes none refused in place of others, and since when the store says so.
        var unmended: [String: Duration] = [:]
        /// When a call that forced a refresh last ended, by process.
        var forced: [Int: MonotonicInstant] = [:]
        /// Until when a service wants no work, as a worker was told.
        var rests: [Resting: MonotonicInstant] = [:]
        var news: [Resting: News] = [:]
        /// What each process said last about each account, by its events.
        var words: [Resting: Word] = [:]
        var windows: [Int: Window] = [:]
        /// When the service last answered about a person.
        var contact: [String: Duration] = [:]
        /// Since when the store has nobody signed in, and how often they had been asked to be by then.
        var vacant: [String: (since: Duration, entered: Int)] = [:]
        /// Whom a process signed out itself, and the same.
        var left: [Int: [String: Int]] = [:]
        /// How many answers about a person the service has given.
        var told: Int64 = 0
        /// Whether the wall clock was set by hand, so that it no longer tells one boot how long ago another was.
        var hasTurnedWall = false

        /// Whether a call is under way that signs somebody in.
        var isEntering: Bool { calls.values.contains { [.signIn, .answerCode, .adopt].contains($0.call) } }
    }

    static let directory = "/home/alice/store"
    static let people = ["ada", "bob"]
    package let plan: Plan
    let machine: SimulatedMachine
    let disk = SimulatedDisk()
    let keyring: SimulatedKeyring
    let service: SimulatedService
    let network: SimulatedNetwork
    let dialect: any Dialect
    let state = Locked(State())
    let trace: Locked<LaneTrace>
    let tells: Bool

    var scenario: Scenario { plan.scenario }
    var rules: ProviderRules { dialect.provider.rules }

    /// - Parameters:
    ///   - tells: Whether it writes down what happens, for people.
    ///   - dialect: What clients and service speak; `nil`: the simulation's own language.
    package init(_ plan: Plan, schedule: UInt64, dialect: (any Dialect)? = nil, tells: Bool = false) {
        self.plan = plan
        self.tells = tells
        machine = SimulatedMachine(schedule: schedule)
        let scenario = plan.scenario
        service = SimulatedService(
            scenario.kind, reuseInterval: scenario.reuseInterval, endsEveryGrant: scenario.endsEveryGrant,
            sharesSessions: scenario.sharesSessions, on: machine)
        self.dialect = dialect ?? PlainDialect(scenario)
        let rules = self.dialect.provider.rules
        keyring = SimulatedKeyring(machine, seed: schedule ^ 0x5EED)
        network = SimulatedNetwork(machine, to: service, seed: schedule)
        trace = Locked(LaneTrace(rules.replay, reuseInterval: rules.reuseInterval))
    }

    /// Jobs, changes of the disk, and what clock and network brought: a process can be killed between any two.
    package var steps: Int { machine.executor.steps + disk.steps + machine.moments }
    package var foreignJobs: Int { machine.executor.foreignJobs }
    package var violations: [String] { state.withLock { $0.violations } + network.violations }
    package var story: String { state.withLock { $0.story.joined(separator: "\n") } }

    /// The steps of the lane, where the story is told.
    var events: [LaneEvent] { state.withLock { $0.events } }

    /// How often what happened.
    package var counts: [String: Int] {
        var counts = state.withLock { $0.counts }
        for (fate, count) in network.counts { counts["network \(fate.rawValue)"] = count }
        if network.overtaken > 0 { counts["overtook a request that nobody waited for"] = network.overtaken }
        counts["service \(scenario.kind.rawValue)"] = 1
        if let reuse = scenario.reuse { counts["service answers again for \(reuse) s"] = 1 }
        counts[scenario.isOnDisk ? "store files" : "store keyring"] = 1
        return counts
    }

    func tell(_ line: @autoclosure () -> String) {
        guard tells else { return }
        let (seconds, attoseconds) = machine.elapsed.components
        let milliseconds = String(attoseconds / 1_000_000_000_000_000 + 1_000).dropFirst()
        let text = "\(seconds).\(milliseconds) \(line())"
        state.withLock { $0.story.append(text) }
    }

    func count(_ name: String) { state.withLock { $0.counts[name, default: 0] += 1 } }

    func violate(_ law: Int, _ line: String) {
        tell("VIOLATION of law \(law): \(line)")
        state.withLock { $0.violations.append("law \(law): \(line)") }
    }

    func draw(_ limit: Int) -> Int { state.withLock { $0.random.below(limit) } }

    /// Runs it from the first sign-in to the last check.
    package func run() {
        tell("\(scenario)")
        let watch = disk.observe { [weak self] in self?.see($0, $1) }
        keyring.observe { [weak self] key, bytes in self?.see(key, bytes) }
        network.observe { [weak self] token, sender in self?.note(.over(token, of: sender), by: nil) }
        note(.boot(machine.boot), by: nil)
        network.setTrouble(scenario.trouble)
        for step in plan.steps {
            state.withLock { $0.random = SplitMix(seed: step.seed) }
            network.reseed(step.seed ^ 0xFA7E)
            tell("--- \(step)")
            perform(step)
            bury()
            for _ in 0..<step.patience { advance() }
            for running in running { checkCurrent(running) }
            if !violations.isEmpty { break }
        }
        settle()
        finalCheck()
        for running in running { kill(running) }
        drain(seconds: 60)
        state.withLock { state in
            state.running = []
            state.tasks = [:]
        }
        drain(seconds: 60)
        disk.unobserve(watch)
    }

    /// The processes that a loss of power ends: one that has been told to end, too.
    var powered: [Running] { state.withLock { $0.running.compactMap(\.self) } }

    /// The processes that run, but for one that has been told to end.
    var running: [Running] {
        state.withLock { state in state.running.compactMap(\.self).filter { $0.number != state.ending } }
    }

    /// One job, or where none is ready the next moment that something waits for.
    @discardableResult
    func advance() -> Bool {
        if isStuck { return false }
        if runJob() { return true }
        lookAround()
        return machine.advance()
    }

    /// Nothing is under way at this moment.
    private func lookAround() {
        note(.quiet, by: nil)
        checkGates()
        checkCancelled()
        checkWorkers()
        checkTold()
    }

    func runJob() -> Bool {
        guard machine.executor.step() else { return false }
        bury()
        return true
    }

    /// More jobs than any history needs: something goes round without waiting for anything.
    var isStuck: Bool {
        guard machine.executor.steps > 200_000 else { return false }
        if violations.isEmpty { violate(14, "a loop does not end") }
        return true
    }

    /// Goes on to `end`, or until nothing waits for an earlier moment.
    func proceed(to end: MonotonicInstant) {
        while !isStuck {
            if runJob() { continue }
            lookAround()
            guard machine.advance(notPast: end) else { return }
        }
    }

    /// Goes on until nothing happens for so long.
    func drain(seconds: Int) { proceed(to: machine.now + .seconds(seconds)) }

    /// Faults end; what is owed is paid; every call returns.
    private func settle() {
        tell("--- settle")
        allWell()
        dialect.settle()
        network.setDown(false)
        network.setRest(until: nil)
        machine.setDrift(0)
        network.setTrouble(0)
        // A process that is locked cannot store what it owes to a store that a key opens: the person comes back to it.
        for running in running { machine.executor.start { [self] in await open(running) } }
        checkFollowed()
        drain(seconds: 120)
        checkWindows()
        settleWork()
        // What the service wanted to hear later is told once its pause is over, and not before.
        let pauses = state.withLock { $0.records.values.flatMap(\.pending).compactMap { $0.pause?.lasts } }
        if let longest = pauses.max() { drain(seconds: Int(longest.components.seconds) + 1) }
        let last = start(0)
        for _ in 0..<3 {
            machine.executor.start { [self] in
                await open(last)
                _ = try? await last.client.restore()
                try? await last.client.settleRevocations()
            }
            drain(seconds: 120)
            if !state.withLock({ $0.records.values.contains { !$0.pending.isEmpty } }) { break }
        }
        for (_, call) in state.withLock({ $0.calls }) where running.contains(where: { $0.number == call.process }) {
            violate(14, "\(call.call.rawValue) in process \(call.process) never returns")
        }
        checkOutbox()
    }
}
