#if canImport(Darwin)
    public import Darwin
#elseif canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#endif

/// A value behind a lock, for state that is shared and changed without awaiting.
///
/// A pthread mutex and not `Synchronization.Mutex`: ThreadSanitizer understands it on Linux, and it is the faster of
/// the two there. Inlinable, because reading a token costs little more than taking this lock; usable from inline as a
/// whole, because the compiler gives a body to other modules only then.
// Sendable, proof: `value` is reached only in `withLock`, between lock and unlock of the mutex, whose address is
// stable because it is allocated once; what goes in is sent in, what comes out is the caller's to keep Sendable.
@usableFromInline package final class Locked<Value>: @unchecked Sendable {
    /// Allocated like the mutex: the lock already sees to it that nobody else is in, so Swift need not look again.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Puts `value` behind a new lock.
    package init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let failure = pthread_mutex_init(mutex, nil)
        precondition(failure == 0, "pthread_mutex_init failed")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with the lock held. Not reentrant; `body` must not call out to unknown code.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
