import LatchkeySystem

/// Holds tasks back until it is opened, once and for all.
public final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    /// Creates a closed latch.
    public init() {}

    /// Whether it is open.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Releases every waiting task, and every task that comes later.
    public func open() {
        let woken = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        for continuation in woken { continuation.resume(returning: true) }
    }

    /// Returns when the latch is open.
    ///
    /// - Throws: `CancellationError`, promptly, if the task is cancelled first.
    public func wait() async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let opened = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return false }
                    if state.isOpen { return true }
                    state.waiting[id] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let given = state.withLock { state in
                let given = state.waiting.removeValue(forKey: id)
                if given == nil, !state.isOpen { state.cancelled.insert(id) }
                return given
            }
            given?.resume(returning: false)
        }
        if !opened { throw CancellationError() }
    }
}

/// A count that can be waited for.
final class Tally: Sendable {
    private let state = Locked((count: 0, waiters: [(count: Int, latch: Latch)]()))

    var count: Int { state.withLock { $0.count } }

    func add(_ difference: Int = 1) {
        let reached = state.withLock { state in
            state.count += difference
            let count = state.count
            let reached = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return reached
        }
        for waiter in reached { waiter.latch.open() }
    }

    /// Returns when the count is at least `count`.
    func wait(for count: Int) async throws {
        let latch = Latch()
        state.withLock { state in
            if state.count >= count { latch.open() } else { state.waiters.append((count, latch)) }
        }
        try await latch.wait()
    }
}
