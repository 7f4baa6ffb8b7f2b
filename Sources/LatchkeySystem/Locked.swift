#if canImport(Darwin)
    public import Darwin
#elseif canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#endif

/// A value behind a lock, for shared state that is changed without awaiting.
///
/// It uses a pthread mutex instead of `Synchronization.Mutex`, because ThreadSanitizer understands
/// it on Linux, and it is the faster of the two there. It is inlinable because reading a token
/// costs little more than taking this lock. The whole class is usable from inline because only then
/// does the compiler give method bodies to other modules.
// Sendable, proof: `value` is reached only in `withLock`, between lock and unlock of the mutex,
// whose address is stable because it is allocated once. Values are sent in; the caller keeps what
// comes out Sendable.
@usableFromInline package final class Locked<Value>: @unchecked Sendable {
    /// Allocated like the mutex. The lock already excludes other access, so Swift need not check for it again.
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

    /// Runs `body` with the lock held. The lock is not reentrant: `body` must not call unknown code.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
