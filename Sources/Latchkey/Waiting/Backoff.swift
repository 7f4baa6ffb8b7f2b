/// How long to wait before trying again: doubled with each failure, with half of it drawn at
/// random, so that callers that failed together do not come back together.
struct Backoff: Sendable {
    var first: Duration
    var longest: Duration

    /// For requests to a service, and for changes that the store did not take: 1 second, at most 60.
    static let brief = Backoff(first: .seconds(1), longest: .seconds(60))
    /// For revocations that a service is owed: a minute, at most an hour.
    static let patient = Backoff(first: .seconds(60), longest: .seconds(3_600))

    /// The pause after `failures` in a row, 1 or more; `jitter` is drawn from 0 up to 1.
    func pause(after failures: Int, jitter: Double) -> Duration {
        let most = min(longest, first * (1 << min(max(failures - 1, 0), 6)))
        return most / 2 + most / 2 * jitter
    }
}

extension PluginContext {
    /// A random number from 0 up to 1.
    var jitter: Double {
        let drawn = random(4).reduce(0) { $0 << 8 | UInt64($1) }
        return Double(drawn) / 0x1p32
    }
}
