import CMicrohttpd
import LatchkeyLocked

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small HTTP/1.1 server on loopback, for receiving redirects and for development.
///
/// It runs on a thread of its own and answers each request in a task of its own. Dropping the last reference stops it.
package final class HTTPServer: Sendable {
    /// The port it listens on.
    package let port: UInt16
    private let core: ServerCore
    /// Address of the daemon; `nil` once it is being stopped.
    private let daemon: Locked<UInt?>

    /// Listens and answers from here on.
    ///
    /// - Parameters:
    ///   - host: `127.0.0.1` or `::1`, nothing else.
    ///   - port: 0 for any free one.
    ///   - handler: Answers one request; `nil` drops the connection without an answer. Its task is cancelled when the
    ///     server stops.
    /// - Throws: ``HTTPServerError``.
    package init(
        host: String = "127.0.0.1", port: UInt16 = 0, limits: ServerLimits = ServerLimits(),
        handler: @escaping @Sendable (ServerRequest) async -> ServerResponse?
    ) throws(HTTPServerError) {
        let listening = try ListeningSocket.open(host: host, port: port)
        let core = ServerCore(limits: limits, handler: handler)
        let context = Unmanaged.passRetained(core)
        // The pool holds the head of a request and of its answer; what does not fit MHD refuses by itself.
        let started = shim_mhd_start(
            listening.descriptor, ServerCallbacks.handle, ServerCallbacks.target, ServerCallbacks.completed,
            context.toOpaque(), limits.connections, UInt32(clamping: max(1, limits.timeout.components.seconds)),
            max(32 << 10, limits.head * 4))
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

    /// Drops every connection, cancels the tasks that answer, and frees the port before it returns. Repeating it does
    /// nothing.
    package func stop() {
        guard core.release() else { return }
        let address = daemon.withLock { daemon -> UInt? in
            defer { daemon = nil }
            return daemon
        }
        guard let address else { return }
        MHD_stop_daemon(OpaquePointer(bitPattern: address))
        Unmanaged.passUnretained(core).release()
    }
}
