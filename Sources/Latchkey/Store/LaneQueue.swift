import LatchkeyLocked

/// Who holds which lane in this process, and who waits for it, first come first served.
///
/// Waiting is a continuation, never a poll, and ends at the grant, at the deadline or when the waiting task is cancelled,
/// each exactly once.
package final class LaneQueue: Sendable {
    /// The most that wait for one lane at a time; further ones are turned away at once.
    package static let waitersPerLane = 10_000

    private struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private struct Lane {
        var holder: UInt64?
        var waiters: [Waiter] = []
    }

    private struct State {
        var lanes: [StoreKey: Lane] = [:]
        var nextID: UInt64 = 1
    }

    private enum Entry {
        case held(UInt64)
        case waiting(UInt64)
        case turnedAway
    }

    private let state = Locked(State())

    /// No lanes yet.
    package init() {}

    /// Takes the lane of `key`, waiting at most `deadline` by `clock`.
    ///
    /// - Returns: A ticket to give back with ``release(_:of:)``; `nil` when the deadline passed.
    /// - Throws: `CancellationError` when the task is cancelled; then nothing is held.
    package func acquire(
        _ key: StoreKey, deadline: Duration, clock: any AuthClock
    ) async throws -> UInt64? {
        try Task.checkCancellation()
        switch enter(key, mayWait: deadline > .zero) {
        case .held(let id): return id
        case .turnedAway: return nil
        case .waiting(let id):
            let granted = await outcome(of: id, for: key, until: clock.now() + deadline, clock: clock)
            if Task.isCancelled {
                if granted { release(id, of: key) }
                throw CancellationError()
            }
            return granted ? id : nil
        }
    }

    /// Gives the lane back. Giving it back again does nothing.
    package func release(_ id: UInt64, of key: StoreKey) {
        change(key) { lane in
            if lane.holder == id { lane.holder = nil }
        }
    }

    /// How many wait for the lane of `key`.
    package func waiting(for key: StoreKey) -> Int {
        state.withLock { $0.lanes[key]?.waiters.count ?? 0 }
    }

    private func enter(_ key: StoreKey, mayWait: Bool) -> Entry {
        state.withLock { state in
            var lane = state.lanes[key] ?? Lane()
            let id = state.nextID
            let free = lane.waiters.isEmpty && lane.holder == nil
            guard free || (mayWait && lane.waiters.count < Self.waitersPerLane) else { return .turnedAway }
            state.nextID += 1
            if free {
                lane.holder = id
            } else {
                lane.waiters.append(Waiter(id: id))
            }
            state.lanes[key] = lane
            return free ? .held(id) : .waiting(id)
        }
    }

    /// Races the grant against the deadline. A grant that comes with the deadline counts.
    private func outcome(
        of id: UInt64, for key: StoreKey, until end: MonotonicInstant, clock: any AuthClock
    ) async -> Bool {
        await withTaskGroup(of: Bool?.self) { group in
            group.addTask { await self.granted(id, of: key) }
            group.addTask {
                try? await clock.sleep(until: end)
                return nil
            }
            var granted = false
            for await result in group {
                granted = granted || result == true
                group.cancelAll()
            }
            return granted
        }
    }

    private func granted(_ id: UInt64, of key: StoreKey) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = state.withLock { state in
                    guard let lane = state.lanes[key] else { return false }
                    if lane.holder == id { return true }
                    guard let index = lane.waiters.firstIndex(where: { $0.id == id }) else { return false }
                    state.lanes[key]?.waiters[index].continuation = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            giveUp(id, of: key)
        }
    }

    private func giveUp(_ id: UInt64, of key: StoreKey) {
        var given: CheckedContinuation<Bool, Never>?
        change(key) { lane in
            guard let index = lane.waiters.firstIndex(where: { $0.id == id }) else { return }
            given = lane.waiters.remove(at: index).continuation
        }
        given?.resume(returning: false)
    }

    /// Changes the lane, admits whoever goes next, and wakes them outside of the lock.
    private func change(_ key: StoreKey, _ body: (inout Lane) -> Void) {
        let woken = state.withLock { state in
            guard var lane = state.lanes[key] else { return nil as CheckedContinuation<Bool, Never>? }
            body(&lane)
            var woken: CheckedContinuation<Bool, Never>?
            if lane.holder == nil, !lane.waiters.isEmpty {
                let next = lane.waiters.removeFirst()
                lane.holder = next.id
                woken = next.continuation
            }
            state.lanes[key] = lane.holder == nil ? nil : lane
            return woken
        }
        woken?.resume(returning: true)
    }
}
