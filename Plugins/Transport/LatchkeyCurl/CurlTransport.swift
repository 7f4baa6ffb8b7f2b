public import Latchkey
import LatchkeyLocked

/// Carries HTTP requests with libcurl: HTTP/1.1, and HTTP/2 over TLS.
///
/// The task of a request drives it for some microseconds, enough for an answer from nearby. Then one thread drives
/// all requests of the transport, and sleeps while there are none. Redirects are not followed, and cookies are not
/// kept. TLS is 1.2 or newer. The environment's proxies (`https_proxy`, `all_proxy`, `no_proxy`) are used for every
/// host but this machine. Dropping the last reference stops the thread.
///
/// Connections are kept and reused, and if a reused one turns out to be dead, libcurl writes the request again by
/// itself. Since a refresh token that is sent twice can end the session, it does so only for requests that may be
/// written twice (``/Latchkey/TransportRequest/mayBeWrittenTwice``). Any other request opens a new connection. The
/// exception is a request with content that asks for ``/Latchkey/TransportRequest/Writing/once``: it uses a kept
/// connection, libcurl may not write it again, and the call fails if that connection dies. This holds for HTTP/2
/// too: if a service closes a connection (`GOAWAY`) with such requests under way, those that it had not begun fail
/// with `wasSent` true.
public final class CurlTransport: HTTPTransport {
    /// Made by the first request, because starting libcurl takes longer than anything else in a short program.
    private let worker = Locked<CurlWorker?>(nil)
    private let targets = CurlTargets()
    private let settings: CurlSettings
    private let clock: any AuthClock
    private let whenStopped: @Sendable () -> Void

    /// Creates a transport with connections of its own.
    ///
    /// - Parameters:
    ///   - caFile: The path of a PEM file with the authorities to trust instead of the system's. It is read for
    ///     each new connection, so you can replace the file.
    ///   - sizeCap: The most bytes of a body, 1 MiB by default.
    ///   - connectionsPerHost: The most requests to one origin at once. Further ones wait, within their deadlines.
    ///   - context: The source of the time.
    public convenience init(
        caFile: String? = nil, sizeCap: Int = 1 << 20, connectionsPerHost: Int = 64, context: PluginContext = .system
    ) {
        self.init(
            CurlSettings(caFile: caFile, sizeCap: sizeCap, connectionsPerHost: connectionsPerHost), context: context,
            whenStopped: {})
    }

    /// Creates a transport that runs `whenStopped` at the very end of its thread.
    init(_ settings: CurlSettings, context: PluginContext, whenStopped: @escaping @Sendable () -> Void) {
        self.settings = settings
        self.whenStopped = whenStopped
        clock = context.clock
    }

    deinit {
        if let worker = worker.withLock({ $0 }) { worker.stop() } else { whenStopped() }
    }

    private func running() -> CurlWorker {
        worker.withLock { worker in
            if let worker { return worker }
            let started = CurlWorker(settings, clock: clock, whenStopped: whenStopped)
            worker = started
            return started
        }
    }

    /// Sends `request` once.
    ///
    /// - Throws: ``/Latchkey/TransportError``, or `CancellationError`. `wasSent` is `false` only if libcurl had not
    ///   begun to write the request: no name, no connection, no TLS, a deadline before that, or a malformed
    ///   request.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let head = try CurlRequestHead(request, targets)
        guard deadline > .zero else { throw TransportError(.timedOut, wasSent: false) }
        try Task.checkCancellation()
        let worker = running()
        let transfer = CurlTransfer(head, body: request.body, start: clock.now(), within: deadline)
        if case .over(let end, let isPolite) = worker.start(transfer) {
            // The answer from nearby came at once, without a pause for other tasks.
            if isPolite { await Task.yield() }
            return try transfer.response(end)
        }
        return try await withTaskCancellationHandler {
            while true {
                await withCheckedContinuation { worker.wait(transfer, $0) }
                if let end = worker.end(transfer) { return try transfer.response(end) }
            }
        } onCancel: {
            worker.drop(transfer)
        }
    }
}

extension HTTPTransport where Self == CurlTransport {
    /// Creates a transport with libcurl that trusts the system's authorities, or those in `caFile`.
    public static func curl(caFile: String? = nil, sizeCap: Int = 1 << 20) -> CurlTransport {
        CurlTransport(caFile: caFile, sizeCap: sizeCap)
    }
}
