import Dispatch

/// Runs all pieces of work at the same time and returns their results, in no particular order.
///
/// Each runs on its own thread. The system has only as many threads as cores, so work that waits
/// for the disk would block the work that it is meant to meet.
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

/// Runs the jobs of a task on its own thread.
@available(macOS 15, iOS 18, *)
private final class OwnThread: TaskExecutor {
    // A serial queue takes a thread outside the system's pool.
    private let queue = DispatchQueue(label: "contract")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
