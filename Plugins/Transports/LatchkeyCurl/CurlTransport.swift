public import Latchkey
import LatchkeySystem

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
/// connection, libcurl may not write it again, and the call fails if that connection dies.
///
/// A service that speaks HTTP/2 can refuse a request before it has begun with it: `REFUSED_STREAM`, a `GOAWAY` whose last
/// stream came before (RFC 9113, section 8.7), or `HTTP_1_1_REQUIRED`. Any request is then sent once more, over HTTP/1.1 if
/// the service wants that. If it is refused again, the call fails with `wasSent` false. libcurl does not tell
/// `REFUSED_STREAM` on a kept connection from one that died, so a request that asks for `once` fails there with `wasSent`
/// true.
///
/// Answers may come compressed with gzip: it is asked for, and undone, and `sizeCap` counts the bytes after that. A request
/// with an `Accept-Encoding` or a `Range` of its own gets the bytes as they are, and so does everything with a coding
/// other than `gzip` and `deflate`.
///
/// With pins, a host must also present one of its keys (``/Latchkey/PinnedHosts``). The key of the server's own
/// certificate is compared, in the handshake, before anything is sent; a proxy's is not. If it is not pinned, the
/// request fails with `pinMismatch`, or goes on where pins are only reported. The context's observer is told of both,
/// and once of pins that have expired. A plain `http` request to a pinned host counts as one with a wrong key.
public final class CurlTransport: HTTPTransport {
    /// Made by the first request, because starting libcurl takes longer than anything else in a short program.
    private let worker = Locked<CurlWorker?>(nil)
    private let targets: CurlTargets
    /// The hosts whose expired pins the observer was told of.
    private let expired = Locked<Set<String>>([])
    let settings: CurlSettings
    private let clock: any AuthClock
    private let whenStopped: @Sendable () -> Void

    /// Creates a transport with connections of its own.
    ///
    /// - Parameters:
    ///   - caFile: The path of a PEM file with the authorities to trust instead of the system's. It is read for
    ///     each new connection, so you can replace the file.
    ///   - proxy: The URL of an HTTP or SOCKS proxy to use instead of the environment's, for every host but this
    ///     machine.
    ///   - sizeCap: The most bytes of a body, counted after decompression, 1 MiB by default.
    ///   - connectionsPerHost: The most requests to one origin at once. Further ones wait, within their deadlines.
    ///   - userAgent: The `User-Agent` of every request that has no such field of its own.
    ///   - pins: The keys that hosts may present.
    ///   - context: The source of the time, and the observer of keys that are not pinned.
    public convenience init(
        caFile: String? = nil, proxy: String? = nil, sizeCap: Int = 1 << 20, connectionsPerHost: Int = 64,
        userAgent: UserAgent = .latchkey, pins: PinnedHosts = .none, context: PluginContext = .system
    ) {
        let settings = CurlSettings(
            caFile: caFile, proxy: proxy, sizeCap: sizeCap, userAgent: userAgent,
            connectionsPerHost: connectionsPerHost,
            pins: pins, observer: context.observer)
        self.init(settings, context: context, whenStopped: {})
    }

    /// Creates a transport that runs `whenStopped` at the very end of its thread.
    init(_ settings: CurlSettings, context: PluginContext, whenStopped: @escaping @Sendable () -> Void) {
        self.settings = settings
        self.whenStopped = whenStopped
        targets = CurlTargets(settings.pins)
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

    /// Sends `request` once. A connection that is not there after twenty seconds is given up, however long the deadline.
    ///
    /// - Throws: ``/Latchkey/TransportError``, or `CancellationError`. `wasSent` is `false` only if libcurl had not
    ///   begun to write the request: no name, no connection, no TLS, a deadline before that, or a malformed
    ///   request.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        try CurlLibrary.need()
        let head = try CurlRequestHead(request, targets)
        guard deadline > .zero else { throw TransportError(.timedOut, wasSent: false) }
        let pins = try countingPins(head.target)
        let transfer = CurlTransfer(head, body: request.body, start: clock.now(), within: deadline, pins: pins)
        let first = try await end(of: transfer)
        let now = clock.now()
        guard case .refused(_, let wantsOld) = first, now < transfer.deadline else {
            return try transfer.response(first, cap: settings.sizeCap)
        }
        let again = CurlTransfer(
            head, body: request.body, start: now, within: transfer.deadline - now, pins: pins, isOld: wantsOld)
        return try await again.response(end(of: again), cap: settings.sizeCap)
    }

