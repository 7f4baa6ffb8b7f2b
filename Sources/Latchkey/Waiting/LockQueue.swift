import LatchkeySystem

/// Turns inside the process: one holder for a key at a time, first come first served.
///
/// A waiter is a continuation and never polls. Its wait ends exactly once: when it gets the turn,
/// at the deadline, or when its task is cancelled.
package final class LockQueue: Sendable {
    /// How many may wait for one key at a time. Further ones are turned away at once.
    package static let waitersPerKey = 10_000

    private struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<Bool, Never>?
    }

    private struct Line {
        var holder: UInt64?
        var waiters: [Waiter] = []
    }

    private struct State {
        var lines: [StoreKey: Line] = [:]
        var nextID: UInt64 = 1

        /// Takes the turn, or a place in the line.
        mutating func enter(_ key: StoreKey) -> (id: UInt64, isHeld: Bool) {
            let id = nextID
            nextID += 1
            // A line is kept only while it has a holder, so a caller that finds one has to wait.
            if lines[key] == nil {
                lines[key] = Line(holder: id)
                return (id, true)
            }
            lines[key]?.waiters.append(Waiter(id: id))
            return (id, false)
        }
    }

    private enum Entry {
        case held(UInt64)
        case waiting(UInt64)
        case turnedAway
    }

    private let state = Locked(State())

    /// Creates an empty queue.
    package init() {}

    /// Takes the turn of `key`, waiting at most `deadline` by `clock`.
    ///
    /// - Returns: A ticket to give back with ``release(_:of:)``; `nil` if the deadline passed or too many wait.
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

    /// Takes the turn of `key`, however long that takes, and whether or not the task is cancelled: for work of the engine
    /// itself.
    ///
    /// - Returns: A ticket to give back with ``release(_:of:)``.
    nonisolated(nonsending) func acquire(_ key: StoreKey) async -> UInt64 {
        let (id, isHeld) = state.withLock { $0.enter(key) }
        if !isHeld { _ = await granted(id, of: key) }
        return id
    }

    /// Takes the turn of `key` if it is free, else returns `nil`.
    func acquireIfFree(_ key: StoreKey) -> UInt64? {
        if case .held(let id) = enter(key, mayWait: false) { id } else { nil }
    }

    /// Whether somebody holds the turn of `key`.
    func isTaken(_ key: StoreKey) -> Bool { state.withLock { $0.lines[key] != nil } }

    /// Gives the turn back. Giving it back again does nothing.
    package func release(_ id: UInt64, of key: StoreKey) {
        change(key) { line in
            if line.holder == id { line.holder = nil }
        }
    }

    /// How many wait for the turn of `key`.
    package func waiting(for key: StoreKey) -> Int {
        state.withLock { $0.lines[key]?.waiters.count ?? 0 }
    }

    private func enter(_ key: StoreKey, mayWait: Bool) -> Entry {
        state.withLock { state in
            if let line = state.lines[key], !mayWait || line.waiters.count >= Self.waitersPerKey { return .turnedAway }
            let (id, isHeld) = state.enter(key)
            return isHeld ? .held(id) : .waiting(id)
        }
    }

    /// Races the grant against the deadline. A grant that comes at the deadline counts.
    private func outcome(
        of id: UInt64, for key: StoreKey, until end: MonotonicInstant, clock: any AuthClock
    ) async -> Bool {
        let granted = try? await clock.value(before: end) {
            await withTaskCancellationHandler {
                await self.granted(id, of: key)
            } onCancel: {
                self.giveUp(id, of: key)
            }
        }
        return granted.flatMap(\.self) ?? state.withLock { $0.lines[key]?.holder == id }
    }

    private nonisolated(nonsending) func granted(_ id: UInt64, of key: StoreKey) async -> Bool {
        await withCheckedContinuation { continuation in
            let known: Bool? = state.withLock { state in
                guard let line = state.lines[key] else { return false }
                if line.holder == id { return true }
                guard let index = line.waiters.firstIndex(where: { $0.id == id }) else { return false }
                state.lines[key]?.waiters[index].continuation = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private func giveUp(_ id: UInt64, of key: StoreKey) {
        var given: CheckedContinuation<Bool, Never>?
        change(key) { line in
            guard let index = line.waiters.firstIndex(where: { $0.id == id }) else { return }
            given = line.waiters.remove(at: index).continuation
        }
        given?.resume(returning: false)
    }

    /// Changes the line, lets the next one in, and wakes it outside of the lock.
    private func change(_ key: StoreKey, _ body: (inout Line) -> Void) {
        let woken = state.withLock { state in
            guard var line = state.lines[key] else { return nil as CheckedContinuation<Bool, Never>? }
            body(&line)
            var woken: CheckedContinuation<Bool, Never>?
            if line.holder == nil, !line.waiters.isEmpty {
                let next = line.waiters.removeFirst()
                line.holder = next.id
                woken = next.continuation
            }
            state.lines[key] = line.holder == nil ? nil : line
            return woken
        }
        woken?.resume(returning: true)
    }
}
