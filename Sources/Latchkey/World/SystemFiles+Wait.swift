#if os(Linux)
    import CLockWait
    import LatchkeySystem

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    extension SystemFiles: WaitingFiles {
        /// Waits with `flock(2)` on a thread that sleeps in the kernel, and ends when the task is cancelled.
        public func lockWhenFree(_ path: String) async throws -> any FileLock {
            let place = absolute(path)
            for _ in 0..<Self.mostLooks {
                // Not created here: a file that was removed may still be locked by its holder.
                let file = try Descriptor.file(path, in: try base(of: path), O_RDWR).0
                let lock = HeldFileLock(file, at: place)
                do {
                    try await LockThread().wait(for: file)
                    try Task.checkCancellation()
                } catch {
                    lock.release()
                    throw error
                }
                if lock.isInPlace { return lock }
                lock.release()
            }
            throw FileError.missing
        }
    }

    /// One wait for the lock of an open file.
    private final class LockThread: Sendable {
        private struct State {
            var waiter: CheckedContinuation<Void, any Error>?
            /// The thread, while it can be told to stop.
            var thread: UInt?
            var isCancelled = false
            var hasEnded = false

            mutating func run(_ thread: UInt) {
                // The lock may have come already.
                guard !hasEnded else { return }
                self.thread = thread
                if isCancelled { stop() }
            }

            mutating func cancel() {
                isCancelled = true
                stop()
            }

            private mutating func stop() {
                guard let thread else { return }
                self.thread = nil
                latchkey_lock_wait_stop(thread)
            }
        }

        private let state = Locked(State())

        /// Returns once `file` is locked.
        func wait(for file: Descriptor) async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { begin($0, file.number) }
            } onCancel: {
                state.withLock { $0.cancel() }
            }
        }

        private func begin(_ waiter: CheckedContinuation<Void, any Error>, _ file: Int32) {
            state.withLock { $0.waiter = waiter }
            let own = Unmanaged.passRetained(self)
            var thread: UInt = 0
            let ended: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void = { raw, problem in
                if let raw { Unmanaged<LockThread>.fromOpaque(raw).takeRetainedValue().end(problem) }
            }
            let problem = latchkey_lock_wait(file, ended, own.toOpaque(), &thread)
            guard problem == 0 else {
                own.release()
                return end(problem)
            }
            state.withLock { $0.run(thread) }
        }

        private func end(_ problem: Int32) {
            // From here on the thread is not told to stop: once this has returned, its number may be another's.
            let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                (state.hasEnded, state.thread) = (true, nil)
                defer { state.waiter = nil }
                return state.waiter
            }
            switch problem {
            case 0: waiter?.resume()
            case ECANCELED: waiter?.resume(throwing: CancellationError())
            default:
                errno = problem
                waiter?.resume(throwing: FileError.lastOfLock())
            }
        }
    }
#endif
