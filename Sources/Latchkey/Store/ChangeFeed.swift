import LatchkeySystem

/// Tells any number of listeners which keys changed, as ``WatchableStore/changes()`` promises. Each listener's queue
/// holds a key at most once, so a slow one may miss repeats but never the last change.
public final class ChangeFeed: Sendable {
    /// The most keys that wait for one listener. Beyond it the stream ends, and the listener lists
    /// the keys and listens again.
    public static let waitingLimit = 65_536

    private struct State {
        var listeners: [Int: ChangeListener] = [:]
        var next = 0
    }

    private let state = Locked(State())

    /// Creates a feed without listeners.
    public init() {}

    /// Returns a stream of the keys that change from now on. `left` is called when its reader is gone.
    public func listen(_ left: @escaping @Sendable () -> Void = {}) -> AsyncStream<StoreKey> {
        let listener = ChangeListener(limit: Self.waitingLimit)
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
        let subscription = ChangeSubscription { [weak self] in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
            left()
        }
        return AsyncStream(
            unfolding: {
                let key = await listener.next()
                if key == nil { subscription.end() }
                return key
            },
            onCancel: {
                listener.end()
                subscription.end()
            })
    }

    /// Tells every listener that `key` changed.
    public func tell(_ key: StoreKey) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.tell(key) }
    }

    /// Ends every stream after the keys that wait.
    public func finish() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.end() }
    }

    /// Whether there is a listener.
    public var isHeard: Bool { state.withLock { !$0.listeners.isEmpty } }
}

/// Ends once, together with the stream that holds it.
private final class ChangeSubscription: Sendable {
    private let left: Locked<(@Sendable () -> Void)?>

    init(_ left: @escaping @Sendable () -> Void) { self.left = Locked(left) }

    deinit { end() }

    func end() {
        let left = self.left.withLock { left in
            defer { left = nil }
            return left
        }
        left?()
    }
}

/// The keys that wait for one reader, each once, ordered by their first change.
private final class ChangeListener: Sendable {
    private struct State {
        var order: [StoreKey] = []
        var head = 0
        var waiting: Set<StoreKey> = []
        var reader: CheckedContinuation<StoreKey?, Never>?
        var isEnded = false

        mutating func takeFirst() -> StoreKey {
            let key = order[head]
            head += 1
            waiting.remove(key)
            if head > 1_024, head * 2 > order.count {
                order.removeFirst(head)
                head = 0
            }
            return key
        }
    }

    private let state = Locked(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func tell(_ key: StoreKey) {
        let reader = state.withLock { state -> CheckedContinuation<StoreKey?, Never>? in
            guard !state.isEnded else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            guard state.waiting.insert(key).inserted else { return nil }
            guard state.waiting.count <= limit else {
                (state.order, state.head, state.waiting, state.isEnded) = ([], 0, [], true)
                return nil
            }
            state.order.append(key)
            return nil
        }
        reader?.resume(returning: key)
    }

    func end() {
        let reader = state.withLock { state in
            state.isEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    func next() async -> StoreKey? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> StoreKey?? in
                    if state.head < state.order.count { return .some(state.takeFirst()) }
                    // A stream has one reader; a second one would wait forever.
                    if state.isEnded || state.reader != nil || Task.isCancelled { return .some(nil) }
                    state.reader = continuation
                    return .none
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            end()
        }
    }
}
