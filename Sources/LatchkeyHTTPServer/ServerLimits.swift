import CMicrohttpd

/// The limits of what a server accepts.
package struct ServerLimits: Sendable {
    /// The most bytes of a body. A larger one is answered with 413.
    package var body: Int
    /// The most bytes of a target (414), and of all header fields together (431).
    package var head: Int
    /// The most connections at once. If there are more, the one that has been sending its request for the longest
    /// time is ended. If all have sent theirs, a few more are accepted, and then others wait.
    package var connections: UInt32
    /// How long a connection may be silent, in whole seconds, at least 1. Does not apply while a request is being
    /// answered.
    package var timeout: Duration
    /// How long a whole request may take to arrive, its body included, from when the connection was accepted or the
    /// previous answer was sent. Then the connection ends without an answer.
    package var requestTime: Duration

    /// Creates limits. The defaults are 64 KiB, 8 KiB, 256 connections, 30 seconds of silence, 30 seconds for a
    /// request.
    package init(
        body: Int = 64 << 10, head: Int = 8 << 10, connections: UInt32 = 256, timeout: Duration = .seconds(30),
        requestTime: Duration = .seconds(30)
    ) {
        self.body = body
        self.head = head
        self.connections = connections
        self.timeout = timeout
        self.requestTime = requestTime
    }
}

/// Why a server did not start.
package enum HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The host is neither `127.0.0.1` nor `::1`.
    case notLoopback
    /// The port is taken already.
    case portTaken(UInt16)
    /// The system refused with this errno.
    case unavailable(Int32)
    /// libmicrohttpd, which serves, is not installed.
    case libraryMissing

    /// The error in words.
    package var description: String {
        switch self {
        case .notLoopback: "The host is neither 127.0.0.1 nor ::1."
        case .portTaken(let port): "Port \(port) is taken."
        case .unavailable(let number): "The server could not open its socket (errno \(number))."
        case .libraryMissing:
            shim_mhd_refusal().map {
                "The library that serves cannot be loaded (libmicrohttpd12): \(String(cString: $0))."
            }
                ?? "The library that serves is not installed: libmicrohttpd.so.12, of the Debian package libmicrohttpd12."
        }
    }
}
