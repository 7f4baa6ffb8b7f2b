import Foundation
import LatchkeySystem

/// Lets every other task go on, as far as it can without the clock.
///
/// The system may take the processor from a thread in the middle of a task for longer than any number of yields
/// lasts. So all threads of the pool are met, again and again: each has then done what it was at.
public nonisolated(nonsending) func settleTasks() async { _ = await settleTasks { false } }

/// Lets the other tasks go on until `condition` holds, or until they have gone as far as they can without the clock.
///
/// - Returns: Whether the condition holds.
public nonisolated(nonsending) func settleTasks(until condition: () async throws -> Bool) async rethrows -> Bool {
    for _ in 0..<meetings {
        for _ in 0..<yields {
            if try await condition() { return true }
            await Task.yield()
        }
        await meetThreads()
    }
    return try await condition()
}

private let meetings = 25
private let yields = 400

/// Returns once each thread of the pool has begun a task of this at the same time as all others.
private func meetThreads() async {
    let count = ProcessInfo.processInfo.activeProcessorCount
    let arrived = Locked(0)
    await withTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
            group.addTask {
                arrived.withLock { $0 += 1 }
                // A pool with fewer threads than processors never meets: then this gives up.
                var looks = 0
                while arrived.withLock({ $0 < count }), looks < 20_000 {
                    sched_yield()
                    looks += 1
                }
            }
        }
    }
}
