import Latchkey
import LatchkeyJSON

extension AuditLog {
    /// Removes what is too old or too much, without adding a line.
    func compact(in folder: AuditFolder, _ keys: AuditKeys) throws {
        let tail = try LogTail(of: folder, keys)
        // Damage is for the next line to say.
        guard tail.repair == nil else { return }
        let now = LogTime(LogTime.Reading(context.clock), after: tail.moment, age: limits.age, keys)
        let age = now.at - (tail.oldest(keys)?.at ?? .max)
        guard tail.end > limits.bytes || age > limits.age.milliseconds else { return }
        let none = LineComposer(after: tail.number, chain: tail.chain, keys)
        try compact(tail, adding: none, at: now, in: folder, keys)
    }

    /// Replaces the file by one with fewer lines, and the new ones behind them. Its first line carries what the rest
    /// is chained on, so that the rest stays as it is.
    func compact(
        _ tail: LogTail, adding composer: LineComposer, at now: LogTime, in folder: AuditFolder, _ keys: AuditKeys
    ) throws {
        let check = ChainCheck(tail.bytes, upTo: tail.end, keys)
        let cut = firstKept(of: check.lines, of: tail, adding: composer.bytes.count, at: now)
        let kept = cut < check.lines.count ? check.lines[cut] : nil
        let end = kept.map(\.range.lowerBound) ?? tail.end
        // What was wrong with the lines that go must not be forgotten with them. The first that stays shows
        // whether any is missing right before it.
        let judged = kept?.line?.kind == .broken ? end : kept.map { $0.range.upperBound + 1 } ?? end
        let faults = ChainCheck(tail.bytes, upTo: judged, keys).weight
        let before = kept?.line.map { (number: ($0["from"]?.integer ?? $0.number) - 1, chain: $0.previous) }
        var start = LineComposer(after: before?.number ?? tail.number, chain: AuditLine.nothing, keys)
        start.start(at: now, why: .aged, continues: before?.chain ?? tail.chain, faults: faults)
        try folder.replace(AuditFolder.log, with: start.bytes + tail.bytes[end..<tail.end] + composer.bytes)
        try folder.sync()
    }

    /// The index of the first line that stays: written with this key, young enough, and with little enough behind it
    /// that some lines can follow before it must be done again.
    private func firstKept(
        of lines: [ChainCheck.Line], of tail: LogTail, adding count: Int, at now: LogTime
    ) -> Int {
        let size = tail.end + count
        let room = size > limits.bytes ? limits.bytes / 4 * 3 - Self.startSize : Int.max
        return lines.firstIndex { line in
            guard let found = line.line, found.kind != .start, line.isInPlace else { return false }
            return now.at - found.moment.at <= limits.age.milliseconds && size - line.range.lowerBound <= room
        } ?? lines.count
    }

    private static let startSize = 512
}
