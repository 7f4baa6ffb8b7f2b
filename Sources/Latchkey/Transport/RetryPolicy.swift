/// How often and after what wait ``Retrying`` sends a request again.
public struct RetryPolicy: Sendable {
    /// How often one request is sent at most, the first time included. Default 4; 1 turns retrying off.
    public var attempts = 4
    /// The longest wait before the second try; it doubles with each further one. Default 250 milliseconds.
    public var base = Duration.milliseconds(250)
    /// What the doubling ends at. Default 10 seconds. A service's `Retry-After` is not cut.
    public var cap = Duration.seconds(10)
    /// How many retries are allowed for a hundred requests, over time. Default 10, at most 100.
    public var budgetPercent = 10
    /// How many retries are allowed at once when there were few requests before. Default 10.
    public var budgetReserve = 10

    /// The defaults.
    public init() {}

    /// The longest wait before the try after `attempt`, counted from 1.
    func limit(after attempt: Int) -> Duration {
        var limit = max(base, .zero)
        for _ in 1..<max(attempt, 1) where limit < cap { limit *= 2 }
        return min(limit, max(cap, .zero))
    }
}
