import CCurl

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The sockets that libcurl watches, and the time at which it wants to be called.
///
/// libcurl is told which sockets are ready, because by itself it would check every request at every turn.
final class CurlSockets {
    private let multi: UnsafeMutableRawPointer
    private let bell: CurlBell
    /// The watched sockets, the bell first.
    private var watched: [pollfd]
    /// Whether ``watched`` says which sockets are ready and this was not used yet.
    private var isLooked = false
    private var ready: [(socket: Int32, flags: Int32)] = []
    /// When libcurl wants to be called, on the scale of ``now``.
    private var timer: UInt64?
    /// The descriptors that libcurl opened through `shim_curl_set_opening`, thus close-on-exec: a byte for each.
    let opened: UnsafeMutablePointer<UInt8>

    init(_ multi: UnsafeMutableRawPointer, _ bell: CurlBell) {
        self.multi = multi
        self.bell = bell
        opened = .allocate(capacity: Int(shim_curl_opened_limit))
        opened.initialize(repeating: 0, count: Int(shim_curl_opened_limit))
        watched = [pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)]
        // Valid for as long as libcurl may call, because the loop frees the multi handle before it releases this
        // object.
        let context = Unmanaged.passUnretained(self).toOpaque()
        shim_curl_multi_set_callbacks(
            multi,
            { _, socket, what, context, _ in
                CurlSockets.with(context) { $0.follow(socket, what) }
                return 0
            },
            { _, milliseconds, context in
                CurlSockets.with(context) { $0.set(milliseconds) }
                return 0
            }, context)
    }

    deinit { opened.deallocate() }

    /// Lets libcurl do everything that is possible now. With `onlyStarts`, only starts new requests.
    func perform(onlyStarts: Bool) {
        runTimer()
        if onlyStarts || watched.count == 1 { return }
        if !isLooked {
            let count = watched.count - 1
            watched.withUnsafeMutableBufferPointer { watched in
                guard let first = watched.baseAddress else { return }
                // A failed poll says nothing about what is ready.
                if poll(first + 1, nfds_t(count), 0) <= 0 {
                    for index in watched.indices { watched[index].revents = 0 }
                }
            }
        }
        isLooked = false
        // libcurl changes the watched sockets while it acts.
        ready.removeAll(keepingCapacity: true)
        for one in watched.dropFirst() where one.revents != 0 { ready.append((one.fd, Self.flags(one.revents))) }
        var running: Int32 = 0
        for one in ready { shim_curl_multi_socket_action(multi, one.socket, one.flags, &running) }
        runTimer()
    }

    /// Sleeps until a socket is ready, libcurl wants to be called, or the bell rings.
    func wait(atMost milliseconds: Int32) {
        var patience = milliseconds
        if let timer {
            let now = Self.now
            guard timer > now else { return }
            patience = min(patience, Int32(clamping: (timer - now) / 1_000_000 + 1))
        }
        isLooked = poll(&watched, nfds_t(watched.count), patience) > 0
        if isLooked, watched[0].revents != 0 { bell.silence() }
    }

    /// Calls libcurl when its timer is due. A call may ask for the next one at once; a few are enough for what is
    /// ready.
    private func runTimer() {
        var running: Int32 = 0
        for _ in 0..<8 {
            guard let due = timer, due == 0 || due <= Self.now else { return }
            timer = nil
            shim_curl_multi_socket_action(multi, CURL_SOCKET_BAD, 0, &running)
        }
    }

    private func set(_ milliseconds: Int) {
        timer = milliseconds < 0 ? nil : milliseconds == 0 ? 0 : Self.now + UInt64(milliseconds) * 1_000_000
    }

    private func follow(_ socket: curl_socket_t, _ what: Int32) {
        let wanted: Int32 =
            switch what {
            case CURL_POLL_IN: POLLIN
            case CURL_POLL_OUT: POLLOUT
            case CURL_POLL_INOUT: POLLIN | POLLOUT
            default: 0
            }
        let index = watched.lastIndex { $0.fd == socket }
        if wanted == 0 {
            guard let index else { return }
            watched.swapAt(index, watched.count - 1)
            watched.removeLast()
        } else if let index {
            watched[index].events = Int16(wanted)
        } else {
            // Asking the kernel for each request would add a tenth to its cost, so look at `isKept` first.
            if !isKept(socket) { CurlDescriptors.keep(socket) }
            watched.append(pollfd(fd: socket, events: Int16(wanted), revents: 0))
        }
    }

    private func isKept(_ socket: curl_socket_t) -> Bool {
        (0..<Int(shim_curl_opened_limit)).contains(Int(socket)) && opened[Int(socket)] != 0
    }

    private static func flags(_ events: Int16) -> Int32 {
        let events = Int32(events)
        return (events & (POLLIN | POLLHUP) != 0 ? CURL_CSELECT_IN : 0)
            | (events & POLLOUT != 0 ? CURL_CSELECT_OUT : 0)
            | (events & (POLLERR | POLLNVAL) != 0 ? CURL_CSELECT_ERR : 0)
    }

    /// Calls `body` with this object. Callbacks come for each request, and the object outlives them, so no
    /// reference is counted.
    private static func with(_ context: UnsafeMutableRawPointer?, _ body: (CurlSockets) -> Void) {
        guard let context else { return }
        Unmanaged<CurlSockets>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
    }

    /// The machine's monotonic clock, which libcurl uses too, in nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
