/// An error of ``AuthProvider/answer(_:to:in:)`` after which the challenge can be answered again, because what came was
/// perhaps not the person's: a redirect that proves nothing of its own, and that the service does not know.
///
/// Without it, a redirect uses its challenge up. The caller is told the error; a conversation goes on where its
/// presenter waits for another redirect (``RedirectReceiving/goesOnWaiting(for:)``).
public struct StillOpen: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was wrong with the answer.
    public var error: AuthError

    /// Marks `error`.
    public init(_ error: AuthError) { self.error = error }

    /// The error.
    public var description: String { "still open: \(error)" }
}
