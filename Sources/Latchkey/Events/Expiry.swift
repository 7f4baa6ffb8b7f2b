/// What ends soon for an account, and what can be done about it.
public struct Expiry: Hashable, Sendable {
    /// What ends.
    @nonexhaustive
    public enum Cause: String, CaseIterable, Hashable, Sendable {
        /// The access token, which could not be refreshed so far.
        case access
        /// The session, because it has not been used (``SessionLimits/idle``).
        case idle
        /// The session, whatever is done (``SessionLimits/absolute``).
        case absolute
    }

    /// What can be done before the end.
    @nonexhaustive
    public enum Remedy: String, Hashable, Sendable {
        /// Refresh: ``AuthClient/refresh(for:of:ignoresPause:)``. If the engine refreshes ahead of need, it tries that by itself.
        case refresh
        /// Sign in again. Nothing else prolongs the session.
        case signIn
    }

    /// What ends.
    public var cause: Cause
    /// How long until the end; zero if it has passed.
    public var rest: Duration

    /// Creates a warning.
    public init(_ cause: Cause, in rest: Duration) {
        self.cause = cause
        self.rest = rest
    }

    /// What can be done.
    public var remedy: Remedy {
        switch cause {
        case .access, .idle: .refresh
        case .absolute: .signIn
        }
    }
}
