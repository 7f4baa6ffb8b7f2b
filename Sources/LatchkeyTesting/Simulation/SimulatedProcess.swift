import FoundationEssentials
public import Latchkey
import LatchkeySystem

/// A process of a simulation, with its own view of clock, disk, randomness and tasks. After it is
/// killed, each call through its context throws and has no effect, and its running tasks end.
@available(macOS 15, iOS 18, *)
public final class SimulatedProcess: Sendable {
    /// The process's view of the disk.
    public let files: SimulatedFiles
    /// The process's number, unique on its disk.
    public var number: Int { files.process }
    private let farewells = Locked<[@Sendable () -> Void]>([])
    private let machine: SimulatedMachine
    private let clock: ProcessClock
    private let seed: UInt64

    /// Creates a process that starts now on `machine`.
    public init(on machine: SimulatedMachine, disk: SimulatedDisk, seed: UInt64) {
        self.machine = machine
        self.seed = seed
        files = SimulatedFiles(on: disk)
        clock = ProcessClock(machine)
    }

    /// Returns the context for its plugins.
    public func context(observer: any AuthObserver = SilentObserver()) -> PluginContext {
        let random = SeededRandom(seed: seed)
        return PluginContext(
            clock: clock, random: { random.bytes($0) }, files: WatchedFiles(files: files),
            processes: SimulatedProcesses(files: files), observer: observer,
            start: { [executor = machine.executor] _, work in executor.start(work) })
    }

    /// Whether the process was killed.
    public var isKilled: Bool { clock.isFenced }

    /// Kills the process. Its locks become free, what it wrote stays, and what it sent is on its way.
    public func kill() {
        files.kill()
        clock.fence()
        let farewells = farewells.withLock { farewells in
            defer { farewells = [] }
            return farewells
        }
        for farewell in farewells { farewell() }
    }

    /// Runs `farewell` when the process is killed, as the system cleans up after a process.
    func whenKilled(_ farewell: @escaping @Sendable () -> Void) { farewells.withLock { $0.append(farewell) } }
}

/// The machine's clock, until the process ends.
@available(macOS 15, iOS 18, *)
private final class ProcessClock: AuthClock {
    private struct State {
        var isFenced = false
        var serial = 0
        var sleepers: [Int: (timer: Int, continuation: CheckedContinuation<Bool, Never>)] = [:]
    }

    private let machine: SimulatedMachine
    private let state = Locked(State())
    let boot: String

    init(_ machine: SimulatedMachine) {
        self.machine = machine
        boot = machine.boot
    }

    var isFenced: Bool { state.withLock { $0.isFenced } }

    func now() -> MonotonicInstant { machine.now }

    func wall() -> Date { machine.wall }

    func sleep(until instant: MonotonicInstant) async throws {
        try Task.checkCancellation()
        guard instant > machine.now else { return }
        let id = state.withLock { state in
            state.serial += 1
            return state.serial
        }
        let rested = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let timer = machine.at(instant) { self.wake(id, rested: true) }
                let isOver = Task.isCancelled
                let isFenced = state.withLock { state in
                    if !state.isFenced, !isOver { state.sleepers[id] = (timer, continuation) }
                    return state.isFenced
                }
                guard isFenced || isOver else { return }
                machine.cancel(timer)
                continuation.resume(returning: false)
            }
        } onCancel: {
            wake(id, rested: false)
        }
        if !rested { throw CancellationError() }
    }

    func fence() {
        let sleepers = state.withLock { state in
            state.isFenced = true
            return state.sleepers.keys.sorted()
        }
        for id in sleepers { wake(id, rested: false) }
    }

    private func wake(_ id: Int, rested: Bool) {
        guard let (timer, continuation) = state.withLock({ $0.sleepers.removeValue(forKey: id) }) else { return }
        if !rested { machine.cancel(timer) }
        continuation.resume(returning: rested)
    }
}
