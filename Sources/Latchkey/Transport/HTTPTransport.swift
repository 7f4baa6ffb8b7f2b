/// Sends HTTP requests.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | A redirect | returned as it is, never followed |
/// | More bytes than the transport's limit (1 MiB by default) | throws `tooLarge` |
/// | No answer before the deadline | throws `timedOut` |
/// | The task is cancelled | gives up the request, throws `CancellationError` |
/// | No connection | throws `unreachable` with `wasSent` false |
/// | The connection breaks during a request that may not be written twice (``TransportRequest/mayBeWrittenTwice``) | throws `interrupted` with `wasSent` true; does not write it again |
public protocol HTTPTransport: Sendable {
    /// Sends `request` and returns the whole answer, whatever its status.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - deadline: The limit for everything: connecting, sending, waiting, reading.
    /// - Throws: ``TransportError``, or `CancellationError`.
    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse
}

/// Why no answer came.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    @nonexhaustive
    public enum Code: String, Sendable {
        /// No connection: no network, an unknown host name, or no server at that address.
        case unreachable
        /// No answer came in time.
        case timedOut
        /// The connection broke.
        case interrupted
        /// The answer is too large.
        case tooLarge
        /// TLS could not verify the server's identity.
        case tls
        /// The server's key is not one of those pinned for it (``PinnedHosts``).
        case pinMismatch
        /// The request is malformed or its scheme is not allowed.
        case invalidRequest
    }

    /// The kind of failure.
    public var code: Code
    /// Whether the request may have reached the service. `false` only if it certainly did not.
    public var wasSent: Bool

    /// Creates an error.
    public init(_ code: Code, wasSent: Bool) {
        self.code = code
        self.wasSent = wasSent
    }

    /// The code, and whether the request may have been sent.
    public var description: String { "\(code.rawValue), \(wasSent ? "may have been sent" : "not sent")" }
}
