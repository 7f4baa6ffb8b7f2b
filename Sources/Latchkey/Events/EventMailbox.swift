import LatchkeySystem

/// The buffer of one listener: up to 256 events, and whether some are missing after them.
final class EventMailbox: Sendable {
    typealias Reader = CheckedContinuation<AuthEvent?, Never>

    private struct State {
        var events: [AuthEvent] = []
        var isMissingSome = false
        var isOver = false
        /// The readers that wait; there are some only while the buffer is empty.
        var readers: [Reader] = []
    }

    private static let bound = 256
    private let state = Locked(State())

    /// Adds the event. Returns the reader that waits for it, which the caller resumes after releasing every lock.
    func put(_ event: AuthEvent) -> Reader? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            guard state.readers.isEmpty else { return state.readers.removeFirst() }
            // After a gap there must be room for the gap and for what follows it.
            let needed = state.isMissingSome ? 2 : 1
            guard state.events.count + needed <= Self.bound else {
                state.isMissingSome = true
                return nil
            }
            if state.isMissingSome { state.events.append(.gap) }
            state.isMissingSome = false
            state.events.append(event)
            return nil
        }
    }

    /// Returns the oldest event, waiting for one if necessary; `nil` at the end.
    func next() async -> AuthEvent? {
        await withCheckedContinuation { reader in
            let ready = state.withLock { state -> AuthEvent?? in
                if !state.events.isEmpty { return state.events.removeFirst() }
                if state.isMissingSome {
                    state.isMissingSome = false
                    return .gap
                }
                if state.isOver { return .some(nil) }
                state.readers.append(reader)
                return nil
            }
            if let ready { reader.resume(returning: ready) }
        }
    }

    /// Accepts no more events. Buffered events can still be read.
    func end() {
        let readers = state.withLock { state in
            state.isOver = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.resume(returning: nil) }
    }
}
