/// Carries HTTP requests.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | A redirect | returned as it is, never followed |
/// | More bytes than the transport's cap (1 MiB by default) | throws `tooLarge` |
/// | No answer before the deadline | throws `timedOut` |
/// | The task is cancelled | the request is given up, throws `CancellationError` |
/// | No connection | throws `unreachable` with `wasSent` false |
/// | A connection that breaks under a request that may not be written twice (``TransportRequest/mayBeWrittenTwice``) | throws `interrupted` with `wasSent` true; not written again |
public protocol HTTPTransport: Sendable {
    /// Sends `request` and returns the whole answer, whatever its status.
    ///
    /// - Parameters:
    ///   - request: What to send, to which address.
    ///   - deadline: For everything: connecting, sending, waiting, reading.
    /// - Throws: ``TransportError``, or `CancellationError`.
    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse
}

/// Why no answer came.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why.
    @nonexhaustive
    public enum Code: String, Sendable {
        /// No connection: no network, no such name, nobody listens.
        case unreachable
        /// No answer in time.
        case timedOut
        /// The connection broke.
        case interrupted
        /// The answer is too large.
        case tooLarge
        /// TLS could not establish who answers.
        case tls
        /// The request is malformed or its scheme is not allowed.
        case invalidRequest
    }

    /// Why.
    public var code: Code
    /// Whether the request may have reached the service. `false` only when it surely did not.
    public var wasSent: Bool

    /// An error of its parts.
    public init(_ code: Code, wasSent: Bool) {
        self.code = code
        self.wasSent = wasSent
    }

    /// Code and whether the request may have arrived.
    public var description: String { "\(code.rawValue), \(wasSent ? "may have been sent" : "not sent")" }
}
