public import Latchkey
import LatchkeyJSON
import LatchkeySystem

extension AuditLog {
    /// Erases every line in which the person is. A line in their place says how many, and not whose. The lines behind
    /// are chained anew, so that nothing in the file depends on what was erased.
    ///
    /// What the client told before is written first. Another process may have events that wait; erase again once they
    /// are written. Lines that were not written with the installation's key go too, and are counted as
    /// ``AuditReport/Finding/earlier(count:)``.
    ///
    /// - Returns: How many lines were erased.
    /// - Throws: As ``record(_:)``. Then either nothing was erased, or everything.
    @discardableResult
    public func erase(_ account: AccountID) async throws -> Int {
        try await reading { folder, keys in
            try writePending(to: folder, keys)
            let person = keys.identifier(.person, account.value)
            let tail = try LogTail(of: folder, keys)
            let check = ChainCheck(tail.bytes, upTo: tail.end, keys)
            let count = check.lines.count { $0.line?.isAbout(person) == true }
            guard count > 0 else { return 0 }
            // Damage at the end is written down first; otherwise the new chain would hide it.
            if tail.repair != nil { try write([], dropped: 0, to: folder, keys) }
            try rewrite(without: person, in: folder, keys)
            return count
        } ?? 0
    }

    /// Erases every line, what waits to be written, and the key with which persons were hashed. The log begins again
    /// with a line that says so. This is also the way out if the key is damaged or gone.
    ///
    /// - Throws: As ``record(_:)``. If it could not be finished, the next user of the log finishes it.
    public func eraseAll() async throws {
        guard let place = try TrustedDirectory.open(directory, .own, in: context.files) else { return }
        try await locked(place) { folder in
            pending.withLock { $0 = Pending(isWriting: $0.isWriting) }
            try folder.eraseAll()
        }
    }

    private func rewrite(without person: String, in folder: AuditFolder, _ keys: AuditKeys) throws {
        let tail = try LogTail(of: folder, keys)
        let check = ChainCheck(tail.bytes, upTo: tail.end, keys)
        var chain = Rechaining(check, keys, now: LogTime.Reading(context.clock), age: limits.age)
        for found in check.lines where found.isInPlace {
            guard let line = found.line, line.kind != .start else { continue }
            if line.isAbout(person) { chain.erase(line) } else { chain.keep(line) }
        }
        let new = chain.finished()
        // The head knows both chains until the new file is in place, because a process may die in between.
        let both = AuditHead(number: tail.number, chain: tail.chain, next: new.chain)
        try folder.replace(AuditFolder.head, with: both.bytes(keys))
        try folder.sync()
        try folder.replace(AuditFolder.log, with: new.bytes)
        try folder.sync()
        try folder.replace(AuditFolder.head, with: AuditHead(number: new.number, chain: new.chain).bytes(keys))
    }
}

extension AuditLine {
    fileprivate func isAbout(_ person: String) -> Bool {
        self["account"]?.string == person || self["actor"]?.string == person
    }
}

/// Writes the lines of a log again, with some of them erased.
private struct Rechaining {
    private var composer: LineComposer
    /// The lines that were erased since the last one that stays.
    private var erased: (first: Int64, last: Int64, count: Int64, moment: LogTime)?

    init(_ check: ChainCheck, _ keys: AuditKeys, now: LogTime.Reading, age: Duration) {
        let lines = check.lines.filter(\.isInPlace).compactMap(\.line)
        let start = lines.first { $0.kind == .start }
        let first = lines.first { $0.kind != .start }
        let number = start?.number ?? (first?.number ?? 1) - 1
        composer = LineComposer(after: number, chain: AuditLine.nothing, keys)
        let last = lines.last?.moment
        composer.start(
            at: LogTime(now, after: last, age: age, keys),
            why: start?["why"]?.string.flatMap(StartReason.init(rawValue:)) ?? .aged,
            continues: nil, faults: check.weight - lines.reduce(0) { $0 + ($1.kind == .broken ? 1 : 0) })
    }

    mutating func keep(_ line: AuditLine) {
        close()
        fill(before: line["from"]?.integer ?? line.number, at: line.moment)
        composer.rechain(line)
    }

    mutating func erase(_ line: AuditLine) {
        if let found = erased, line.number == found.last + 1 {
            erased = (found.first, line.number, found.count + 1, line.moment)
        } else {
            close()
            fill(before: line.number, at: line.moment)
            erased = (line.number, line.number, 1, line.moment)
        }
    }

    mutating func finished() -> LineComposer {
        close()
        return composer
    }

    private mutating func close() {
        guard let found = erased else { return }
        erased = nil
        let others: [String: JSON] = ["from": .integer(found.first), "count": .integer(found.count)]
        composer.add(.erased, found.last, at: found.moment.withoutTime, others)
    }

    /// Says that lines are missing before the one with this number.
    private mutating func fill(before number: Int64, at moment: LogTime) {
        let count = number - composer.number - 1
        if count > 0 { composer.add(.broken, number - 1, at: moment, ["count": .integer(count)]) }
    }
}

extension LogTime {
    /// The same without the wall clock, which would say when the person did something.
    fileprivate var withoutTime: LogTime { LogTime(at: at, up: up, boot: boot, wall: nil) }
}
