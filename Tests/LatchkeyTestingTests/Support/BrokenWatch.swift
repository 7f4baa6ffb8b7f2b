import Latchkey
import LatchkeyTesting

/// A store that tells of changes, and breaks exactly one promise.
final class BrokenWatch: WatchableStore {
    enum Fault: String, CaseIterable, Sendable {
        case silent, forgetsDeletions, oneReader, wrongKind, tellsReads, tellsLostCommits, startsLate

        /// The clause that must catch it.
        var clause: String {
            switch self {
            case .forgetsDeletions: "what the other instance makes, replaces and deletes is told"
            case .oneReader: "each reader is told of everything"
            case .wrongKind: "other keys are told by their own name"
            case .tellsReads, .tellsLostCommits: "reading, listing and a lost commit tell nothing"
            case .silent, .startsLate: "changes are told from the call on"
            }
        }
    }

    let fault: Fault?
    private let inner = MemoryStore()
    private let whispers = MemoryStore()

    init(_ fault: Fault?) { self.fault = fault }

    func read(_ key: StoreKey) throws -> StoredRecord? {
        if fault == .tellsReads { try whisper(key) }
        return try inner.read(key)
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        do {
            let new = try inner.replace(key, at: version, with: bytes)
            switch fault {
            case .silent: break
            case .forgetsDeletions where bytes == nil: break
            case .wrongKind: try whisper(StoreKey(.credential, key.name))
            default: try whisper(key)
            }
            return new
        } catch let conflict as StoreConflict {
            if fault == .tellsLostCommits { try whisper(key) }
            throw conflict
        }
    }

    func keys(_ kind: StoreKey.Kind) -> [StoreKey] { inner.keys(kind) }

    func changes() -> AsyncStream<StoreKey> {
        let changes = whispers.changes()
        switch fault {
        case .oneReader:
            let isFirst = readers.keys(.settings).isEmpty
            _ = try? readers.replace(StoreKey(.settings, "reader"), at: nil, with: [])
            return isFirst ? changes : AsyncStream { $0.finish() }
        case .startsLate:
            let late = Late(whispers)
            return AsyncStream(unfolding: { await late.next() })
        default: return changes
        }
    }

    private let readers = MemoryStore()

    private func whisper(_ key: StoreKey) throws {
        try whispers.replace(key, at: try whispers.read(key)?.version, with: [])
    }
}

/// Listens from the first reading on, and no earlier.
private actor Late {
    private let store: MemoryStore
    private var changes: AsyncStream<StoreKey>?

    init(_ store: MemoryStore) { self.store = store }

    func next() async -> StoreKey? {
        let changes = changes ?? store.changes()
        self.changes = changes
        for await key in changes { return key }
        return nil
    }
}
