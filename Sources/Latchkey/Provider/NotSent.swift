/// An error of ``AuthProvider/refresh(_:for:in:)`` that came up before anything was sent that could change the
/// credential: a wrong configuration, a fault while fetching what must be known first. Also of a request that the
/// service refused before it looked at the credential, and so without any effect on it.
///
/// To the lane it is what a ``TransportError`` whose `wasSent` is false is: nothing is under way.
public struct NotSent: Error, Hashable, Sendable, CustomStringConvertible {
    /// What came up.
    public var error: AuthError

    /// Marks `error`.
    public init(_ error: AuthError) { self.error = error }

    /// The error.
    public var description: String { "not sent: \(error)" }
}
