import Latchkey
import LatchkeyAuditLog
import LatchkeyTesting

/// Does to each line of a log what somebody could who can write to the file, and counts what is found.
struct Tampering {
    private(set) var tried = 0
    private(set) var found = 0
    private(set) var words: [String] = []
    private let log: AuditLog
    private var random: SplitMix
    private let files = SystemFiles()

    /// Writes a log of this many lines, its first one included.
    init(of lines: Int, in directory: String, _ random: inout SplitMix) async throws {
        log = AuditLog(at: directory)
        self.random = SplitMix(seed: random.next())
        for count in 1..<lines {
            let action = AuditEvent.Action.allCases[count % AuditEvent.Action.allCases.count]
            try await log.record(AuditEvent(action, of: AccountID("\(count)"), by: AccountID("0"), at: "oauth"))
        }
    }

    func run() async throws -> Tampering {
        var run = self
        let lines = try await log.export().split(separator: 0x0A).map(Array.init)
        for index in lines.indices {
            try await run.check("a bit of line \(index + 1) turned", run.turned(lines, index))
            try await run.check("line \(index + 1) removed", lines.without(index))
            try await run.check("line \(index + 1) put in twice", lines.inserting(lines[index], at: index))
            try await run.check("a copy of line \(index + 1) at the end", lines + [lines[index]])
            try await run.check("everything from line \(index + 1) on cut off", Array(lines[..<index]))
            guard index + 1 < lines.count else { continue }
            try await run.check("lines \(index + 1) and \(index + 2) exchanged", lines.exchanging(index, index + 1))
        }
        try await run.put(lines)
        guard try await log.verify().isWhole else {
            run.words.append("the log is not whole after it was put back")
            run.found = 0
            return run
        }
        return run
    }

    private mutating func turned(_ lines: [[UInt8]], _ index: Int) -> [[UInt8]] {
        var lines = lines
        lines[index][random.below(lines[index].count)] ^= UInt8(1 << random.below(8))
        return lines
    }

    private mutating func check(_ what: String, _ lines: [[UInt8]]) async throws {
        try await put(lines)
        tried += 1
        if try await log.verify().isWhole { words.append("not found: \(what)") } else { found += 1 }
    }

    private func put(_ lines: [[UInt8]]) async throws {
        let path = "\(log.directory)/audit.jsonl"
        try files.remove(path)
        try files.writeNew(path, lines.flatMap { $0 + [0x0A] })
    }
}

extension [[UInt8]] {
    fileprivate func without(_ index: Int) -> Self {
        var copy = self
        copy.remove(at: index)
        return copy
    }

    fileprivate func inserting(_ line: [UInt8], at index: Int) -> Self {
        var copy = self
        copy.insert(line, at: index)
        return copy
    }

    fileprivate func exchanging(_ one: Int, _ other: Int) -> Self {
        var copy = self
        copy.swapAt(one, other)
        return copy
    }
}
