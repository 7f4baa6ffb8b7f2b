import Latchkey

/// All records of one partition, as they are stored under one key of the inner store.
///
/// A list of a partition's records is then one read, however many partitions there are, and a change of one record is
/// one commit. The commits are counted, so that a watcher knows what changed since.
struct PartitionBundle: Sendable {
    struct Entry: Sendable {
        var bytes: [UInt8]
        /// The commit that wrote it.
        var commit: UInt64
        /// Random, so that a version is not used again even after the whole partition was erased.
        var mark: [UInt8]

        var version: RecordVersion {
            RecordVersion(withUnsafeBytes(of: commit.bigEndian) { Array($0) } + mark)
        }

        var record: StoredRecord { StoredRecord(bytes: bytes, version: version) }
    }

    /// The most deletions that are remembered for watchers.
    static let goneLimit = 64
    static let markLength = 8

    private(set) var commits: UInt64 = 0
    private(set) var entries: [StoreKey: Entry] = [:]
    /// The latest deletions, each with its commit.
    private(set) var gone: [(key: StoreKey, commit: UInt64)] = []
    /// The last commit whose deletion is not remembered any more.
    private(set) var forgotten: UInt64 = 0

    init() {}

    mutating func put(_ bytes: [UInt8]?, under key: StoreKey, mark: [UInt8]) {
        commits += 1
        gone.removeAll { $0.key == key }
        guard let bytes else {
            entries[key] = nil
            gone.append((key, commits))
            if gone.count > Self.goneLimit { forgotten = gone.removeFirst().commit }
            return
        }
        entries[key] = Entry(bytes: bytes, commit: commits, mark: mark)
    }

    /// The keys that changed after `commit`, the latest first; `nil` if that is not known any more.
    func changes(since commit: UInt64) -> [StoreKey]? {
        guard commit >= forgotten, commit <= commits else { return nil }
        let changed = entries.map { (key: $0.key, commit: $0.value.commit) } + gone
        return changed.filter { $0.commit > commit }.sorted { $0.commit > $1.commit }.map(\.key)
    }
}

// MARK: Wire

extension PartitionBundle {
    private static let magic = Array("latchkey partition 1\n".utf8)

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(commits)
        bytes.append(forgotten)
        bytes.append(UInt64(entries.count))
        for (key, entry) in entries.sorted(by: { $0.value.commit < $1.value.commit }) {
            bytes.append(key)
            bytes.append(entry.commit)
            bytes += entry.mark
            bytes.append(block: entry.bytes)
        }
        bytes.append(UInt64(gone.count))
        for (key, commit) in gone {
            bytes.append(key)
            bytes.append(commit)
        }
        return bytes
    }

    /// - Throws: ``/Latchkey/AuthError`` `store(.damaged)`.
    init(_ bytes: [UInt8]) throws(AuthError) {
        guard bytes.starts(with: Self.magic) else { throw Self.damaged }
        var reader = PartitionReader(rest: bytes.dropFirst(Self.magic.count))
        commits = try reader.number()
        forgotten = try reader.number()
        for _ in 0..<(try reader.number()) {
            let (key, commit) = (try reader.key(), try reader.number())
            entries[key] = Entry(
                bytes: [], commit: commit, mark: Array(try reader.take(Self.markLength)))
            entries[key]?.bytes = Array(try reader.block())
        }
        for _ in 0..<(try reader.number()) { gone.append((try reader.key(), try reader.number())) }
        guard reader.rest.isEmpty else { throw Self.damaged }
    }

    static let damaged = AuthError(.store(.damaged), "A partition's record is not one that this version has written.")
}

extension [UInt8] {
    fileprivate mutating func append(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    fileprivate mutating func append(block: [UInt8]) {
        append(UInt64(block.count))
        self += block
    }

    fileprivate mutating func append(_ key: StoreKey) {
        append(block: Array(key.kind.rawValue.utf8))
        append(block: Array(key.name.utf8))
    }
}

/// Reads what ``PartitionBundle/bytes`` wrote, and nothing beyond its end.
private struct PartitionReader {
    var rest: ArraySlice<UInt8>

    mutating func take(_ count: Int) throws(AuthError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw PartitionBundle.damaged }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number() throws(AuthError) -> UInt64 { try take(8).reduce(0) { $0 << 8 | UInt64($1) } }

    mutating func block() throws(AuthError) -> ArraySlice<UInt8> { try take(Int(exactly: try number()) ?? -1) }

    mutating func key() throws(AuthError) -> StoreKey {
        guard let kind = StoreKey.Kind(rawValue: String(decoding: try block(), as: UTF8.self)),
            let name = String(validating: try block(), as: UTF8.self)
        else { throw PartitionBundle.damaged }
        return StoreKey(kind, name)
    }
}
