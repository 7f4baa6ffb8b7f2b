import Latchkey
import LatchkeyAuditLog
import LatchkeyTesting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Lets processes write into one log, kills them at random instants, and looks at what they leave.
///
/// Every hundred kills a new log begins. In three of four, nothing may go, so every acknowledged line must be there at
/// the end. In the fourth the limit is small, so that processes also die while old lines are taken out; there, no
/// look may find anything, and the file must stay within its limit.
final class Run {
    private static let killsPerLog = 100
    /// How long a process may live after its first word, in microseconds.
    private static let span = 120_000
    private static let small = 65_536
    private static let large = 32 << 20

    private let directory: String
    private let processes: Int
    private let kills: Int
    private let lines: Int
    private var random: SplitMix
    private let herd = Herd()
    private var last = 0
    private var figures = Figures()

    struct Figures {
        var kills = 0
        var midway = 0
        var acknowledged = 0
        var failed = 0
        var torn = 0
        var lost = 0
        var halves = 0
        var lines = 0
        var words: [String] = []
    }

    init?(_ words: [String]) {
        guard words.count == 5, words[0].first == "/", let processes = Int(words[1]), let kills = Int(words[2]),
            let lines = Int(words[3]), let seed = UInt64(words[4]), processes > 0, kills > 0, lines > 1
        else { return nil }
        (directory, self.processes, self.kills, self.lines) = (words[0], processes, kills, lines)
        random = SplitMix(seed: seed)
    }

    func run() async throws -> Bool {
        var logs = 0
        while figures.kills < kills {
            logs += 1
            try await one("\(directory)/log-\(logs)", bytes: logs % 4 == 0 ? Self.small : Self.large)
        }
        let tampering = try await Tampering(of: lines, in: "\(directory)/tampering", &random).run()
        for word in figures.words + tampering.words { say("  \(word)") }
        say(
            "  logs=\(logs) midway=\(figures.midway) acknowledged=\(figures.acknowledged) failed=\(figures.failed)"
                + " lines=\(figures.lines) half_lines=\(figures.halves)")
        say(
            "audit: processes=\(processes) kills=\(figures.kills) torn=\(figures.torn)"
                + " acknowledged_lost=\(figures.lost) tampering_found=\(tampering.found)/\(tampering.tried)")
        return figures.torn == 0 && figures.lost == 0 && figures.words.isEmpty && tampering.found == tampering.tried
    }

    /// Runs over one log until its share of kills is done.
    private func one(_ place: String, bytes: Int) async throws {
        let log = AuditLog(at: place, limits: AuditLog.Limits(bytes: bytes))
        var acknowledged: [AccountID] = []
        var open: Set<Int> = []
        var deaths: [Int: Int64] = [:]
        var living = 0
        let end = min(figures.kills + Self.killsPerLog, kills)
        while figures.kills < end || living > 0 {
            while living < processes, figures.kills + living < end {
                last += 1
                living += 1
                herd.start(last, place, bytes: bytes)
            }
            func hear() {
                for word in herd.words() {
                    switch word.letter {
                    case "r": deaths[word.writer] = Self.now() + Int64(random.below(Self.span)) * 1_000
                    case "i": open.insert(word.writer)
                    case "a":
                        open.remove(word.writer)
                        acknowledged.append(Writer.person(word.writer, word.count))
                    default:
                        open.remove(word.writer)
                        figures.failed += 1
                        figures.words.append("a line failed: \(word.code ?? "")")
                    }
                }
            }
            hear()
            let now = Self.now()
            for (number, instant) in deaths where instant <= now {
                deaths[number] = nil
                herd.strike(number)
                hear()
                figures.kills += 1
                living -= 1
                if open.remove(number) != nil { figures.midway += 1 }
                if figures.kills % 10 == 0 { try await look(log, place) }
            }
        }
        try await look(log, place)
        try await settle(log, acknowledged, all: bytes == Self.large)
    }

    /// Whether what is there now is whole.
    private func look(_ log: AuditLog, _ place: String) async throws {
        let report = try await log.verify()
        figures.halves += report.tornBytes > 0 ? 1 : 0
        guard !report.isWhole else { return }
        figures.torn += 1
        figures.words.append("\(place): \(report.findings)")
    }

    /// Whether every acknowledged line is there, and the next one can be written behind half a line.
    private func settle(_ log: AuditLog, _ acknowledged: [AccountID], all: Bool) async throws {
        // A kill leaves half a line only where the kernel takes a write in two, which it hardly ever does.
        let whole = try await log.export()
        try put(whole + whole.dropLast(random.below(200) + 1).suffix(200).filter { $0 != 0x0A }, in: log)
        try await look(log, log.directory)
        try await log.record(AuditEvent(.suspicion))
        let report = try await log.verify()
        if !report.isWhole || report.tornBytes > 0 { figures.torn += 1 }
        figures.lines += report.lines
        figures.acknowledged += acknowledged.count
        guard all else {
            let size = try await log.export().count
            if size > log.limits.bytes { figures.words.append("\(log.directory) has \(size) bytes") }
            return
        }
        let found = Set(try await log.entries().compactMap(\.account))
        for person in acknowledged {
            guard let name = try await log.identifier(of: person), found.contains(name) else {
                figures.lost += 1
                continue
            }
        }
    }

    private func put(_ bytes: [UInt8], in log: AuditLog) throws {
        let files = SystemFiles()
        try files.remove("\(log.directory)/audit.jsonl")
        try files.writeNew("\(log.directory)/audit.jsonl", bytes)
    }

    private static func now() -> Int64 { PluginContext.system.clock.now().nanoseconds }
}
