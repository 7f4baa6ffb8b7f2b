import Latchkey
import LatchkeySystem

/// The one watch of an inner store, from which every partition learns of its own changes. It runs while anybody listens.
final class PartitionWatch<Inner: SessionStore>: Sendable {
    private struct Feed {
        let feed = ChangeFeed()
        /// Listeners of an earlier feed of the same partition may leave later than those of this one come.
        let number: Int
        var listeners = 0
        /// The partition's commits that were told; `nil` before the first: then everything in it counts as changed.
        var told: UInt64?
    }

    private struct State {
        var feeds: [String: Feed] = [:]
        /// Which run of the watch it is, and the task in which it begins; `nil` while nobody listens.
        var run: (number: Int, begins: Task<Void, any Error>)?
        var next = 0
        var stop: AsyncStream<Never>.Continuation?

        mutating func number() -> Int {
            next += 1
            return next
        }

        /// Ends the run if nobody listens any more; what is returned is to be finished then.
        mutating func stopIfIdle() -> AsyncStream<Never>.Continuation? {
            guard feeds.isEmpty else { return nil }
            defer { (run, stop) = (nil, nil) }
            return stop
        }
    }

    private let state = Locked(State())
    private let inner: Inner
    private let context: PluginContext

    init(_ inner: Inner, context: PluginContext) {
        self.inner = inner
        self.context = context
    }

    private static var prefix: String { "partition/" }
}

extension PartitionWatch where Inner: WatchableStore {
    /// Returns a stream of the keys that change from now on in `partition`.
    ///
    /// - Throws: What the inner store's `changes()` throws.
    func listen(to partition: String) async throws -> AsyncStream<StoreKey> {
        let (feed, number, begins) = state.withLock { state -> (ChangeFeed, Int, Task<Void, any Error>) in
            var entry = state.feeds[partition] ?? Feed(number: state.number())
            entry.listeners += 1
            state.feeds[partition] = entry
            if let run = state.run { return (entry.feed, entry.number, run.begins) }
            let run = state.number()
            let begins = Task { try await self.begin(run) }
            state.run = (run, begins)
            return (entry.feed, entry.number, begins)
        }
        let stream = feed.listen { [weak self] in self?.left(partition, number) }
        // From here on nothing is missed.
        try await begins.value
        return stream
    }

    private func begin(_ run: Int) async throws {
        let changes: AsyncStream<StoreKey>
        do { changes = try await inner.changes() } catch {
            ended(run)
            throw error
        }
        let (signal, stop) = AsyncStream<Never>.makeStream()
        let isCurrent = state.withLock { state in
            guard state.run?.number == run else { return false }
            state.stop = stop
            return true
        }
        guard isCurrent else { return }
        context.start("partition watch") { [weak self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [weak self] in
                    for await key in changes {
                        guard let self else { return }
                        await self.see(key)
                    }
                }
                group.addTask { for await _ in signal {} }
                await group.next()
                group.cancelAll()
            }
            self?.ended(run)
        }
    }

    private func left(_ partition: String, _ number: Int) {
        let stop = state.withLock { state -> AsyncStream<Never>.Continuation? in
            guard state.feeds[partition]?.number == number else { return nil }
            state.feeds[partition]?.listeners -= 1
            if state.feeds[partition]?.listeners == 0 { state.feeds[partition] = nil }
            return state.stopIfIdle()
        }
        stop?.finish()
    }

    /// The inner store's stream ended, or did not begin: every listener lists its keys and listens again.
    private func ended(_ run: Int) {
        let feeds = state.withLock { state -> [ChangeFeed] in
            guard state.run?.number == run else { return [] }
            defer { (state.feeds, state.run, state.stop) = ([:], nil, nil) }
            return state.feeds.values.map(\.feed)
        }
        for feed in feeds { feed.finish() }
    }

    private func see(_ key: StoreKey) async {
        guard key.kind == .credential, key.name.hasPrefix(Self.prefix) else { return }
        let partition = String(key.name.dropFirst(Self.prefix.count))
        guard state.withLock({ $0.feeds[partition] != nil }) else { return }
        let stored: StoredRecord?
        do { stored = try await inner.read(key) } catch { return lose(partition) }
        guard let stored, let bundle = try? PartitionBundle(stored.bytes) else { return lose(partition) }
        let (feed, changed) = state.withLock { state -> (ChangeFeed?, [StoreKey]?) in
            guard let known = state.feeds[partition] else { return (nil, []) }
            let changed = bundle.changes(since: known.told ?? bundle.forgotten)
            state.feeds[partition]?.told = bundle.commits
            return (known.feed, changed)
        }
        guard let changed else { return lose(partition) }
        for key in changed { feed?.tell(key) }
    }

    /// What changed in `partition` is not known: its listeners list the keys and listen again.
    private func lose(_ partition: String) {
        let (feed, stop) = state.withLock { state in
            (state.feeds.removeValue(forKey: partition)?.feed, state.stopIfIdle())
        }
        feed?.finish()
        stop?.finish()
    }
}
