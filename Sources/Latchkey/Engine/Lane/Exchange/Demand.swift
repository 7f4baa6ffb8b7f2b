/// Which token a caller wants.
struct Want: Hashable, Sendable {
    var account: AccountID
    var audience: Audience = .standard
}

/// What a caller demands of a refresh.
struct Demand: Sendable {
    var want: Want
    /// The token to replace: the one that is handed out is newer.
    var old: AccessToken?
    /// Whether a resource refused ``old``. Then it is not handed out again, even if it has not ended.
    var isRefused = false
    /// When the caller forced it: the service is asked, however short a time before that it failed. `nil` if the caller
    /// did not.
    var forcedAt: MonotonicInstant?
    /// Whether to ask even before a pause is over that the service has asked for.
    var ignoresPause = false

    /// Whether to ask the service now, however short a time ago it failed.
    var isForced: Bool { forcedAt != nil }

    /// The token that must not be handed out again.
    var refused: AccessToken? { isRefused ? old : nil }
}
