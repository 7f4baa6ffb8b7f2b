import LatchkeyLocked

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The open connections, so that none of them can hold a place by sending slowly.
///
/// A request has ``ServerLimits/requestTime`` to come in whole. When more connections than ``ServerLimits/connections``
/// are open, the one that has been sending its request for longest is ended at once.
///
/// A connection is ended by shutting its socket down, which the daemon's thread then sees. The daemon closes the socket
/// after it has told of the end, which takes the lock under which sockets are shut down here; so a number that is used
/// again is never shut down.
final class OpenConnections: Sendable {
    private struct Entry {
        var descriptor: Int32
        /// Counts the requests of all connections: the smallest began first.
        var number: UInt64
        /// When the request that comes in began; `nil` while one is being answered.
        var began: Duration?
        var isEnded = false

        var isHalfRead: Bool { began != nil && !isEnded }
    }

    private struct State {
        var entries: [UInt: Entry] = [:]
        var nextNumber: UInt64 = 0
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

    /// A connection was accepted.
    func opened(_ address: UInt, descriptor: Int32) {
        let now = time.now()
        state.withLock { state in
            if state.entries.values.count(where: { !$0.isEnded }) >= Int(limits.connections) {
                let halfRead = state.entries.lazy.filter(\.value.isHalfRead)
                if let oldest = halfRead.min(by: { $0.value.number < $1.value.number }) { state.end(oldest.key) }
            }
            let number = state.number()
            state.entries[address] = Entry(descriptor: descriptor, number: number, began: now)
        }
        watch()
    }

    /// A request is in, whole.
    func received(on address: UInt) {
        state.withLock { $0.entries[address]?.began = nil }
    }

    /// A request was answered, or given up: the next one on the connection begins.
    func completed(on address: UInt) {
        let now = time.now()
        state.withLock { state in
            let number = state.number()
            state.entries[address]?.began = now
            state.entries[address]?.number = number
        }
        watch()
    }

    /// The daemon is about to close the socket.
    func closed(_ address: UInt) {
        state.withLock { _ = $0.entries.removeValue(forKey: address) }
    }

    /// Ends nothing any more.
    func stop() {
        let watch = state.withLock { state in
            state.isStopped = true
            return state.watch
        }
        watch?.cancel()
    }

    /// One task at most, and only while a request comes in.
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
