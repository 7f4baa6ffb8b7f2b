import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes lines, one after the other, on a thread that may wait for the descriptor.
@available(macOS 15, *)
final class GazettePress: Sendable {
    private struct Waiting {
        var lines: [[UInt8]] = []
        var dropped = 0
        var isPrinting = false
    }

    private let descriptor: Int32
    private let limit: Int
    private let waiting = Mutex(Waiting())
    // A serial queue takes a thread outside of the tasks' pool while there is work.
    private let queue = DispatchQueue(label: "gazette")

    init(_ descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Lets the line wait, or drops it. Returns at once.
    func print(_ line: [UInt8]) {
        let begins = waiting.withLock { waiting in
            guard waiting.lines.count < limit else {
                waiting.dropped += 1
                return false
            }
            waiting.lines.append(line)
            defer { waiting.isPrinting = true }
            return !waiting.isPrinting
        }
        if begins { queue.async { self.run() } }
    }

    private func run() {
        BrokenPipe.isBlocked {
            while let (lines, dropped) = take() {
                for line in lines { _ = put(line) }
                if dropped > 0 { _ = put(GazetteLine(dropped: dropped).bytes) }
            }
        }
    }

    /// Takes all lines that wait; `nil` if there are none.
    private func take() -> (lines: [[UInt8]], dropped: Int)? {
        waiting.withLock { waiting in
            guard !waiting.lines.isEmpty else {
                waiting.isPrinting = false
                return nil
            }
            defer { (waiting.lines, waiting.dropped) = ([], 0) }
            return (waiting.lines, waiting.dropped)
        }
    }

    /// Writes a whole line. Returns `false` if the descriptor takes nothing any more: the line is lost, and no other.
    private func put(_ line: [UInt8]) -> Bool {
        var done = 0
        while done < line.count {
            let written = line.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: done), line.count - done)
            }
            if written > 0 {
                done += written
            } else if errno == EAGAIN {
                // Another program that shares it may have chosen that a write never waits.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// The signal that ends a program which writes to a pipe without a reader.
enum BrokenPipe {
    /// Runs `body` while this thread does not get the signal, so that such a write fails and nothing more.
    static func isBlocked(_ body: () -> Void) {
        var signals = sigset_t()
        var before = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        body()
        // One that waits would come with the thread's former mask.
        var pending = sigset_t()
        sigpending(&pending)
        if sigismember(&pending, SIGPIPE) == 1 {
            var number: Int32 = 0
            sigwait(&signals, &number)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
