import FoundationEssentials
public import Latchkey
import LatchkeyPluginKit

/// Damaged records that were set aside. They hold what the record held, so tokens too, which may still be valid.
extension FileStore {
    /// The most that are kept: the newest ones. The next one that is set aside removes the others.
    public static let mostSetAside = 8
    /// How long one is kept, in seconds: 30 days. The next one that is set aside removes those that are older.
    public static let longestSetAside = 30.0 * 86_400

    private static let mark = "\(RecordWire.suffix).damaged-"

    /// Returns the names of the records that were set aside, the oldest first.
    public func setAsideFiles() throws -> [String] {
        guard let place = try opened() else { return [] }
        return try setAside(in: place).map(\.name)
    }

    /// Returns what can still be read of the records that were set aside: of each whose header is whole, its key and the
    /// bytes that it had, or that are left of them. They are not what was stored, so use them only to end what they hold.
    public func remainsSetAside() throws -> [(key: StoreKey, bytes: [UInt8])] {
        guard let place = try opened() else { return [] }
        return try setAside(in: place).compactMap { name, _ in
            let bytes = try disk(.read, at: path(name)) {
                try place.files.read(name, limit: RecordWire.headerLimit + RecordWire.payloadLimit)
            }
            return bytes.flatMap { RecordWire.remains(of: $0) }
        }
    }

    /// Removes the records that were set aside, and what writers left that died.
    ///
    /// - Parameter ofAbsent: Whether to keep those whose key has a record again.
    /// - Returns: How many records were removed.
    @discardableResult
    public func removeSetAside(ofAbsent: Bool = false) async throws -> Int {
        guard let place = try opened(), try !setAside(in: place).isEmpty else { return 0 }
        return try await committing(in: place) { place, _ in
            var removed = 0
            for (name, _) in try setAside(in: place) {
                if ofAbsent, try hasRecord(of: name, in: place) { continue }
                try disk(.write, at: path(name)) { try place.files.remove(name) }
                removed += 1
            }
            try syncNames(in: place)
            return removed
        }
    }

    /// Removes what is too old, and what is more than is kept.
    func pruneSetAside(in place: TrustedDirectory) throws {
        let found = try setAside(in: place)
        let oldest = Int64((context.clock.wall().timeIntervalSince1970 - Self.longestSetAside) * 1_000)
        for (index, entry) in found.enumerated()
        where entry.milliseconds < oldest || index < found.count - Self.mostSetAside {
            try disk(.write, at: path(entry.name)) { try place.files.remove(entry.name) }
        }
    }

    private func setAside(in place: TrustedDirectory) throws -> [(name: String, milliseconds: Int64)] {
        try disk(.read, at: directory) { try place.files.list(".") }.compactMap {
            name -> (name: String, milliseconds: Int64)? in
            guard let found = name.firstRange(of: Self.mark) else { return nil }
            return (name, Int64(name[found.upperBound...]) ?? 0)
        }.sorted { ($0.milliseconds, $0.name) < ($1.milliseconds, $1.name) }
    }

    private func hasRecord(of name: String, in place: TrustedDirectory) throws -> Bool {
        guard let found = name.firstRange(of: ".damaged-") else { return false }
        let record = String(name[..<found.lowerBound])
        return try disk(.read, at: path(record)) { try place.files.status(record) } != nil
    }
}
