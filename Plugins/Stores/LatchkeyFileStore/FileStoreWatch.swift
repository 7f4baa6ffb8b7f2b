public import Latchkey
import LatchkeySystem

/// Tells readers of one store's changes, by one watch on the directory while there are readers.
final class FileStoreWatch: Sendable {
    private struct State {
        var watch: (any DirectoryWatch)?
        var readers = 0
        /// The key of each file that this process has met. A deleted file cannot tell its key any more.
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

    /// Returns the keys that change from now on.
    ///
    /// - Throws: `configuration(.unsupported)` if the disk does not report changes; `store(.unavailable)` if the system
    ///   has no watch left.
    func listen() throws(AuthError) -> AsyncStream<StoreKey> {
        guard let files = files as? any WatchingFiles else { throw AuthError.notWatched(directory) }
        state.withLock { $0.readers += 1 }
        let stream = feed.listen { self.leave() }
        do {
            try state.withLock { state in
                if state.watch == nil { state.watch = try files.watch(directory) { [weak self] in self?.note($0) } }
            }
        } catch { throw AuthError.notWatched(directory, error) }
        return stream
    }

    /// Remembers the key of a file. Costs nothing without readers.
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

    /// Reports the key of a file. Temporary files, locks and what editors leave behind are not records.
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
        guard let bytes = try? place?.files.read(file, limit: limit, if: { try PrivateFile.check($0, at: path) }),
            let key = try? RecordWire(bytes, at: path).key, RecordWire.stem(of: key) + RecordWire.suffix == file
        else { return }
        meet(key, in: file)
        feed.tell(key)
    }
}

#if os(Linux)
    extension FileStore: WatchableStore {
        /// Returns the keys whose files change from now on, in any process. The directory may be made later, or
        /// removed and made again. A deletion is reported only if this store has listed, read or written the key
        /// since the first reader began to listen.
        ///
        /// - Throws: ``/Latchkey/AuthError`` `configuration(.unsupported)` if the disk does not report changes;
        ///   `store(.unavailable)` if the system has no watch left.
        public func changes() throws -> AsyncStream<StoreKey> { try watch.listen() }
    }
#endif
