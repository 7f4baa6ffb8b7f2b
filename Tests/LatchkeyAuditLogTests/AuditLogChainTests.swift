import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyAuditLog

@Suite("Security log: tampering")
struct AuditLogChainTests {
    let scene = Scene()

    /// What somebody can do to a line who can write to the file.
    enum Deed: String, CaseIterable {
        case turnedBit, removed, doubled, copiedToEnd, exchanged, cutOffFromHere, emptied, halved, inserted

        /// The file after it was done to the line at `index`; `nil` if it cannot be done there.
        func done(to lines: [[UInt8]], at index: Int, _ random: inout SplitMix) -> [UInt8]? {
            var lines = lines
            switch self {
            case .turnedBit: lines[index][random.below(lines[index].count)] ^= UInt8(1 << random.below(8))
            case .removed: lines.remove(at: index)
            case .doubled: lines.insert(lines[index], at: index)
            case .copiedToEnd: lines.append(lines[index])
            case .exchanged:
                guard index + 1 < lines.count else { return nil }
                lines.swapAt(index, index + 1)
            case .cutOffFromHere: lines.removeSubrange(index...)
            case .emptied: lines[index] = []
            case .halved: lines[index].removeLast(lines[index].count / 2)
            case .inserted: lines.insert(Array(#"{"kind":"event","n":1,"mac":"00"}"#.utf8), at: index)
            }
            return lines.flatMap { $0 + [0x0A] }
        }
    }

    @Test("is found at every line, whatever is done to it", .law(17), arguments: Deed.allCases)
    func every(deed: Deed) async throws {
        let log = scene.log()
        try await scene.fill(log, 40)
        let lines = try scene.lines()
        var random = SplitMix(seed: 24)
        for index in lines.indices {
            guard let bytes = deed.done(to: lines, at: index, &random) else { continue }
            try scene.disk.put(Scene.file, bytes)
            #expect(try await !log.verify().isWhole, "\(deed) at line \(index + 1)")
        }
        try scene.put(lines)
        #expect(try await log.verify().isWhole)
    }

    @Test("is still told after the log has gone on, also of the last line", arguments: Deed.allCases)
    func afterwards(deed: Deed) async throws {
        var random = SplitMix(seed: 24)
        for index in 0...6 {
            let scene = Scene()
            let log = scene.log()
            try await scene.fill(log, 6)
            guard let bytes = deed.done(to: try scene.lines(), at: index, &random) else { continue }
            try scene.disk.put(Scene.file, bytes)
            try await scene.fill(log, 3)
            let report = try await log.verify()
            #expect(!report.isWhole, "\(deed) at line \(index + 1)")
            #expect(report.last >= 9, "\(deed) at line \(index + 1): numbers are never given twice")
        }
    }

    @Test("names the place: a changed line, missing lines, a moved line, a cut end, a missing beginning")
    func places() async throws {
        let log = scene.log()
        try await scene.fill(log, 6)
        let lines = try scene.lines()
        var changed = lines
        changed[3][20] ^= 1
        let rows: [([[UInt8]], [AuditReport.Finding])] = [
            (changed, [.altered(line: 4)]),
            (Array(lines[..<3] + lines[5...]), [.missing(after: 2, count: 2)]),
            (lines + [lines[2]], [.disordered(line: 8)]),
            (Array(lines[..<5]), [.cutOff(count: 2)]),
            (Array(lines[..<6]) + [[0x7B]], [.altered(line: 7)]),
            (Array(lines[1...]), [.noStart]),
            ([], [.cutOff(count: 6)]),
        ]
        for (lines, findings) in rows {
            try scene.put(lines)
            #expect(try await log.verify().findings == findings)
        }
    }

    @Test("a head that is gone, changed, or another log's is found") func head() async throws {
        let log = scene.log()
        try await scene.fill(log, 3)
        let head = try #require(try scene.disk.content(Scene.head))
        let other = Scene()
        try await other.fill(other.log(seed: 2), 3)
        for bytes in [
            nil, [], head.dropLast(), head.map { $0 == 0x33 ? 0x32 : $0 }, try other.disk.content(Scene.head),
        ]
            as [[UInt8]?]
        {
            if let bytes { try scene.disk.put(Scene.head, bytes) } else { try scene.disk.take(Scene.head) }
            #expect(try await log.verify().findings.contains(.noHead))
        }
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify().findings == [.reported(count: 0)])
    }

    @Test("a log that was removed is told, and the numbers go on") func removed() async throws {
        let log = scene.log()
        try await scene.fill(log, 3)
        try scene.disk.take(Scene.file)
        #expect(try await log.verify().findings == [.cutOff(count: 3)])
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify() == AuditReport(findings: [.earlier(count: 1)], lines: 2, last: 4))
        try scene.disk.take(Scene.file)
        try scene.disk.take(Scene.head)
        #expect(try await !log.verify().isWhole)
        try await log.record(AuditEvent(.suspicion))
        #expect(try await !log.verify().isWhole)
    }

    @Test("a line of another log, and an older copy of the file, are found") func foreign() async throws {
        let log = scene.log()
        try await scene.fill(log, 3)
        let older = try scene.lines()
        try await scene.fill(log, 3)
        let other = Scene()
        try await other.fill(other.log(seed: 2), 8)
        try scene.put(try scene.lines() + [try other.lines()[7]])
        #expect(try await log.verify().findings == [.altered(line: 8)])
        try scene.put(older)
        #expect(try await log.verify().findings == [.cutOff(count: 3)])
    }

    @Test("a line of another history of the same log, with the right number, is found", .law(17))
    func otherHistory() async throws {
        let log = scene.log()
        try await scene.fill(log, 3)
        let before = try [Scene.file, Scene.head].map { ($0, try #require(try scene.disk.content($0))) }
        try await log.record(AuditEvent(.accessGranted, of: scene.ada))
        let other = try scene.lines()[4]
        for (path, content) in before { try scene.disk.put(path, content) }
        try await log.record(AuditEvent(.accessWithdrawn, of: scene.ada))
        try await log.record(AuditEvent(.suspicion))
        var lines = try scene.lines()
        lines[4] = other
        try scene.put(lines)
        #expect(try await log.verify().findings == [.disordered(line: 6), .cutOff(count: 1)])
    }

    @Test("any bytes at all are read without a crash, and none of them pass for a line") func noise() async throws {
        let log = scene.log()
        try await scene.fill(log, 1)
        var random = SplitMix(seed: 7)
        for size in 0..<200 {
            try scene.disk.put(Scene.file, (0..<size).map { _ in UInt8(random.below(256)) } + [0x0A])
            #expect(try await !log.verify().isWhole)
            #expect(try await log.entries().isEmpty)
        }
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.entries().map(\.kind) == [.broken, .event])
    }
}
