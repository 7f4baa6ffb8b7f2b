/// How often, and after which waits, ``Retrying`` sends a request again.
public struct RetryPolicy: Sendable {
    /// The most times that one request is sent, including the first. Default 4; 1 turns retrying off.
    public var attempts = 4
    /// The longest wait before the second try. It doubles with each further try. Default 250 milliseconds.
    public var base = Duration.milliseconds(250)
    /// The limit of the doubling. Default 10 seconds. It does not shorten a service's `Retry-After`.
    public var cap = Duration.seconds(10)
    /// How many retries are allowed per hundred requests over time. Default 10, at most 100.
    public var budgetPercent = 10
    /// How many retries are allowed at once after few requests. Default 10.
    public var budgetReserve = 10

    /// Creates the default policy.
    public init() {}

    /// Returns the longest wait before the try after `attempt`, which counts from 1.
    func limit(after attempt: Int) -> Duration {
        var limit = max(base, .zero)
        for _ in 1..<max(attempt, 1) where limit < cap { limit *= 2 }
        return min(limit, max(cap, .zero))
    }
}
