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

private final class Box: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
