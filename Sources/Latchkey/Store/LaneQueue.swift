import LatchkeyLocked

/// Who holds which lane in this process, and who waits for it, first come first served.
///
/// Sharers hold together; an exclusive holder is alone. Waiting is a continuation, never a poll, and ends at the
/// grant, at the deadline or when the waiting task is cancelled, each exactly once.
package final class LaneQueue: Sendable {
    /// The most that wait for one lane at a time; further ones are turned away at once.
    package static let waitersPerLane = 10_000

    private struct Waiter {
        var id: UInt64
        var sharing: Bool
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private struct Lane {
        var holders: Set<UInt64> = []
        var heldExclusively = false
        var waiters: [Waiter] = []

        func admits(sharing: Bool) -> Bool { holders.isEmpty || (sharing && !heldExclusively) }

        mutating func admit(_ id: UInt64, sharing: Bool) {
            holders.insert(id)
            heldExclusively = !sharing
        }
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
        _ key: StoreKey, sharing: Bool, deadline: Duration, clock: any AuthClock
    ) async throws -> UInt64? {
        try Task.checkCancellation()
        switch enter(key, sharing: sharing, mayWait: deadline > .zero) {
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
        change(key) { lane in lane.holders.remove(id) }
    }

    /// How many wait for the lane of `key`.
    package func waiting(for key: StoreKey) -> Int {
        state.withLock { $0.lanes[key]?.waiters.count ?? 0 }
    }

    private func enter(_ key: StoreKey, sharing: Bool, mayWait: Bool) -> Entry {
        state.withLock { state in
            var lane = state.lanes[key] ?? Lane()
            let id = state.nextID
            let free = lane.waiters.isEmpty && lane.admits(sharing: sharing)
            guard free || (mayWait && lane.waiters.count < Self.waitersPerLane) else { return .turnedAway }
            state.nextID += 1
            if free {
                lane.admit(id, sharing: sharing)
            } else {
                lane.waiters.append(Waiter(id: id, sharing: sharing))
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
                    if lane.holders.contains(id) { return true }
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

    /// Changes the lane, admits whoever may go next, and wakes them outside of the lock.
    private func change(_ key: StoreKey, _ body: (inout Lane) -> Void) {
        let woken = state.withLock { state in
            guard var lane = state.lanes[key] else { return [CheckedContinuation<Bool, Never>]() }
            body(&lane)
            var woken: [CheckedContinuation<Bool, Never>] = []
            while let next = lane.waiters.first, lane.admits(sharing: next.sharing) {
                lane.waiters.removeFirst()
                lane.admit(next.id, sharing: next.sharing)
                if let continuation = next.continuation { woken.append(continuation) }
            }
            state.lanes[key] = lane.holders.isEmpty ? nil : lane
            return woken
        }
        for continuation in woken { continuation.resume(returning: true) }
    }
}
