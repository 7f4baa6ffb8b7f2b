import CCurl
import Latchkey

/// What the thread does: owns every handle of libcurl, and leaves them to nobody.
final class CurlLoop {
    private let worker: CurlWorker
    private let settings: CurlSettings
    private let clock: any AuthClock
    private let multi: UnsafeMutableRawPointer
    private var active: [ObjectIdentifier: CurlReception] = [:]
    /// Requests that wait for others to the same place. libcurl has a queue too, and now and then forgets who stands
    /// in it (7.88), so it is never given more than it starts at once.
    private var waiting: [CurlTransfer] = []
    /// How many requests are under way to each origin.
    private var load: [String: Int] = [:]
    private var pool: [(handle: UnsafeMutableRawPointer, readyFor: String?)] = []
    /// No deadline is earlier.
    private var soonest = MonotonicInstant(nanoseconds: .max)
    private var finished = 0

    /// `nil` when libcurl has no memory.
    init?(_ worker: CurlWorker, _ settings: CurlSettings, _ clock: any AuthClock) {
        guard let multi = curl_multi_init() else { return nil }
        self.worker = worker
        self.settings = settings
        self.clock = clock
        self.multi = multi
        let multiplex = 2
        _ = shim_curl_multi_set_number(multi, CURLMOPT_PIPELINING, multiplex)
        _ = shim_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, CurlSettings.poolCap)
        worker.open(multi)
    }

    /// Runs until the worker is stopped.
    func run() {
        while true {
            let (starting, dropped, isStopped) = worker.take(finished: finished)
            finished = 0
            waiting += starting
            for transfer in dropped {
                if let reception = active[ObjectIdentifier(transfer)] { end(reception, CURLE_ABORTED_BY_CALLBACK) }
            }
            if isStopped { break }
            admit()
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            collect()
            expire()
            if canAdmit() || !worker.rest() { continue }
            // A wake that came since `take` is remembered by libcurl and ends the wait at once.
            curl_multi_poll(multi, nil, 0, patience(), nil)
        }
        for reception in active.values { end(reception, CURLE_ABORTED_BY_CALLBACK) }
        for transfer in waiting { refuse(transfer, .unreachable) }
        worker.close()
        for (handle, _) in pool { curl_easy_cleanup(handle) }
        curl_multi_cleanup(multi)
    }

    /// Whether there is room for one more request to its origin.
    private func hasRoom(_ transfer: CurlTransfer) -> Bool {
        active.count < CurlSettings.connectionsCap
            && load[transfer.head.origin, default: 0] < max(1, settings.connectionsPerHost)
    }

    private func canAdmit() -> Bool { waiting.contains(where: hasRoom) }

    /// Starts what there is room for, and forgets what nobody waits for any more.
    private func admit() {
        if waiting.isEmpty { return }
        let now = clock.now()
        var left: [CurlTransfer] = []
        for transfer in waiting {
            if transfer.isOver {
                finished += 1
            } else if transfer.deadline <= now {
                refuse(transfer, .timedOut)
            } else if hasRoom(transfer) {
                begin(transfer)
            } else {
                left.append(transfer)
                soonest = min(soonest, transfer.deadline)
            }
        }
        waiting = left
    }

    private func begin(_ transfer: CurlTransfer) {
        let rest = transfer.deadline - clock.now()
        guard let (handle, isReady) = handle(for: transfer) else { return refuse(transfer, .unreachable) }
        let reception = CurlReception(transfer, handle, sizeCap: settings.sizeCap)
        guard reception.prepare(settings, rest: rest, isReady: isReady),
            curl_multi_add_handle(multi, handle) == CURLM_OK
        else {
            reception.release()
            curl_easy_cleanup(handle)
            return refuse(transfer, .invalidRequest)
        }
        active[ObjectIdentifier(transfer)] = reception
        load[transfer.head.origin, default: 0] += 1
        soonest = min(soonest, transfer.deadline)
    }

    /// A handle, and whether it was told already all that is the same for each plain `GET` of the URL.
    private func handle(for transfer: CurlTransfer) -> (UnsafeMutableRawPointer, isReady: Bool)? {
        if let url = transfer.plainURL, let index = pool.lastIndex(where: { $0.readyFor == url }) {
            return (pool.remove(at: index).handle, true)
        }
        guard let (handle, readyFor) = pool.popLast() else { return curl_easy_init().map { ($0, false) } }
        if readyFor != nil { curl_easy_reset(handle) }
        return (handle, false)
    }

    private func refuse(_ transfer: CurlTransfer, _ code: TransportError.Code) {
        finished += 1
        transfer.finish(.failure(TransportError(code, wasSent: false)))
    }

    private func collect() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let context = shim_curl_private(handle)
            else { continue }
            // Valid: `active` holds the reception for as long as its handle is in the multi handle.
            end(Unmanaged<CurlReception>.fromOpaque(context).takeUnretainedValue(), shim_curl_result(message))
        }
    }

    /// Gives up what is past its deadline by the context's clock, which also runs while the machine sleeps.
    private func expire() {
        let now = clock.now()
        guard now >= soonest else { return }
        for reception in active.values where reception.transfer.deadline <= now {
            end(reception, CURLE_OPERATION_TIMEDOUT)
        }
        let deadlines = active.values.map(\.transfer.deadline) + waiting.map(\.deadline)
        soonest = deadlines.min() ?? MonotonicInstant(nanoseconds: .max)
    }

    private func end(_ reception: CurlReception, _ code: CURLcode) {
        active[ObjectIdentifier(reception.transfer)] = nil
        let origin = reception.transfer.head.origin
        load[origin] = load[origin].flatMap { $0 > 1 ? $0 - 1 : nil }
        finished += 1
        curl_multi_remove_handle(multi, reception.handle)
        reception.transfer.finish(reception.result(code))
        reception.release()
        if pool.count < CurlSettings.poolCap {
            let readyFor = code == CURLE_OK ? reception.transfer.plainURL : nil
            if readyFor == nil { curl_easy_reset(reception.handle) }
            pool.append((reception.handle, readyFor))
        } else {
            curl_easy_cleanup(reception.handle)
        }
    }

    /// Milliseconds to sleep at most: an hour at rest, and otherwise until the next deadline, rounded up.
    private func patience() -> Int32 {
        guard !active.isEmpty || !waiting.isEmpty else { return 3_600_000 }
        let rest = (soonest - clock.now()).wholeNanoseconds / 1_000_000
        return Int32(clamping: min(max(rest, 0) + 1, 30_000))
    }
}
