import LatchkeySystem

/// Listens for what other processes do to the client's store, if the store tells: one task that
/// sleeps until then. After an outage it listens again, and reads everything.
final class StoreWatch: Sendable {
    private enum Stage {
        case idle
        /// `nil`: the store could not be listened to. From a stream on, nothing is missed.
        case listening(AsyncStream<StoreKey>?)
        case running
        case stopped

        var isIdle: Bool { if case .idle = self { true } else { false } }
        var isStopped: Bool { if case .stopped = self { true } else { false } }
    }

    /// How listening anew went.
    enum Again: Sendable {
        case listening(AsyncStream<StoreKey>)
        /// To be tried again after a pause.
        case failed(AuthError)
        /// The store never tells, or the client is gone.
        case never
    }

    /// The reader, held weakly: it ends when its client is let go.
    struct Watched: Sendable {
        weak let reader: StoreReader?
    }

    private struct State {
        var stage = Stage.idle
    }

    /// The least time between two readings of one key, so that a burst of changes causes few readings.
    static let pause = Duration.milliseconds(50)
    /// Before listening again. With the reading that follows, what happened during an outage is seen within 5 seconds
    /// of its end (law 24).
    static let patience = Backoff(first: .milliseconds(250), longest: .seconds(3))
    /// A stream that lasts for less counts as a failure, so that one that ends at once is not asked for all the time.
    static let shortest = Duration.seconds(5)

    private let state = Locked(State())
    private let end = Flight<Void>()

    init() {}

    /// Begins to listen, once, if the store tells of changes.
    func listen(to store: any SessionStore) async {
        guard let store = store as? any WatchableStore, state.withLock({ $0.stage.isIdle }) else { return }
        let stream: AsyncStream<StoreKey>?
        do { stream = try await store.changes() } catch {
            // Whether it never tells is asked again by the task, which says so to the observer.
            stream = nil
        }
        state.withLock { state in
            if state.stage.isIdle { state.stage = .listening(stream) }
        }
    }

    /// Has `reader` look at every change since listening began, until ``stop()``. Does not keep the
    /// reader alive.
    func run(_ reader: StoreReader) {
        let (isNew, first) = state.withLock { state -> (Bool, AsyncStream<StoreKey>?) in
            guard case .listening(let stream) = state.stage else { return (false, nil) }
            state.stage = .running
            return (true, stream)
        }
        guard isNew else { return }
        reader.services.context.start("watch") { [watched = Watched(reader: reader), end, clock = reader.clock] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.follow(from: first, clock, watched) }
                group.addTask { _ = await end.landing() }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Ends the task.
    func stop() {
        state.withLock { $0.stage = .stopped }
        end.land(.success(()))
    }

    var isStopped: Bool { state.withLock { $0.stage.isStopped } }

    /// Follows one stream after the other, as long as there is somebody to tell.
    private static func follow(
        from first: AsyncStream<StoreKey>?, _ clock: any AuthClock, _ watched: Watched
    ) async {
        var outage = WatchOutage()
        var stream = first
        while true {
            if let stream {
                let begun = clock.now()
                guard let trouble = await follow(stream, clock, watched) else { return }
                if clock.now() - begun >= shortest { outage = WatchOutage() }
                outage.note(trouble, watched, at: clock.now())
            }
            guard let pause = watched.reader.map({ outage.pause(jitter: $0.services.context.jitter) }) else { return }
            do { try await clock.sleep(until: clock.now() + pause) } catch { return }
            switch await watched.reader?.relisten() {
            case .listening(let next)?:
                stream = next
                outage.end(watched, at: clock.now())
            case .failed(let trouble)?:
                stream = nil
                outage.note(trouble, watched, at: clock.now())
            case .never?, nil: return
            }
        }
    }

    /// Looks at each change that `stream` tells of.
    ///
    /// - Returns: Why changes may be missed from now on; `nil` if there is nobody to tell.
    private static func follow(
        _ stream: AsyncStream<StoreKey>, _ clock: any AuthClock, _ watched: Watched
    ) async -> AuthError? {
        var last: [StoreKey: MonotonicInstant] = [:]
        for await key in stream {
            let now = clock.now()
            if let before = last[key], now < before + pause {
                do { try await clock.sleep(until: before + pause) } catch { return nil }
            }
            if last.count >= 256 { last = last.filter { now < $0.value + pause } }
            if last.count < 1_024 { last[key] = clock.now() }
            guard let reader = watched.reader else { return nil }
            if let trouble = await reader.see(key) { return trouble }
        }
        guard !Task.isCancelled, let reader = watched.reader, !reader.watch.isStopped else { return nil }
        return AuthError(.store(.unavailable), "The store has stopped telling of changes.")
    }
}
