package import Latchkey

/// Waits for a lock that another process holds: in the kernel where the disk can do so (``/Latchkey/WaitingFiles``),
/// otherwise by trying again.
package enum LockWait {
    /// One try to take a lock.
    package enum Try<Value> {
        case taken(Value)
        /// Another process has the lock file `name` in `files`.
        case held(any FileAccess, name: String)
        /// It cannot be taken now, and nothing reports when it can.
        case refused
    }

    /// The longest pause between two tries, unless the caller says otherwise.
    package static let longest = Duration.milliseconds(250)

    /// Calls `take` until it returns a value; `nil` if it has not by `end`. After a lock file that was held, `take` gets
    /// its lock as soon as it is free, and releases it if it does not return a value.
    ///
    /// Where the disk cannot wait, the tries are 10 milliseconds apart at first, and `longest` at most.
    ///
    /// - Throws: What `take` throws; `CancellationError`, and then nothing is held.
    package static func run<Value>(
        until end: MonotonicInstant, in context: PluginContext, longest: Duration = longest,
        _ take: (_ won: (any FileLock)?) throws -> Try<Value>
    ) async throws -> Value? {
        var pause = Duration.milliseconds(10)
        var won: (any FileLock)?
        while true {
            if Task.isCancelled {
                won?.release()
                throw CancellationError()
            }
            var held: (files: any WaitingFiles, name: String)?
            switch try take(won) {
            case .taken(let value): return value
            case .held(let files, let name): held = (files as? any WaitingFiles).map { ($0, name) }
            case .refused: break
            }
            guard context.clock.now() < end else { return nil }
            won = nil
            if let held { won = try await lock(held.name, in: held.files, until: end, by: context.clock) }
            if won != nil { continue }
            let next = context.clock.now() + jittered(pause, context)
            try await context.clock.sleep(until: min(next, end))
            pause = min(pause * 2, longest)
        }
    }

    /// The same for what is not one lock file, and is tried again.
    package static func retry<Value>(
        until end: MonotonicInstant, in context: PluginContext, _ take: () throws -> Value?
    ) async throws -> Value? {
        try await run(until: end, in: context) { _ in try take().map { .taken($0) } ?? .refused }
    }

    /// Returns the lock once it is free; `nil` if it is not by `end`, or the disk cannot wait for it.
    private static func lock(
        _ name: String, in files: any WaitingFiles, until end: MonotonicInstant, by clock: any AuthClock
    ) async throws -> (any FileLock)? {
        do {
            return try await clock.value(before: end) { try await files.lockWhenFree(name) }
        } catch is FileError {
            return nil
        }
    }

    /// Returns half to all of `pause`, so that waiters do not try at the same moment.
    private static func jittered(_ pause: Duration, _ context: PluginContext) -> Duration {
        pause / 2 + pause * Int(context.random(1).first ?? 0) / 512
    }
}
