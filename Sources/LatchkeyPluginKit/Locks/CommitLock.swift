package import Latchkey

/// The lock that a commit holds for milliseconds, one per directory. Tasks of this instance take it
/// first come first served, processes by `flock`, and are woken when it is free. The holder knows that every temporary file
/// belongs to a dead writer.
package final class CommitLock: Sendable {
    /// The lock file or the directory was removed by hand before anything changed: another process
    /// may be committing.
    package struct Removed: Error {
        package init() {}
    }

    /// How long to wait for other writers.
    package static let deadline = Duration.seconds(10)
    private static let tries = 10

    private let name: String
    private let directory: String
    private let context: PluginContext
    private let longest: Duration
    private let queue = LockQueue()

    /// Creates the lock of the file `name` in `directory`. `longest` is the longest pause between two tries:
    /// shorter where many processes write often, so that none of them waits for long.
    package init(
        _ name: String, in directory: String, context: PluginContext, longest: Duration = LockWait.longest
    ) {
        (self.name, self.directory, self.context, self.longest) = (name, directory, context, longest)
    }

    /// Runs `body` as the directory's only writer. If `place` has been moved or removed, `making`
    /// opens the directory again. No other task of this instance runs in between. If `body` throws
    /// ``Removed``, it is run again.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.lockTimeout)`, `store(.unavailable)`;
    ///   `CancellationError` while it waits for other writers, never afterwards; what `body` throws.
    package func run<Value>(
        in place: TrustedDirectory, making: () throws -> TrustedDirectory,
        _ body: (TrustedDirectory, any FileLock) async throws -> Value
    ) async throws -> Value {
        let clock = context.clock
        let end = clock.now() + Self.deadline
        let key = StoreKey(.settings, "")
        guard let ticket = try await queue.acquire(key, deadline: Self.deadline, clock: clock) else {
            throw AuthError(.store(.lockTimeout), "the store is held by another task of this process")
        }
        defer { queue.release(ticket, of: key) }
        let path = "\(directory)/\(name)"
        var first: TrustedDirectory? = place
        var tried = place
        for _ in 0..<Self.tries {
            let taken = try await LockWait.run(until: end, in: context, longest: longest) {
                won throws -> LockWait.Try<(TrustedDirectory, any FileLock)> in
                if let won { return .taken((tried, won)) }
                tried = try first ?? making()
                first = nil
                let lock = try disk(.write, at: path) { try tried.files.lock(name, sharing: false) }
                return lock.map { .taken((tried, $0)) } ?? .held(tried.files, name: name)
            }
            guard let (place, lock) = taken else {
                let holder = LockNote.holder(of: name, in: try? making())
                throw AuthError(.store(.lockTimeout), "the lock \(path) is held by \(holder)")
            }
            defer { lock.release() }
            lock.note(LockNote.own())
            do { return try await body(place, lock) } catch is Removed { continue }
        }
        throw AuthError(.store(.unavailable), "the lock \(path) is removed again and again")
    }
}
