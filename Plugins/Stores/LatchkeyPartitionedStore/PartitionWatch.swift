import Latchkey
import LatchkeySystem

/// The one watch of an inner store, from which every partition learns of its own changes. It runs while anybody listens.
final class PartitionWatch<Inner: SessionStore>: Sendable {
    private struct Feed {
        let feed = ChangeFeed()
        var listeners = 0
        /// The partition's commits that were told; `nil` before the first: then everything in it counts as changed.
        var told: UInt64?
    }

    private struct State {
        var feeds: [String: Feed] = [:]
        /// Which run of the watch it is; `nil` while nobody listens.
        var run: Int?
        var next = 0
        var stop: AsyncStream<Never>.Continuation?
    }

    private let state = Locked(State())
    /// Held while the watch begins, so that nobody else returns a stream before it has begun. A store's
    /// `changes()` does not call back.
    private let beginning = Locked(())
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
    func listen(to partition: String) -> AsyncStream<StoreKey> {
        beginning.withLock { _ in listenAlone(to: partition) }
    }

    private func listenAlone(to partition: String) -> AsyncStream<StoreKey> {
        let (feed, run) = state.withLock { state -> (ChangeFeed, Int?) in
            state.feeds[partition, default: Feed()].listeners += 1
            let feed = state.feeds[partition]?.feed ?? ChangeFeed()
            guard state.run == nil else { return (feed, nil) }
            state.next += 1
            state.run = state.next
            return (feed, state.next)
        }
        let stream = feed.listen { [weak self] in self?.left(partition) }
        if let run { begin(run) }
        return stream
    }

    private func begin(_ run: Int) {
        // From here on nothing is missed.
        let changes = inner.changes()
        let (signal, stop) = AsyncStream<Never>.makeStream()
        let isCurrent = state.withLock { state in
            guard state.run == run else { return false }
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

    private func left(_ partition: String) {
        let stop = state.withLock { state -> AsyncStream<Never>.Continuation? in
            state.feeds[partition]?.listeners -= 1
            if state.feeds[partition]?.listeners == 0 { state.feeds[partition] = nil }
            guard state.feeds.isEmpty else { return nil }
            defer { (state.run, state.stop) = (nil, nil) }
            return state.stop
        }
        stop?.finish()
    }

    /// The inner store's stream ended: every listener lists its keys and listens again.
    private func ended(_ run: Int) {
        let feeds = state.withLock { state -> [ChangeFeed] in
            guard state.run == run else { return [] }
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
        // What cannot be read now is told of when it can.
        do { stored = try await inner.read(key) } catch { return }
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
        let feed = state.withLock { $0.feeds.removeValue(forKey: partition)?.feed }
        feed?.finish()
    }
}
