public import Latchkey
import LatchkeyLocked

/// Carries HTTP requests over libcurl: HTTP/1.1, and HTTP/2 over TLS.
///
/// A request is driven by its own task for some microseconds, in which an answer from nearby is there, and then by one
/// thread for all requests of the transport, which sleeps while there is none. Redirects are not followed, cookies not
/// kept, TLS is 1.2 or newer, and the environment's proxies (`https_proxy`, `all_proxy`, `no_proxy`) are used for every
/// host but this machine. Dropping the last reference stops the thread.
///
/// Connections are kept and reused, and libcurl writes a request again by itself when a reused one turns out to be dead.
/// A refresh token sent twice is a session lost, so that is left to requests that may be written twice
/// (``/Latchkey/TransportRequest/mayBeWrittenTwice``). Any other opens a connection of its own; or, if it asks for
/// ``/Latchkey/TransportRequest/Writing/once`` and has content, it goes over a kept connection, and libcurl is not let
/// write it again: then a connection that dies fails the call. This is so over HTTP/2 too: a service that ends a
/// connection (`GOAWAY`) with such requests under way fails those that it had not begun, with `wasSent` true.
public final class CurlTransport: HTTPTransport {
    /// Made by the first request: starting libcurl takes longer than all else that a short program does.
    private let worker = Locked<CurlWorker?>(nil)
    private let targets = CurlTargets()
    private let settings: CurlSettings
    private let clock: any AuthClock
    private let whenStopped: @Sendable () -> Void

    /// A transport with connections of its own.
    ///
    /// - Parameters:
    ///   - caFile: The path of a PEM file with the authorities to trust in place of the system's; read for each new
    ///     connection, so that it may be replaced.
    ///   - sizeCap: The most bytes of a body, 1 MiB by default.
    ///   - connectionsPerHost: The most requests to one origin at once; more wait within their deadlines.
    ///   - context: Where the time comes from.
    public convenience init(
        caFile: String? = nil, sizeCap: Int = 1 << 20, connectionsPerHost: Int = 64, context: PluginContext = .system
    ) {
        self.init(
            CurlSettings(caFile: caFile, sizeCap: sizeCap, connectionsPerHost: connectionsPerHost), context: context,
            whenStopped: {})
    }

    /// The same, and `whenStopped` runs as the last thing on the thread.
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
    /// - Throws: ``/Latchkey/TransportError``, or `CancellationError`. `wasSent` is `false` exactly when libcurl had
    ///   not begun to write the request: no name, no connection, no TLS, a deadline before that, a malformed request.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let head = try CurlRequestHead(request, targets)
        guard deadline > .zero else { throw TransportError(.timedOut, wasSent: false) }
        try Task.checkCancellation()
        let worker = running()
        let transfer = CurlTransfer(head, body: request.body, start: clock.now(), within: deadline)
        if case .over(let end, let isPolite) = worker.start(transfer) {
            // An answer from nearby was there at once, and nobody waited.
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
    /// HTTP over libcurl, with the system's authorities or those in `caFile`.
    public static func curl(caFile: String? = nil, sizeCap: Int = 1 << 20) -> CurlTransport {
        CurlTransport(caFile: caFile, sizeCap: sizeCap)
    }
}
