public import Latchkey
import LatchkeySystem

/// Tells readers of one vault's changes, by one watch on the directory while there are readers. After each change
/// of the file it compares the records with the previous ones.
final class VaultWatch: Sendable {
    /// Reads the vault as it is now, and as it was in given bytes; both give `nil` while the vault is closed.
    struct Source: Sendable {
        var present: @Sendable () async -> VaultBody?
        var former: @Sendable ([UInt8]) async -> VaultBody?
    }

    private struct State {
        var watch: (any DirectoryWatch)?
        var readers = 0
        /// The records that readers know.
        var shown: VaultBody?
        /// The file from when the first reader began to listen, until it was read.
        var begun: [UInt8]?
        var isComparing = false
        var isDue = false
    }

    private let state = Locked(State())
    private let feed = ChangeFeed()
    private let directory: String
    private let context: PluginContext

    init(_ directory: String, _ context: PluginContext) {
        self.directory = directory
        self.context = context
    }

    deinit { state.withLock { $0.watch }?.end() }

    /// Returns the keys that change from now on.
    ///
    /// - Parameter file: The vault as it is now.
    /// - Throws: `configuration(.unsupported)` if the disk does not report changes; `store(.unavailable)` if the system
    ///   has no watch left.
    func listen(_ source: Source, from file: () -> [UInt8]?) throws(AuthError) -> AsyncStream<StoreKey> {
        guard let files = context.files as? any WatchingFiles else { throw AuthError.notWatched(directory) }
        state.withLock { $0.readers += 1 }
        let stream = feed.listen { self.leave() }
        do {
            try state.withLock { state in
                guard state.watch == nil else { return }
                state.watch = try files.watch(directory) { [weak self] in self?.note($0, source) }
                // Read after the watch began, so that no change is missed in between.
                (state.shown, state.begun) = (nil, file())
            }
        } catch { throw AuthError.notWatched(directory, error) }
        return stream
    }

    private func leave() {
        let watch = state.withLock { state -> (any DirectoryWatch)? in
            state.readers -= 1
            guard state.readers == 0 else { return nil }
            defer { (state.watch, state.shown, state.begun) = (nil, nil, nil) }
            return state.watch
        }
        watch?.end()
    }

    private func note(_ change: DirectoryChange, _ source: Source) {
        switch change {
        case .name(let file) where file != EncryptedFileStore.vaultName: break
        case .name, .everything:
            let isFirst = state.withLock { state in
                state.isDue = true
                defer { state.isComparing = true }
                return !state.isComparing
            }
            if isFirst { context.start("vault") { await self.compare(source) } }
        case .ended:
            state.withLock { $0.watch = nil }
            feed.finish()
        }
    }

    private func compare(_ source: Source) async {
        while let begun = state.withLock({ state -> [UInt8]?? in
            state.isComparing = state.isDue
            guard state.isDue else { return nil }
            state.isDue = false
            return .some(state.shown == nil ? state.begun : nil)
        }) {
            // A closed vault reports nothing: its user reads it anew after opening it.
            guard let present = await source.present() else { continue }
            var shown = state.withLock { $0.shown }
            if shown == nil, let begun { shown = await source.former(begun) }
            let names = Set(present.records.keys).union((shown ?? VaultBody()).records.keys)
            state.withLock { ($0.shown, $0.begun) = (present, nil) }
            for name in names where present.records[name]?.number != shown?.records[name]?.number {
                if let key = VaultBody.key(named: name) { feed.tell(key) }
            }
        }
    }
}

#if os(Linux)
    extension EncryptedFileStore: WatchableStore {
        /// Returns the keys of the records that change from now on, in any process, while the vault is open.
        /// Changes from when it was closed are reported only with the next change, so read the vault anew when you
        /// open it.
        ///
        /// - Throws: ``/Latchkey/AuthError`` `configuration(.unsupported)` if the disk does not report changes;
        ///   `store(.unavailable)` if the system has no watch left.
        public func changes() throws -> AsyncStream<StoreKey> {
            let source = VaultWatch.Source(
                present: { [weak self] in
                    guard let self, let place = try? opened() else { return nil }
                    return try? await loaded(in: place).body
                },
                former: { [keeper] bytes in
                    guard let records = try? await keeper.unseal(bytes) else { return nil }
                    return try? VaultBody(records)
                })
            return try watch.listen(source) { (try? opened()).flatMap { $0 }.flatMap { try? file(in: $0) } }
        }
    }
#endif
