/// Bounds on what a server takes in.
package struct ServerLimits: Sendable {
    /// The most bytes of a body. More is answered 413.
    package var body: Int
    /// The most bytes of a target (414), and of all header fields together (431).
    package var head: Int
    /// The most connections at once. When all are taken, the one that has been sending its request for longest gives
    /// way to the next; when all have sent theirs, a few more are let in, and then others wait to be accepted.
    package var connections: UInt32
    /// How long a connection may be silent, in whole seconds, at least 1. A request that is being answered is not.
    package var timeout: Duration
    /// How long a whole request may take to come in, its body included: from when its connection was accepted, or the
    /// answer before it had left. Then the connection ends without an answer.
    package var requestTime: Duration

    /// The defaults: 64 KiB, 8 KiB, 256 connections, 30 seconds of silence, 30 seconds for a request.
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
    /// Something listens on this port already.
    case portTaken(UInt16)
    /// The system refused, with this errno.
    case unavailable(Int32)

    /// What is wrong, in words.
    package var description: String {
        switch self {
        case .notLoopback: "The host is neither 127.0.0.1 nor ::1."
        case .portTaken(let port): "Port \(port) is taken."
        case .unavailable(let number): "The server could not open its socket (errno \(number))."
        }
    }
}
