import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes lines to a descriptor on its own thread, which lives while there are lines. Callers never
/// wait for the descriptor.
final class LineWriter: Sendable {
    private struct State {
        var lines: [String] = []
        var dropped = 0
        var isWriting = false
    }

    private let file: Int32
    private let limit: Int
    private let sayDropped: @Sendable (Int) -> String
    private let state = Locked(State())

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - file: The descriptor. It is not closed.
    ///   - limit: The most lines that wait; those being written do not count.
    ///   - sayDropped: Returns the line that says how many are missing.
    init(_ file: Int32, limit: Int, sayDropped: @escaping @Sendable (Int) -> String) {
        self.file = file
        self.limit = max(limit, 1)
        self.sayDropped = sayDropped
    }

    func write(_ line: String) {
        let begins = state.withLock { state in
            guard state.lines.count < limit else {
                state.dropped += 1
                return false
            }
            state.lines.append(line)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard begins, !DetachedThread.start({ [self] in run() }) else { return }
        state.withLock { state in
            state.isWriting = false
            state.dropped += state.lines.count
            state.lines = []
        }
    }

    /// Waits until nothing is left to write.
    func drain(within limit: Duration) async -> Bool {
        let clock = PluginContext.system.clock
        let end = clock.now() + limit
        while state.withLock({ $0.isWriting }) {
            guard clock.now() < end else { return false }
            do { try await clock.sleep(until: clock.now() + .milliseconds(2)) } catch { return false }
        }
        return true
    }

    private func run() {
        // Writing to a pipe without a reader must fail this write, not end the program.
        var every = sigset_t()
        sigfillset(&every)
        pthread_sigmask(SIG_BLOCK, &every, nil)
        while let batch = take() {
            var missing = batch.dropped
            for line in batch.lines where !put(line) { missing += 1 }
            guard missing > 0, !put(sayDropped(missing)) else { continue }
            state.withLock { $0.dropped += missing }
        }
    }

    /// Takes all waiting lines. Lines are dropped only after all of these, so the count of dropped
    /// ones comes after them.
    private func take() -> (lines: [String], dropped: Int)? {
        state.withLock { state in
            guard !state.lines.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { (state.lines, state.dropped) = ([], 0) }
            return (state.lines, state.dropped)
        }
    }

    private func put(_ line: String) -> Bool {
        let bytes = Array("\(line)\n".utf8)
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                systemWrite(file, $0.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if written > 0 {
                done += written
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, buffer, count)
}
