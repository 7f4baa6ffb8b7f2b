import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs every job of its tasks on one thread, in an order drawn from a seed.
///
/// Tasks started by ``start(_:)``, their child tasks, and the actors they enter run here and
/// nowhere else. A plain `Task { }`, `Task.sleep` and the main actor escape it. ``foreignJobs``
/// counts jobs that came from elsewhere, so that a test can prove that there were none.
@available(macOS 15, iOS 18, *)
public final class SeededExecutor: TaskExecutor, @unchecked Sendable {
    // Proof of `@unchecked Sendable`: everything is behind the lock, and jobs run outside it.
    private struct State {
        var jobs: [UnownedJob] = []
        var random: SplitMix
        var steps = 0
        var foreign = 0
    }

    private let state: Locked<State>
    private let owner = ThreadID.current

    /// Creates an executor for the calling thread, the only one that may call ``step()``.
    public init(seed: UInt64) { state = Locked(State(random: SplitMix(seed: seed))) }

    /// Adds a job.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isForeign = ThreadID.current != owner
        state.withLock { state in
            if isForeign { state.foreign += 1 }
            state.jobs.append(job)
        }
    }

    /// Starts a task on this executor.
    public func start(_ work: @escaping @Sendable () async -> Void) {
        Task.detached(executorPreference: self) { await work() }
    }

    /// Runs one of the jobs that are ready. Returns whether there was one.
    @discardableResult
    public func step() -> Bool {
        let job = state.withLock { state -> UnownedJob? in
            guard !state.jobs.isEmpty else { return nil }
            state.steps += 1
            let index = Int(state.random.next() % UInt64(state.jobs.count))
            state.jobs.swapAt(index, state.jobs.count - 1)
            return state.jobs.removeLast()
        }
        guard let job else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    /// The number of jobs that have run.
    public var steps: Int { state.withLock { $0.steps } }

    /// The number of jobs that are ready.
    public var ready: Int { state.withLock { $0.jobs.count } }

    /// The number of jobs that came from another thread.
    public var foreignJobs: Int { state.withLock { $0.foreign } }
}

/// Identifies the current thread.
private enum ThreadID {
    #if canImport(Darwin)
        static var current: UInt { UInt(bitPattern: pthread_self()) }
    #else
        static var current: UInt { UInt(pthread_self()) }
    #endif
}
