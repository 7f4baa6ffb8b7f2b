import LatchkeySystem

/// Listens for what other processes do to the client's store, if the store tells: one task that
/// sleeps until then.
final class StoreWatch: Sendable {
    private enum Stage {
        case idle
        /// From here on nothing is missed.
        case listening(AsyncStream<StoreKey>)
        case running
        case stopped

        var isIdle: Bool { if case .idle = self { true } else { false } }
        var isStopped: Bool { if case .stopped = self { true } else { false } }
    }

    /// The reader, held weakly: it ends when its client is let go.
    private struct Watched: Sendable {
        weak let reader: StoreReader?
    }

    private struct State {
        var stage = Stage.idle
    }

    /// The least time between two readings of one key, so that a burst of changes causes few readings.
    static let pause = Duration.milliseconds(50)

    private let state = Locked(State())
    private let end = Flight<Void>()

    init() {}

    /// Begins to listen, once, if the store tells of changes.
    func listen(to store: any SessionStore) {
        guard let store = store as? any WatchableStore, state.withLock({ $0.stage.isIdle }) else { return }
        let stream = store.changes()
        state.withLock { state in
            if state.stage.isIdle { state.stage = .listening(stream) }
        }
    }

    /// Has `reader` look at every change since listening began, until ``stop()``. Does not keep the
    /// reader alive.
    func run(_ reader: StoreReader) {
        let stream = state.withLock { state -> AsyncStream<StoreKey>? in
            guard case .listening(let stream) = state.stage else { return nil }
            state.stage = .running
            return stream
        }
        guard let stream else { return }
        reader.services.context.start("watch") { [watched = Watched(reader: reader), end, clock = reader.clock] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    var next: AsyncStream<StoreKey>? = stream
                    while let stream = next {
                        guard await Self.follow(stream, clock, watched) else { return Self.tellEnd(of: watched) }
                        // The stream told of changes, and ended because more waited than it keeps.
                        // Read everything, since some are missing.
                        next = await watched.reader?.relisten()
                    }
                }
                group.addTask { _ = await end.landing() }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// The stream has ended without a word, and nobody has stopped it: the store does not tell of changes any more.
    private static func tellEnd(of watched: Watched) {
        guard !Task.isCancelled, let reader = watched.reader, !reader.watch.isStopped else { return }
        reader.services.context.observer.observe(.storeFailure(.credential, .watch, .store(.unavailable)))
    }

    /// Ends the task.
    func stop() {
        state.withLock { $0.stage = .stopped }
        end.land(.success(()))
    }

    var isStopped: Bool { state.withLock { $0.stage.isStopped } }

    /// Whether `stream` told anything before it ended by itself.
    private static func follow(
        _ stream: AsyncStream<StoreKey>, _ clock: any AuthClock, _ watched: Watched
    ) async -> Bool {
        var hasTold = false
        var last: [StoreKey: MonotonicInstant] = [:]
        for await key in stream {
            hasTold = true
            let now = clock.now()
            if let before = last[key], now < before + pause {
                do { try await clock.sleep(until: before + pause) } catch { return false }
            }
            if last.count >= 256 { last = last.filter { now < $0.value + pause } }
            if last.count < 1_024 { last[key] = clock.now() }
            guard let reader = watched.reader else { return false }
            await reader.see(key)
        }
        return hasTold && !Task.isCancelled
    }
}
