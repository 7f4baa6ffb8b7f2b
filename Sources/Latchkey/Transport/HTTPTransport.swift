/// Sends HTTP requests.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | A request without `User-Agent` | sends one that names the program: many gateways refuse requests without (``UserAgent``) |
/// | A redirect | returned as it is, never followed |
/// | More bytes than the transport's limit (1 MiB by default) | throws `tooLarge`. If the transport decompresses answers, the limit counts the bytes after that |
/// | A compressed answer (`Content-Encoding`) | decompressed, without the fields that were about the compressed bytes; or as it is, if the request has its own `Accept-Encoding` or a `Range` |
/// | No answer before the deadline | throws `timedOut` |
/// | The task is cancelled | gives up the request, throws `CancellationError` |
/// | No connection | throws `unreachable` with `wasSent` false |
/// | The connection breaks during a request that may not be written twice (``TransportRequest/mayBeWrittenTwice``) | throws `interrupted` with `wasSent` true; does not write it again |
/// | The service says that it has not begun with the request (HTTP/2: `REFUSED_STREAM`, `GOAWAY`, `HTTP_1_1_REQUIRED`) | may write it once more, whatever it is; otherwise throws with `wasSent` false |
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
        /// The transport cannot send anything on this machine, because a library that it needs is not installed, or cannot be
        /// loaded (``TransportError/refusal``).
        case libraryMissing
    }

    /// The kind of failure.
    public var code: Code
    /// What exactly went wrong, so that a message can say it.
    @nonexhaustive
    public enum Cause: String, CaseIterable, Hashable, Sendable {
        /// The host answered that nothing listens there.
        case connectionRefused
        /// The name leads to no host.
        case noSuchHost
        /// No route leads to the host: usually there is no network.
        case noRoute
        /// The proxy could not be found or reached (``TransportError/proxy``).
        case proxy
        /// The proxy answered, and opens no connection to the host (``TransportError/proxyStatus``).
        case proxyRefused
        /// The proxy wants a name and a password, or others than it got.
        case proxyPassword
        /// The proxy knows none of the ways to authenticate that the transport does, which is HTTP Basic alone: it wants NTLM
        /// or Negotiate, say (``TransportError/proxyStatus``).
        case proxyMethod
        /// What listens there does not speak TLS.
        case notTLS
        /// The server speaks only versions of TLS that are no longer safe (RFC 8996).
        case tlsTooOld
        /// The server wants a certificate of the client, and there is none.
        case clientCertificateDemanded
        /// The certificate has ended (``TransportError/certificate``).
        case certificateExpired
        /// The certificate is not valid yet, by this machine's clock (``TransportError/certificate``).
        case certificateNotYetValid
        /// The certificate is for another host (``TransportError/certificate``).
        case certificateForAnotherHost
        /// No authority that this machine trusts has signed the certificate.
        case certificateUntrusted
        /// The certificate is signed by itself, and this machine does not trust it.
        case certificateSelfSigned
        /// The file with the authorities to trust cannot be read, or holds no certificate (``TransportError/file``).
        case authorityFile
        /// The answer is compressed, and its bytes are cut or wrong.
        case compressionDamaged
        /// The answer is compressed, and grows beyond the transport's limit.
        case compressionTooLarge
    }

    /// Whether the request may have reached the service. `false` only if it certainly did not.
    public var wasSent: Bool
    /// What exactly went wrong; `nil` if the transport does not know.
    public var cause: Cause?
    /// The scheme, host and port that the request was for; `nil` if not known. The engine fills it in.
    public var origin: String?
    /// The scheme, host and port of the proxy, if it is the proxy that failed, or whose certificate was refused.
    public var proxy: String?
    /// The status of the proxy's answer, with ``Cause/proxyRefused``, ``Cause/proxyPassword`` and ``Cause/proxyMethod``.
    public var proxyStatus: Int?
    /// The certificate that was refused, as far as the transport knows it.
    public var certificate: RefusedCertificate?
    /// The path of the file that cannot be used, with ``Cause/authorityFile``.
    public var file: String?
    /// With ``Code/libraryMissing``, what the loader says of the library, if it is there and cannot be loaded; `nil` if it
    /// is not installed.
    public var refusal: String?

    /// Creates an error.
    public init(_ code: Code, wasSent: Bool, cause: Cause? = nil) {
        self.code = code
        self.wasSent = wasSent
        self.cause = cause
    }

    /// Whether both say the same of what happened. The cause and all that belongs to it only explain it.
    public static func == (first: Self, second: Self) -> Bool {
        first.code == second.code && first.wasSent == second.wasSent
    }

    /// Feeds what equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(wasSent)
    }

    /// The code, the cause, and whether the request may have been sent.
    public var description: String {
        "\(code.rawValue)\(cause.map { " (\($0.rawValue))" } ?? ""), \(wasSent ? "may have been sent" : "not sent")"
    }
}
