import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The open connections, watched so that none can keep its place by sending slowly.
///
/// Each request must arrive completely within ``ServerLimits/requestTime``. When more connections than
/// ``ServerLimits/connections`` are open, the one that has been sending its request for the longest time is ended.
///
/// A connection is ended by shutting down its socket, which the daemon's thread then notices. The daemon closes the
/// socket only after its notification, which takes the same lock as the shutdown here. So a descriptor that is used
/// again is never shut down.
final class OpenConnections: Sendable {
    private struct Entry {
        var descriptor: Int32
        /// The request's number among all connections. The smallest began first.
        var number: UInt64
        /// When the present request began; `nil` while one is being answered.
        var began: Duration?
        /// Whether the head of the present request has been handed over.
        var hasHead = false
        var isEnded = false
        /// Why the connection is not served; `nil` if it is.
        var mark: String?

        var isHalfRead: Bool { began != nil && !isEnded }
    }

    private struct State {
        var entries: [UInt: Entry] = [:]
        /// The mark of the connection that was accepted last, and is about to be opened.
        var acceptedMark: String?
        var nextNumber: UInt64 = 0
        /// Whether the daemon may be making a connection. It makes one at a time.
        var isOpening = false
        var isWatched = false
        var isStopped = false
        var watch: Task<Void, Never>?

        mutating func number() -> UInt64 {
            defer { nextNumber += 1 }
            return nextNumber
        }

        mutating func end(_ address: UInt) {
            guard let descriptor = entries[address]?.descriptor else { return }
            entries[address]?.isEnded = true
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    private let limits: ServerLimits
    private let time: ServerTime
    private let state = Locked(State())

    init(limits: ServerLimits, time: ServerTime) {
        self.limits = limits
        self.time = time
    }

    /// Whether the connection that the daemon is about to make is wanted. None is once ``stop()`` was called.
    func admits(_ accepts: () -> Bool) -> Bool {
        let isStopped = state.withLock { state in
            state.isOpening = !state.isStopped
            return state.isStopped
        }
        if !isStopped, accepts() { return true }
        state.withLock { $0.isOpening = false }
        return false
    }

    /// The most connections with a mark at once.
    static let mostMarked = 4

    /// Notes the mark of the connection that is opened next; `false` if too many with a mark are open. The daemon opens
    /// one connection before it accepts another.
    func admit(mark: String?) -> Bool {
        state.withLock { state in
            state.acceptedMark = mark
            return mark == nil || state.entries.values.count { $0.mark != nil } < Self.mostMarked
        }
    }

    /// Returns why a connection is not served; `nil` if it is.
    func mark(of address: UInt) -> String? { state.withLock { $0.entries[address]?.mark } }

    /// Notes that a connection was accepted.
    func opened(_ address: UInt, descriptor: Int32) {
        let now = time.now()
        state.withLock { state in
            let mark = state.acceptedMark
            let served = state.entries.filter { $0.value.mark == nil }
            if mark == nil, served.values.count(where: { !$0.isEnded }) >= Int(limits.connections) {
                let halfRead = served.lazy.filter(\.value.isHalfRead)
                if let oldest = halfRead.min(by: { $0.value.number < $1.value.number }) { state.end(oldest.key) }
            }
            let number = state.number()
            state.entries[address] = Entry(descriptor: descriptor, number: number, began: now, mark: mark)
            state.isOpening = false
            if state.isStopped { state.end(address) }
        }
        watch()
    }

    /// Notes that the head of a request was handed over.
    func begun(on address: UInt) {
        state.withLock { $0.entries[address]?.hasHead = true }
    }

    /// Answers the request whose head the daemon has read and is about to refuse, and keeps the daemon's own answer from
    /// leaving. Called on the daemon's thread, which reads one head at a time.
    ///
    /// - Parameter isRead: Whether the head of a connection's request has been read to its end.
    func refuse(_ status: Int, where isRead: (UInt) -> Bool) {
        state.withLock { state in
            let found = state.entries.first { $0.value.isHalfRead && !$0.value.hasHead && isRead($0.key) }
            guard let found else { return }
            state.entries[found.key]?.isEnded = true
            ClosingAnswer.end(found.value.descriptor, with: status)
        }
    }

    /// Notes that a request has arrived completely.
    func received(on address: UInt) {
        state.withLock { $0.entries[address]?.began = nil }
    }

    /// Notes that a request was answered or given up, so that the next one on the connection begins.
    func completed(on address: UInt) {
        let now = time.now()
        state.withLock { state in
            let number = state.number()
            state.entries[address]?.began = now
            state.entries[address]?.number = number
            state.entries[address]?.hasHead = false
        }
        watch()
    }

    /// Notes that the daemon is about to close the socket.
    func closed(_ address: UInt) {
        state.withLock { _ = $0.entries.removeValue(forKey: address) }
    }

    /// Ends all connections, and returns once the daemon has none, or after two seconds.
    ///
    /// A daemon that is stopped while it refuses a request by itself reads an answer that it has not made (libmicrohttpd
    /// 0.9.75, `MHD_queue_response` and `build_header_response`), and the process ends. Without connections there is
    /// nothing to refuse.
    func stop() {
        let watch = state.withLock { state in
            state.isStopped = true
            for address in state.entries.keys { state.end(address) }
            return state.watch
        }
        watch?.cancel()
        for _ in 0..<2_000 {
            if state.withLock({ $0.entries.isEmpty && !$0.isOpening }) { return }
            poll(nil, 0, 1)
        }
    }

    /// Watches the time, in at most one task, and only while a request is being received.
    private func watch() {
        let starts = state.withLock { state in
            guard !state.isWatched, !state.isStopped else { return false }
            state.isWatched = true
            return true
        }
        guard starts else { return }
        let watch = Task { [self] in
            while let deadline = nextDeadline() {
                do { try await time.sleep(deadline) } catch { return }
                endOverdue()
            }
        }
        let isStopped = state.withLock { state in
            state.watch = watch
            return state.isStopped
        }
        if isStopped { watch.cancel() }
    }

    private func nextDeadline() -> Duration? {
        state.withLock { state in
            let first = state.entries.values.lazy.filter(\.isHalfRead).compactMap(\.began).min()
            guard let first, !state.isStopped else {
                state.isWatched = false
                return nil
            }
            return first + limits.requestTime
        }
    }

    private func endOverdue() {
        let now = time.now()
        state.withLock { state in
            for (address, entry) in state.entries where entry.isHalfRead {
                if let began = entry.began, began + limits.requestTime <= now { state.end(address) }
            }
        }
    }
}
