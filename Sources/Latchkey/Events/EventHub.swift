import LatchkeySystem

/// Gives each event to any number of listeners, each with its own bounded buffer.
///
/// Waking a listener may run the app's code (its executor), so no listener is woken while a lock is held.
final class EventHub: Sendable {
    private struct State {
        var listeners: [Int: EventMailbox] = [:]
        var next = 0
        var isClosed = false
    }

    /// Held by a stream: removes the listener when the stream is released.
    private final class Subscription: Sendable {
        let mailbox: EventMailbox
        private let end: @Sendable () -> Void

        init(_ mailbox: EventMailbox, end: @escaping @Sendable () -> Void) {
            self.mailbox = mailbox
            self.end = end
        }

        deinit { end() }
    }

    private let observer: (any AuthEventObserving)?
    private let state = Locked(State())

    /// Creates a hub that tells `observer` of each event before it tells the listeners.
    init(_ observer: (any AuthEventObserving)? = nil) { self.observer = observer }

    /// Whether every stream has ended.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The number of listeners.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Returns a stream of events, starting now. A reader that is more than 256 events behind
    /// misses some and gets ``AuthEvent/gap`` in their place.
    func listen() -> AsyncStream<AuthEvent> {
        let mailbox = EventMailbox()
        let number = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.next += 1
            state.listeners[state.next] = mailbox
            return state.next
        }
        guard let number else { return AsyncStream { $0.finish() } }
        let subscription = Subscription(mailbox) { [weak self] in self?.remove(number) }
        return AsyncStream(
            unfolding: { await subscription.mailbox.next() }, onCancel: { [weak self] in self?.remove(number)?.end() })
    }

    /// Sends the event to every listener. Never waits for one.
    func tell(_ event: AuthEvent) {
        observer?.observe(event)
        let awaited = state.withLock { state in state.listeners.values.compactMap { $0.put(event) } }
        for reader in awaited { reader.resume(returning: event) }
    }

    /// Ends every stream after its buffered events.
    func close() {
        let listeners = state.withLock { state in
            state.isClosed = true
            defer { state.listeners = [:] }
            return state.listeners
        }
        for mailbox in listeners.values { mailbox.end() }
    }

    @discardableResult
    private func remove(_ number: Int) -> EventMailbox? { state.withLock { $0.listeners.removeValue(forKey: number) } }
}
