/// An error from ``AuthProvider/answer(_:to:in:)`` that leaves the challenge open, because the answer
/// may not be the person's: a redirect that proves nothing by itself and that the service does not know.
///
/// With any other error, a redirect uses up its challenge. With this one the caller gets the error,
/// and the conversation continues if its presenter waits for another redirect
/// (``RedirectReceiving/goesOnWaiting(for:)``).
public struct StillOpen: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was wrong with the answer.
    public var error: AuthError

    /// Wraps `error`.
    public init(_ error: AuthError) { self.error = error }

    /// The error, after `still open:`.
    public var description: String { "still open: \(error)" }
}
