/// Bounds on what a server takes in.
package struct ServerLimits: Sendable {
    /// The most bytes of a body. More is answered 413.
    package var body: Int
    /// The most bytes of a target (414), and of all header fields together (431).
    package var head: Int
    /// The most connections at once; others wait to be accepted.
    package var connections: UInt32
    /// How long a connection may be silent, in whole seconds, at least 1. A request that is being answered is not.
    package var timeout: Duration

    /// The defaults: 64 KiB, 8 KiB, 256 connections, 30 seconds.
    package init(
        body: Int = 64 << 10, head: Int = 8 << 10, connections: UInt32 = 256, timeout: Duration = .seconds(30)
    ) {
        self.body = body
        self.head = head
        self.connections = connections
        self.timeout = timeout
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
