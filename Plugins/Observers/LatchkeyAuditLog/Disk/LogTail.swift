import Latchkey
import LatchkeyJSON

/// Where the log ends, and what must be said before it goes on.
struct LogTail {
    enum Repair {
        /// The file is gone.
        case lost
        /// The log ends earlier than its note says; this many lines are missing.
        case broken(count: Int64)
    }

    /// The content of the file.
    var bytes: [UInt8]
    /// The end of the last whole line. What is behind it was never acknowledged.
    var end: Int
    /// The number of the last line, and what the next one chains on.
    var number: Int64
    var chain: String
    /// The moment of the last line.
    var moment: LogTime?
    var repair: Repair?

    /// Reads the end of the log.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `store(.newerVersion)`.
    init(of folder: AuditFolder, _ keys: AuditKeys) throws {
        bytes = try folder.read(AuditFolder.log) ?? []
        end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let head = try folder.read(AuditFolder.head).flatMap { AuditHead($0, keys) }
        (number, chain) = (head?.number ?? 0, head?.chain ?? AuditLine.nothing)
        guard end > 0 else {
            repair = .lost
            return
        }
        if let first = AuditLine(Self.lines(bytes, end).first { _ in true } ?? [], keys),
            let format = first["format"]?.integer,
            format > AuditLine.format
        {
            throw AuthError(.store(.newerVersion), "\(folder.path(AuditFolder.log)) has the newer format \(format)")
        }
        let found = Self.lastLine(bytes, end, keys)
        moment = found?.line.moment
        if let head, let found, found.isLast, head.number <= found.line.number, head.fits(found.line) {
            (number, chain) = (found.line.number, found.line.chain)
            return
        }
        let known = found?.line.number ?? 0
        repair = .broken(count: max(0, number - known))
        if known > number { number = known }
        if let found { chain = found.line.chain }
    }

    /// The moment of the oldest line that can go; `nil` if there is none.
    func oldest(_ keys: AuditKeys) -> LogTime? {
        for bytes in Self.lines(bytes, end) {
            guard let line = AuditLine(bytes, keys), line.kind != .start else { continue }
            return line.moment
        }
        return nil
    }

    private static func lines(_ bytes: [UInt8], _ end: Int) -> some Sequence<ArraySlice<UInt8>> {
        sequence(state: 0) { start -> ArraySlice<UInt8>? in
            guard start < end, let stop = bytes[start..<end].firstIndex(of: 0x0A) else { return nil }
            defer { start = stop + 1 }
            return bytes[start..<stop]
        }
    }

    /// The last line that was written with these keys, and whether no other one is behind it.
    private static func lastLine(_ bytes: [UInt8], _ end: Int, _ keys: AuditKeys) -> (line: AuditLine, isLast: Bool)? {
        var stop = end
        while stop > 0 {
            let start = bytes[..<(stop - 1)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            if let line = AuditLine(bytes[start..<(stop - 1)], keys) { return (line, stop == end) }
            stop = start
        }
        return nil
    }
}
