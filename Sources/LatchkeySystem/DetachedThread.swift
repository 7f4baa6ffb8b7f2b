#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Threads for work that blocks, which must not run on the cooperative pool.
package enum DetachedThread {
    /// Runs `work` on a new thread. Returns `false`, without running it, if the system cannot create a thread.
    package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Box(work))
        #if canImport(Darwin)
            var thread: pthread_t?
            let enter: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
                Unmanaged<Box>.fromOpaque($0).takeRetainedValue().work()
                return nil
            }
        #else
            var thread = pthread_t()
            let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
                if let raw = $0 { Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().work() }
                return nil
            }
        #endif
        guard pthread_create(&thread, nil, enter, box.toOpaque()) == 0 else {
            box.release()
            return false
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return true
    }

    /// Runs `work` on a new thread and returns its result; `nil` if the system cannot create a thread.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            if !start({ continuation.resume(returning: work()) }) { continuation.resume(returning: nil) }
        }
    }
}

extension DetachedThread {
    /// As ``run(_:)``, but a cancelled caller waits no more. The work goes on, and its result is dropped.
    package static func runUnlessCancelled<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async throws -> Value? {
        let caller = Caller<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                caller.wait(continuation)
                if !start({ caller.resume(with: .success(work())) }) { caller.resume(with: .success(nil)) }
            }
        } onCancel: {
            caller.resume(with: .failure(CancellationError()))
        }
    }

    /// The caller of one run. Only the first result gets to it.
    private final class Caller<Value: Sendable>: Sendable {
        private struct State {
            var continuation: CheckedContinuation<Value?, any Error>?
            var result: Result<Value?, any Error>?
        }

        private let state = Locked(State())

        func wait(_ continuation: CheckedContinuation<Value?, any Error>) {
            let early = state.withLock { state in
                if state.result == nil { state.continuation = continuation }
                return state.result
            }
            if let early { continuation.resume(with: early) }
        }

        func resume(with result: Result<Value?, any Error>) {
            let continuation = state.withLock { state in
                guard state.result == nil else { return nil as CheckedContinuation<Value?, any Error>? }
                state.result = result
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume(with: result)
        }
    }
}

private final class Box: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
