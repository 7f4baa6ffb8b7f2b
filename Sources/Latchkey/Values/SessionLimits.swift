import FoundationEssentials

/// Until when a service lets a session live, as far as it says so.
///
/// Most services do not say. A limit ends nothing here: only the service's own refusal does. The engine warns before it
/// (``AuthEvent/expiring(_:_:)``).
public struct SessionLimits: Hashable, Sendable {
    /// When the session ends whatever is done; only a new sign-in gives another one.
    public var absolute: Lifetime?
    /// When the session ends unless its tokens are refreshed before.
    public var idle: Lifetime?

    /// Creates limits.
    public init(absolute: Lifetime? = nil, idle: Lifetime? = nil) {
        self.absolute = absolute
        self.idle = idle
    }

    /// Returns the limits after a refresh that told of the end of the refresh token, counted in `told`.
    ///
    /// A service does not say which limit it means. If the end has moved on with the refresh, refreshing prolongs the
    /// session, and the limit is idle. If it has not, it is absolute.
    public func refreshed(_ told: Lifetime) -> SessionLimits {
        guard let known = idle ?? absolute else { return SessionLimits(idle: told) }
        return told.isSameEnd(as: known)
            ? SessionLimits(absolute: known) : SessionLimits(absolute: nil, idle: told)
    }

    /// Returns these limits, or where `known` has the same end, its count: a clock that has jumped since does not
    /// move it, and nothing needs to be stored anew.
    func keeping(_ known: SessionLimits?) -> SessionLimits {
        func kept(_ new: Lifetime?, _ old: Lifetime?) -> Lifetime? {
            guard let new, let old, new.isSameEnd(as: old) else { return new }
            return old
        }
        return SessionLimits(absolute: kept(absolute, known?.absolute), idle: kept(idle, known?.idle))
    }
}

extension Lifetime {
    /// Whether both end at the same time, give or take half a minute: what a request takes, and what a service and a
    /// record round. Across boots, by the service's clock.
    func isSameEnd(as other: Lifetime) -> Bool {
        let slack = Duration.seconds(30)
        if boot == other.boot {
            let apart = (receivedAt + lasts) - (other.receivedAt + other.lasts)
            return apart <= slack && apart >= .zero - slack
        }
        let apart = wall.timeIntervalSince(other.wall) + lasts.inSeconds - other.lasts.inSeconds
        return abs(apart) <= slack.inSeconds
    }
}
