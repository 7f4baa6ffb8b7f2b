import Dispatch

/// What each piece of work gives, in no order. All begin at once, each on a thread of its own: on those of the system,
/// which are as many as the cores, one that waits for the disk would hold up whom it should meet.
func atOnce<Value: Sendable>(
    _ works: [@Sendable () async throws -> Value]
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for work in works {
            if #available(macOS 15, iOS 18, *) {
                group.addTask(executorPreference: OwnThread(), operation: work)
            } else {
                group.addTask(operation: work)
            }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

/// Runs the jobs of a task on a thread of its own.
@available(macOS 15, iOS 18, *)
private final class OwnThread: TaskExecutor {
    // A queue that runs one thing after the other takes a thread beyond those of the system's pool.
    private let queue = DispatchQueue(label: "contract")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
