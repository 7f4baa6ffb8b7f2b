import Latchkey
import LatchkeyFileStore
import LatchkeySystem

/// What protects, taken out: no lane, no compare-and-swap. Reads a session once and then uses its own copy; writes over
/// whatever is there. So do programs that keep their tokens in a file and know of nobody else.
final class LooseStore: SessionStore {
    private let shared: FileStore
    private let copies = Locked<[StoreKey: StoredRecord]>([:])

    init(_ shared: FileStore) { self.shared = shared }

    /// From now on, reads anew.
    func forget() { copies.withLock { $0 = [:] } }

    func read(_ key: StoreKey) throws -> StoredRecord? {
        if let copy = copies.withLock({ $0[key] }) { return copy }
        let record = try shared.read(key)
        copies.withLock { $0[key] = record }
        return record
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        while true {
            do {
                let written = try await shared.replace(key, at: try shared.read(key)?.version, with: bytes)
                copies.withLock { copies in
                    copies[key] = written.flatMap { version in
                        bytes.map { StoredRecord(bytes: $0, version: version) }
                    }
                }
                return written
            } catch is StoreConflict {
                continue
            }
        }
    }

    func keys(_ kind: StoreKey.Kind) throws -> [StoreKey] { try shared.keys(kind) }
}
