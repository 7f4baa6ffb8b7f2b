import CMicrohttpd
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small HTTP/1.1 server on loopback, for receiving redirects and for development.
///
/// It has its own thread, and answers each request in its own task. Dropping the last reference stops it.
package final class HTTPServer: Sendable {
    /// The port it listens on.
    package let port: UInt16
    private let core: ServerCore
    /// The daemon's address; `nil` once it is being stopped.
    private let daemon: Locked<UInt?>

    /// Starts to listen and to answer.
    ///
    /// - Parameters:
    ///   - host: `127.0.0.1` or `::1`, nothing else.
    ///   - port: 0 for any free one.
    ///   - time: The clock for ``ServerLimits/requestTime``.
    ///   - accepts: Decides what to do with a connection. Called on the server's thread.
    ///   - refused: Makes the answer to a request that the server refuses by itself, with the refusal's status; `nil`
    ///     for a short text. Called on the server's thread.
    ///   - handler: Answers one request; `nil` drops the connection without an answer. The server cancels its task
    ///     when it stops.
    /// - Throws: ``HTTPServerError``.
    package init(
        host: String = "127.0.0.1", port: UInt16 = 0, limits: ServerLimits = ServerLimits(),
        time: ServerTime = .system, accepts: (@Sendable (ConnectionEnds) -> ServerAdmission)? = nil,
        refused: (@Sendable (ServerRefusal) -> ServerResponse?)? = nil,
        handler: @escaping @Sendable (ServerRequest) async -> ServerResponse?
    ) throws(HTTPServerError) {
        guard shim_mhd_load() != 0 else { throw .libraryMissing }
        let listening = try ListeningSocket.open(host: host, port: port)
        let own = ConnectionEnds.End(host: host, port: listening.port)
        let core = ServerCore(
            limits: limits, time: time,
            accepts: { peer in accepts.map { $0(ConnectionEnds(peer: peer, own: own)) } ?? .full },
            refused: refused ?? { _ in nil }, handler: handler)
        let context = Unmanaged.passRetained(core)
        // The pool holds the head of a request and of its answer, and 64 bytes for each cookie: for short ones many times
        // their length. Where they do not fit, MHD ends the connection without an answer.
        let most = limits.connections + Self.room + UInt32(OpenConnections.mostMarked)
        let started = shim_mhd_start(
            listening.descriptor, ServerCallbacks.all, context.toOpaque(), most,
            UInt32(clamping: max(1, limits.timeout.components.seconds)), max(64 << 10, limits.head * 24))
        guard let started else {
            let failure = errno
            context.release()
            close(listening.descriptor)
            throw .unavailable(failure)
        }
        self.core = core
        self.port = listening.port
        self.daemon = Locked(UInt(bitPattern: started))
    }

    deinit { stop() }

    /// The number of connections that MHD accepts beyond the limit, so that a new one can replace another. MHD
    /// accepts up to ten at a time before it looks at those that ended.
    private static let room: UInt32 = 16

    /// Drops every connection, cancels the tasks that answer, and frees the port before it returns. Calling it
    /// again does nothing.
    package func stop() {
        guard core.release() else { return }
        let address = daemon.withLock { daemon -> UInt? in
            defer { daemon = nil }
            return daemon
        }
        guard let address else { return }
        shim_mhd_stop(OpaquePointer(bitPattern: address))
        Unmanaged.passUnretained(core).release()
    }
}
