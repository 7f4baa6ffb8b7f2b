import Glibc

/// The lowest possible cost of handing out a token: one lock, one copy of a token, and one reading of the clock
/// that the engine uses.
// Sendable, proof: `token` is read only while the mutex is locked, and never written.
final class Floor: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let token: String
    private let endsAt: Int64 = .max

    init(token: String) {
        self.token = token
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    @inline(__always)
    func read() -> String? {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return now < endsAt ? token : nil
    }

    /// Keeps the optimizer from dropping an unused result.
    @inline(never)
    static func swallow(_ token: String?) { if token?.utf8.count == -1 { abort() } }
}
