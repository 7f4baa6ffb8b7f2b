/// An error that occurred before ``AuthProvider/refresh(_:for:in:)`` sent anything that could
/// change the credential: a wrong configuration, or a failed lookup. Throw it also if the service
/// refused the request before it looked at the credential, so that the request had no effect on it.
///
/// The engine treats it like a ``TransportError`` whose `wasSent` is false: no request is under way.
public struct NotSent: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error that occurred.
    public var error: AuthError

    /// Wraps `error`.
    public init(_ error: AuthError) { self.error = error }

    /// The error, after `not sent:`.
    public var description: String { "not sent: \(error)" }
}
