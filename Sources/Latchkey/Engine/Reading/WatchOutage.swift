/// The time in which a store does not tell of changes, as the observer learns of it: once when it begins or has another
/// reason, and once when it is over.
struct WatchOutage {
    private var failures = 0
    private var told: AuthError.Code?
    private var began: MonotonicInstant?

    /// Counts a failure.
    mutating func note(_ trouble: AuthError, _ watched: StoreWatch.Watched, at now: MonotonicInstant) {
        failures += 1
        began = began ?? now
        guard told != trouble.code else { return }
        told = trouble.code
        watched.reader?.services.context.observer.observe(.storeFailure(.credential, .watch, trouble.code))
    }

    /// The store tells again, and everything has been read. What comes at once afterwards counts as the same outage.
    mutating func end(_ watched: StoreWatch.Watched, at now: MonotonicInstant) {
        guard let began else { return }
        (told, self.began) = (nil, nil)
        watched.reader?.services.context.observer.observe(.store(.credential, .watch, .done, took: now - began))
    }

    /// How long to wait before the store is asked again; `jitter` is drawn from 0 up to 1.
    func pause(jitter: Double) -> Duration {
        StoreWatch.patience.pause(after: max(failures, 1), jitter: jitter)
    }
}
