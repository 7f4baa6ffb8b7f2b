public import Latchkey
import LatchkeyLocked

/// What tells the readers of one store's changes: one watch on the directory, while anybody listens.
final class FileStoreWatch: Sendable {
    private struct State {
        var watch: (any DirectoryWatch)?
        var readers = 0
        /// Whose file is whose, as far as this process has met them: what is deleted cannot tell any more.
        var keys: [String: StoreKey] = [:]
    }

    private let state = Locked(State())
    private let feed = ChangeFeed()
    private let directory: String
    private let files: any FileAccess

    init(_ directory: String, _ files: any FileAccess) {
        self.directory = directory
        self.files = files
    }

    deinit { state.withLock { $0.watch }?.end() }

    /// The keys that change from now on; it ends at once where the disk does not tell.
    func listen() -> AsyncStream<StoreKey> {
        state.withLock { $0.readers += 1 }
        let stream = feed.listen { self.leave() }
        let isWatched = state.withLock { state -> Bool in
            if state.watch == nil, let files = files as? any WatchingFiles {
                state.watch = try? files.watch(directory) { [weak self] in self?.note($0) }
            }
            return state.watch != nil
        }
        if !isWatched { feed.finish() }
        return stream
    }

    /// Remembers whose file this is. Costs nothing while nobody listens.
    func meet(_ key: StoreKey, in file: String) {
        state.withLock { state in
            if state.readers > 0 { state.keys[file] = key }
        }
    }

    private func leave() {
        let watch = state.withLock { state -> (any DirectoryWatch)? in
            state.readers -= 1
            guard state.readers == 0 else { return nil }
            state.keys = [:]
            defer { state.watch = nil }
            return state.watch
        }
        watch?.end()
    }

    private func note(_ change: DirectoryChange) {
        switch change {
        case .name(let file): tell(file)
        case .everything:
            let present = Set((try? opened()?.files.list(".")) ?? [])
            for file in present.union(state.withLock { $0.keys.keys }) { tell(file) }
        case .ended:
            state.withLock { $0.watch = nil }
            feed.finish()
        }
    }

    private func opened() throws -> TrustedDirectory? { try TrustedDirectory.open(directory, .own, in: files) }

    /// Tells of the key whose file this is. Temporary files, locks and what editors leave are no records.
    private func tell(_ file: String) {
        guard file.hasSuffix(RecordWire.suffix), !file.hasPrefix(".") else { return }
        let place = try? opened()
        if let key = state.withLock({ $0.keys[file] }) {
            if (try? place?.files.status(file)) == .some(nil) {
                state.withLock { _ = $0.keys.removeValue(forKey: file) }
            }
            return feed.tell(key)
        }
        let path = "\(directory)/\(file)"
        let limit = RecordWire.headerLimit + RecordWire.payloadLimit
        guard let bytes = try? place?.files.read(file, limit: limit, if: { try RecordCheck.run($0, at: path) }),
            let key = try? RecordWire(bytes, at: path).key, RecordWire.stem(of: key) + RecordWire.suffix == file
        else { return }
        meet(key, in: file)
        feed.tell(key)
    }
}

#if os(Linux)
    extension FileStore: WatchableStore {
        /// The keys whose files change from now on, whoever changes them. The directory may be made later, or removed
        /// and made again. Of a deletion it is told where this store has met the key since somebody listens: listed,
        /// read or written it.
        ///
        /// The stream ends at once on a disk that does not tell, or where the system has no watch left.
        public func changes() -> AsyncStream<StoreKey> { watch.listen() }
    }
#endif
