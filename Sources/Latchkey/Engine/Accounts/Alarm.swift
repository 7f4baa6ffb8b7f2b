import LatchkeySystem

/// The client's one sleeping task: wakes for the next of many deadlines.
final class Alarm: Sendable {
    /// What there is to do at a deadline.
    enum Purpose: Hashable, Sendable {
        case refresh(AccountID)
        case warn(AccountID)
        /// What the account is changes by the clock alone.
        case over(AccountID)
        case gate
        case save(StoreKey)
        case revoke(StoreKey)
    }

    private struct State {
        var deadlines: [Purpose: MonotonicInstant] = [:]
        /// A heap by instant. Entries that ``deadlines`` contradicts are out of date.
        var heap: [(at: MonotonicInstant, purpose: Purpose)] = []
        var isRunning = false
        var isStopped = false
        var bell = Flight<Void>()

        /// Rebuilds the heap when more than half of it is out of date, so that it stays within twice the deadlines.
        mutating func tidy() {
            guard heap.count > 2 * deadlines.count + 64 else { return }
            heap = deadlines.map { ($0.value, $0.key) }.sorted { $0.0 < $1.0 }
        }
    }

    private let state = Locked(State())
    private let handler = Locked<(@Sendable (Purpose) async -> Void)?>(nil)
    private let context: PluginContext

    init(_ context: PluginContext) { self.context = context }

    /// Sets the deadline of `purpose`, in place of an earlier one; `nil` takes it back.
    func set(_ purpose: Purpose, at instant: MonotonicInstant?) {
        let bell = state.withLock { state -> Flight<Void>? in
            guard !state.isStopped else { return nil }
            state.deadlines[purpose] = instant
            guard let instant else {
                state.tidy()
                return nil
            }
            let first = state.heap.first?.at
            state.heap.append((instant, purpose))
            state.heap.siftUp()
            state.tidy()
            guard state.isRunning, first.map({ instant < $0 }) ?? true else { return nil }
            defer { state.bell = Flight() }
            return state.bell
        }
        bell?.land(.success(()))
    }

    /// Says what is to be done at each deadline.
    func handle(_ handler: @escaping @Sendable (Purpose) async -> Void) { self.handler.withLock { $0 = handler } }

    /// Starts the task, once.
    func start() {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning && !state.isStopped
        }
        guard isFirst else { return }
        context.start("alarm") { [self] in
            while let due = await next() {
                for purpose in due { await handler.withLock { $0 }?(purpose) }
            }
        }
    }

    /// Ends the task.
    func stop() {
        let bell = state.withLock { state in
            state.isStopped = true
            state.heap = []
            state.deadlines = [:]
            return state.bell
        }
        bell.land(.success(()))
    }

    /// Waits for the next deadline and returns what is due: nothing if it was only woken, `nil` if stopped.
    private func next() async -> [Purpose]? {
        let now = context.clock.now()
        let (due, wait, bell) =
            state.withLock { state -> ([Purpose], MonotonicInstant?, Flight<Void>)? in
                guard !state.isStopped else { return nil }
                var due: [Purpose] = []
                while let first = state.heap.first {
                    guard state.deadlines[first.purpose] == first.at else {
                        state.heap.removeRoot()
                        continue
                    }
                    guard first.at <= now else { break }
                    state.heap.removeRoot()
                    state.deadlines[first.purpose] = nil
                    due.append(first.purpose)
                }
                return (due, state.heap.first?.at, state.bell)
            } ?? ([], nil, Flight())
        if state.withLock({ $0.isStopped }) { return nil }
        guard due.isEmpty else { return due }
        if let wait {
            _ = try? await context.clock.value(before: wait) { try await bell.value() }
        } else {
            _ = try? await bell.value()
        }
        return []
    }
}

extension [(at: MonotonicInstant, purpose: Alarm.Purpose)] {
    fileprivate mutating func siftUp() {
        var child = count - 1
        while child > 0, self[child].at < self[(child - 1) / 2].at {
            swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    fileprivate mutating func removeRoot() {
        swapAt(0, count - 1)
        removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < count && self[child].at < self[least].at {
                least = child
            }
            guard least != parent else { return }
            swapAt(parent, least)
            parent = least
        }
    }
}
