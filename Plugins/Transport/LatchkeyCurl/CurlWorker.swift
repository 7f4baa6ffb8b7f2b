import CCurl
import Latchkey
import LatchkeyLocked

/// The thread's inbox: what other threads may touch of it.
final class CurlWorker: Sendable {
    struct Inbox {
        /// The thread's multi handle, while it lives: waking is all that others do with it.
        var multi: UnsafeMutableRawPointer?
        var starting: [CurlTransfer] = []
        /// Whole and not by identifier, which a later request could get again.
        var dropped: [CurlTransfer] = []
        /// Requests that were started and not finished.
        var count = 0
        var isStopped = false
        /// Whether the thread waits for sockets, and looks into the inbox only when it is woken.
        var isResting = false
    }

    private let inbox = Locked(Inbox())

    /// libcurl's own start, once in a process.
    private static let isLibraryReady = shim_curl_start() == CURLE_OK

    init(_ settings: CurlSettings, clock: any AuthClock, whenStopped: @escaping @Sendable () -> Void) {
        let isRunning =
            Self.isLibraryReady
            && DetachedThread.start { [self] in
                CurlLoop(self, settings, clock)?.run()
                close()
                whenStopped()
            }
        if !isRunning { inbox.withLock { $0.isStopped = true } }
    }

    func start(_ transfer: CurlTransfer) {
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isStopped, inbox.count < CurlSettings.queueCap else { return false }
            inbox.count += 1
            inbox.starting.append(transfer)
            Self.wake(&inbox)
            return true
        }
        if !isTaken { transfer.finish(.failure(TransportError(.unreachable, wasSent: false))) }
    }

    func drop(_ transfer: CurlTransfer) {
        inbox.withLock { inbox in
            guard !inbox.isStopped else { return }
            inbox.dropped.append(transfer)
            Self.wake(&inbox)
        }
    }

    func stop() {
        inbox.withLock { inbox in
            inbox.isStopped = true
            Self.wake(&inbox)
        }
    }

    /// Before the loop begins: who shall be woken.
    func open(_ multi: UnsafeMutableRawPointer) { inbox.withLock { $0.multi = multi } }

    /// What came in since the last time; `finished` requests were done with meanwhile.
    func take(finished: Int) -> (starting: [CurlTransfer], dropped: [CurlTransfer], isStopped: Bool) {
        inbox.withLock { inbox in
            defer { (inbox.starting, inbox.dropped, inbox.isResting) = ([], [], false) }
            inbox.count -= finished
            return (inbox.starting, inbox.dropped, inbox.isStopped)
        }
    }

    /// Whether the thread may wait now; from here on whoever puts something in wakes it.
    func rest() -> Bool {
        inbox.withLock { inbox in
            inbox.isResting = inbox.starting.isEmpty && inbox.dropped.isEmpty && !inbox.isStopped
            return inbox.isResting
        }
    }

    /// After the loop and before the multi handle goes: nobody wakes it any more, and nothing is left waiting.
    func close() {
        let left = inbox.withLock { inbox in
            defer { inbox.starting = [] }
            (inbox.multi, inbox.isStopped) = (nil, true)
            return inbox.starting
        }
        for transfer in left { transfer.finish(.failure(TransportError(.unreachable, wasSent: false))) }
    }

    /// Under the lock, so that the handle cannot go away meanwhile.
    private static func wake(_ inbox: inout Inbox) {
        // A thread that is awake looks before it rests; waking it is a system call.
        guard inbox.isResting, let multi = inbox.multi else { return }
        inbox.isResting = false
        curl_multi_wakeup(multi)
    }
}
