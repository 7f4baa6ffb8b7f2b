/// When the gate wants a proof.
public struct UnlockPolicy: Hashable, Sendable {
    /// Whether the client starts locked. Default: yes.
    public var atLaunch: Bool
    /// How long the app may be in the background before the gate locks; `nil`: it does not lock for that.
    public var afterBackground: Duration?
    /// How long one proof counts; `nil`: until the gate is locked for another reason.
    public var interval: Duration?

    /// A policy of its parts. Negative durations are refused by `build()`.
    public init(atLaunch: Bool = true, afterBackground: Duration? = nil, interval: Duration? = nil) {
        self.atLaunch = atLaunch
        self.afterBackground = afterBackground
        self.interval = interval
    }
}
