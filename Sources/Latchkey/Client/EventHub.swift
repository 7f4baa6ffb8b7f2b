import LatchkeyLocked

/// Gives each event to any number of listeners, each with a bounded buffer of its own.
final class EventHub: Sendable {
    private struct Listener {
        let continuation: AsyncStream<AuthEvent>.Continuation
        var missed = false

        mutating func tell(_ event: AuthEvent) {
            if missed, case .enqueued = continuation.yield(.gap) { missed = false }
            guard !missed else { return }
            if case .dropped = continuation.yield(event) { missed = true }
        }
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var closed = false
    }

    private let state = Locked(State())
    private static let bound = 256

    /// A stream of what happens from now on. A reader that is more than 256 events behind misses some and finds a
    /// ``AuthEvent/gap`` in their place.
    func listen() -> AsyncStream<AuthEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AuthEvent.self, bufferingPolicy: .bufferingOldest(Self.bound))
        let number = state.withLock { state -> Int? in
            guard !state.closed else { return nil }
            state.next += 1
            state.listeners[state.next] = Listener(continuation: continuation)
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Tells every listener.
    func tell(_ event: AuthEvent) {
        state.withLock { state in
            for number in state.listeners.keys { state.listeners[number]?.tell(event) }
        }
    }

    /// Ends every stream.
    func close() {
        let listeners = state.withLock { state -> [Listener] in
            state.closed = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.continuation.finish() }
    }

    private func remove(_ number: Int) {
        state.withLock { $0.listeners[number] = nil }
    }
}
