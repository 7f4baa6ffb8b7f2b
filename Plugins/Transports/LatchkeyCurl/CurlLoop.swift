import CCurl
import Latchkey

/// The driver's state: owns every handle of libcurl.
// Sendable, proof: drivers follow one another through the lock of ``CurlWorker``, and only the driver calls
// anything here; the last driver calls `close`.
final class CurlLoop: @unchecked Sendable {
    /// What came in since the last turn.
    struct News {
        var starting: [CurlTransfer] = []
        var dropped: [CurlTransfer] = []

        var isEmpty: Bool { starting.isEmpty && dropped.isEmpty }
    }

    typealias Ending = (transfer: CurlTransfer, end: CurlEnd)

    /// Requests that are over but whose tasks do not know it yet.
    private(set) var endings: [Ending] = []
    private let settings: CurlSettings
    private let multi: UnsafeMutableRawPointer
    private let sockets: CurlSockets
    private var active: [CurlHandle] = []
    private var idle: [CurlHandle] = []
    /// Requests that wait for others to the same origin. libcurl has a queue too but sometimes forgets requests in
    /// it (7.88), so it is never given more than it starts at once.
    private var waiting: [CurlTransfer] = []
    /// The number of requests under way to each origin.
    private var load: [String: Int] = [:]
    /// A lower bound of all deadlines.
    private var soonest = MonotonicInstant(nanoseconds: .max)

    /// How many milliseconds a wait takes when nothing is under way.
    private static let lingering: Int32 = 2

    /// Returns `nil` when libcurl has no memory. Call it only after ``CurlLibrary/need()``.
    init?(_ settings: CurlSettings, _ bell: CurlBell) {
        guard let multi = shim_curl_multi_init() else { return nil }
        CurlDescriptors.keep(from: multi)
        self.settings = settings
        self.multi = multi
        sockets = CurlSockets(multi, bell)
        let multiplex = 2
        _ = shim_curl_multi_set_number(multi, CURLMOPT_PIPELINING, multiplex)
        _ = shim_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, CurlSettings.poolCap)
    }

    /// Whether anything is under way.
    var isBusy: Bool { !active.isEmpty || !waiting.isEmpty }

    /// The number of requests under way.
    var width: Int { active.count + waiting.count }

    /// Advances every request: takes the news, and whatever the sockets have.
    func turn(_ news: News, at now: MonotonicInstant) {
        let onlyStarts = !isBusy
        for transfer in news.starting { begin(transfer, now) }
        for transfer in news.dropped { drop(transfer) }
        sockets.perform(onlyStarts: onlyStarts)
        collect()
        expire(now)
        if !waiting.isEmpty { admitWaiting(now) }
    }

    /// Forgets the endings, once their tasks know them.
    func forgetEndings() { endings.removeAll(keepingCapacity: true) }

    /// Sleeps until a socket is ready, a deadline comes, or the bell rings.
    func wait(now: MonotonicInstant) {
        guard isBusy else { return sockets.wait(atMost: Self.lingering) }
        // Those that a turn began last may have been answered in it: then no socket wakes anybody for the next ones.
        if waiting.contains(where: hasRoom) { return }
        let rest = (soonest - now).wholeNanoseconds / 1_000_000
        sockets.wait(atMost: Int32(clamping: min(max(rest, 0) + 1, 30_000)))
    }

    /// Ends every request and frees everything.
    func close() {
        while let handle = active.last { end(handle, CURLE_ABORTED_BY_CALLBACK) }
        for transfer in waiting { refuse(transfer, .unreachable) }
        (waiting, idle) = ([], [])
        shim_curl_multi_cleanup(multi)
    }

    /// Whether there is room for one more request to its origin.
    private func hasRoom(_ transfer: CurlTransfer) -> Bool {
        let most = max(1, settings.connectionsPerHost)
        if active.count < min(most, CurlSettings.connectionsCap) { return true }
        return active.count < CurlSettings.connectionsCap && load[transfer.head.target.origin, default: 0] < most
    }

    private func begin(_ transfer: CurlTransfer, _ now: MonotonicInstant) {
        if transfer.deadline <= now {
            refuse(transfer, .timedOut)
        } else if hasRoom(transfer) {
            begin(transfer)
        } else {
            waiting.append(transfer)
            soonest = min(soonest, transfer.deadline)
        }
    }

    /// Starts the waiting requests that there is room for, in the order of their arrival.
    private func admitWaiting(_ now: MonotonicInstant) {
        guard waiting.contains(where: hasRoom) else { return }
        let before = waiting
        waiting = []
        for transfer in before { begin(transfer, now) }
        sockets.perform(onlyStarts: true)
        collect()
    }

    private func begin(_ transfer: CurlTransfer) {
        guard let handle = handle(for: transfer) else { return refuse(transfer, .unreachable) }
        guard handle.prepare(transfer),
            shim_curl_multi_add_handle(multi, handle.easy) == CURLM_OK
        else { return refuse(transfer, .invalidRequest) }
        handle.place = active.count
        active.append(handle)
        load[transfer.head.target.origin, default: 0] += 1
        soonest = min(soonest, transfer.deadline)
    }

    /// Returns a free handle, preferably one that is set up for the request's shape.
    private func handle(for transfer: CurlTransfer) -> CurlHandle? {
        if transfer.shape != nil, let index = idle.lastIndex(where: { $0.knows(transfer) }) {
            return idle.remove(at: index)
        }
        return idle.popLast() ?? CurlHandle(settings, sockets.opened)
    }

    private func drop(_ transfer: CurlTransfer) {
        if let handle = active.first(where: { $0.transfer === transfer }) {
            end(handle, CURLE_ABORTED_BY_CALLBACK)
        } else if let index = waiting.firstIndex(where: { $0 === transfer }) {
            waiting.remove(at: index)
            refuse(transfer, .unreachable)
        }
    }

    private func refuse(_ transfer: CurlTransfer, _ code: TransportError.Code) {
        endings.append((transfer, .failed(TransportError(code, wasSent: false))))
    }

    private func collect() {
        var left: Int32 = 0
        while let message = shim_curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                // Valid, because `active` holds the handle for as long as it is in the multi handle.
                let handle = CurlHandle.of(shim_curl_private(easy))
            else { continue }
            end(handle, shim_curl_result(message))
        }
    }

    /// Ends requests past their deadline by the context's clock, which also counts while the machine sleeps.
    private func expire(_ now: MonotonicInstant) {
        guard now >= soonest else { return }
        for handle in active {
            if let transfer = handle.transfer, transfer.deadline <= now { end(handle, CURLE_OPERATION_TIMEDOUT) }
        }
        for transfer in waiting where transfer.deadline <= now { refuse(transfer, .timedOut) }
        waiting.removeAll { $0.deadline <= now }
        let deadlines = active.compactMap(\.transfer?.deadline) + waiting.map(\.deadline)
        soonest = deadlines.min() ?? MonotonicInstant(nanoseconds: .max)
    }

    private func end(_ handle: CurlHandle, _ code: CURLcode) {
        guard let transfer = handle.transfer, let last = active.popLast() else { return }
        if last !== handle {
            active[handle.place] = last
            last.place = handle.place
        }
        if let index = load.index(forKey: transfer.head.target.origin) {
            if load.values[index] > 1 { load.values[index] -= 1 } else { load.remove(at: index) }
        }
        shim_curl_multi_remove_handle(multi, handle.easy)
        endings.append((transfer, handle.end(code)))
        if idle.count < CurlSettings.poolCap { idle.append(handle) }
    }
}