    /// Connects to a server and returns the key that it presents, to be pinned. Sends no request, and compares no pins.
    ///
    /// - Parameters:
    ///   - url: An `https` URL of the server.
    ///   - deadline: How long it may take.
    /// - Throws: ``/Latchkey/TransportError``: `tls` if TLS does not verify its certificate; `invalidRequest` for
    ///   another scheme; or `CancellationError`.
    public func publicKey(of url: String, deadline: Duration) async throws -> PublicKeyPin {
        try CurlLibrary.need()
        let head = try CurlRequestHead(TransportRequest("HEAD", url), targets)
        guard head.target.isTLS else { throw TransportError(.invalidRequest, wasSent: false) }
        guard deadline > .zero else { throw TransportError(.timedOut, wasSent: false) }
        let transfer = CurlTransfer(head, body: nil, start: clock.now(), within: deadline, isLook: true)
        switch try await end(of: transfer) {
        case .looked(let key): return key
        case .failed(let error): throw error
        case .refused(let error, _): throw error
        case .answered: throw TransportError(.tls, wasSent: false)
        }
    }

    /// Starts the request and waits until it is over.
    private func end(of transfer: CurlTransfer) async throws -> CurlEnd {
        try Task.checkCancellation()
        let worker = running()
        if case .over(let end, let isPolite) = worker.start(transfer) {
            // The answer from nearby came at once, without a pause for other tasks.
            if isPolite { await Task.yield() }
            return end
        }
        return await withTaskCancellationHandler {
            while true {
                await withCheckedContinuation { worker.wait(transfer, $0) }
                if let end = worker.end(transfer) { return end }
            }
        } onCancel: {
            worker.drop(transfer)
        }
    }

    /// Returns the pins that count for a request now. Tells the observer of expired ones, and of a request without TLS.
    ///
    /// - Throws: `pinMismatch` for a request without TLS to a host whose pins are enforced.
    private func countingPins(_ target: CurlTarget) throws(TransportError) -> HostPins? {
        guard let pins = target.pins else { return nil }
        guard pins.counts(at: clock.wall()) else {
            guard expired.withLock({ $0.insert(pins.host).inserted }) else { return nil }
            settings.observer.observe(.pins(host: pins.host, .expired, seen: nil))
            return nil
        }
        if target.isTLS { return pins }
        settings.observer.observe(.pins(host: target.host, pins.mode == .enforce ? .refused : .reported, seen: nil))
        if pins.mode == .enforce { throw TransportError(.pinMismatch, wasSent: false) }
        return nil
    }
}

extension HTTPTransport where Self == CurlTransport {
    /// Creates a transport with libcurl that trusts the system's authorities, or those in `caFile`.
    ///
    /// - Parameters:
    ///   - userAgent: The `User-Agent` of every request that has no such field of its own. Put your app's name before
    ///     ours with `try UserAgent(products: "Notes/1.2")`.
    ///   - pins: The keys that hosts may present.
    ///   - context: The source of the time, and the observer of keys that are not pinned.
    public static func curl(
        caFile: String? = nil, sizeCap: Int = 1 << 20, userAgent: UserAgent = .latchkey, pins: PinnedHosts = .none,
        context: PluginContext = .system
    ) -> CurlTransport {
        CurlTransport(caFile: caFile, sizeCap: sizeCap, userAgent: userAgent, pins: pins, context: context)
    }
}
