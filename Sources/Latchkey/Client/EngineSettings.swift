/// The engine's deadlines and intervals. The defaults suit interactive programs and servers alike.
public struct EngineSettings: Sendable {
    /// Whether tokens are refreshed before they are asked for.
    public enum RefreshPolicy: Sendable {
        /// Shortly before they end, by the client's one sleeping task.
        case ahead
        /// When somebody asks for one. For short-lived programs.
        case onDemand
    }

    /// Whether tokens are refreshed before they are asked for. Default: ahead.
    public var refresh = RefreshPolicy.ahead
    /// How long one request to a service may take, from its mark on. Default 10 seconds.
    public var requestDeadline = Duration.seconds(10)
    /// The same for a request that spends the refresh token where its reuse ends the whole session
    /// (``ProviderRules/RefreshRule/killsFamily``): who hangs up on such a service has lost the session. While it is under
    /// way its mark is renewed, so that another process waits no longer than ``requestDeadline`` for a process that
    /// died. Default 60 seconds; what is shorter than ``requestDeadline`` counts as that.
    public var familyDeadline = Duration.seconds(60)
    /// How long a caller waits for a token once its request has left. Then it gets the token that still lasts, or
    /// `offline`; the answer is awaited all the same, stored and told. Default 10 seconds.
    public var patience = Duration.seconds(10)
    /// How long to wait for another process that is refreshing. Default 20 seconds.
    public var laneDeadline = Duration.seconds(20)
    /// The longest time before its end that a token counts as stale; a quarter of its lifetime if that is less.
    /// Default 5 minutes.
    public var leeway = Duration.seconds(300)
    /// For how long cached identity may be shown without a word of the service. Default 7 days.
    public var offlineGrace = Duration.seconds(7 * 86_400)
    /// How long a stored challenge without an expiry of its own may be answered. Default 10 minutes.
    public var challengeLifetime = Duration.seconds(600)
    /// How often a refusal without a reason is tried again. Default 1 hour.
    public var unexplainedRetry = Duration.seconds(3_600)
    /// Whether the client listens to what other processes do to the store, where the store tells; else it learns of it
    /// when it reads the store anew. Default: it listens. Programs that end at once need not.
    public var followsStore = true

    /// The defaults.
    public init() {}
}
