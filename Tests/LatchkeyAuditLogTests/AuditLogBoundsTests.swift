import FoundationEssentials
import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyAuditLog

@Suite("Security log: age, size and clocks")
struct AuditLogBoundsTests {
    let scene = Scene()
    static let day = Duration.seconds(86_400)

    @Test("limits that are too small become the smallest") func smallest() {
        let limits = AuditLog.Limits(age: .zero, bytes: 0)
        #expect(limits.age == .seconds(60) && limits.bytes == 65_536)
        #expect(AuditLog.Limits().age == .seconds(7_776_000) && AuditLog.Limits().bytes == 1_048_576)
    }

    @Test("the file never grows beyond its limit, the newest lines stay, and what stays is whole", .law(17))
    func size() async throws {
        let log = scene.log(limits: .init(bytes: 65_536))
        var (most, last, least) = (0, 0, Int.max)
        for count in 1...600 {
            try await log.record(AuditEvent(.accessGranted, of: scene.ada))
            let size = try #require(try scene.disk.content(Scene.file)).count
            if size < last { least = min(least, size) }
            (most, last) = (max(most, size), size)
            if count % 50 == 0 { #expect(try await log.verify().isWhole, "\(count)") }
        }
        #expect(most <= 65_536 && most > 60_000 && least > 46_000 && least < most, "\(least)...\(most)")
        let entries = try await log.entries()
        #expect(entries.first?.kind == .start && entries.last?.number == 600)
        #expect(entries.dropFirst().first.map { $0.number > 400 && $0.number < 500 } == true)
    }

    @Test("a line goes when it is older than the limit, not before, and the rest stays whole", .law(17), .need("N15"))
    func age() async throws {
        let log = scene.log()
        try await log.record(AuditEvent(.suspicion, of: scene.ada))
        scene.clock.advance(by: Self.day * 60)
        try await log.record(AuditEvent(.suspicion, of: scene.bob))
        scene.clock.advance(by: Self.day * 30)
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.entries().map(\.number) == [0, 1, 2, 3])
        scene.clock.advance(by: .seconds(1))
        try await log.trim()
        #expect(try await log.entries().map(\.number) == [1, 2, 3])
        #expect(try await log.verify() == AuditReport(lines: 3, last: 3))
        scene.clock.advance(by: Self.day * 91)
        try await log.trim()
        #expect(try await log.entries().map(\.kind) == [.start])
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify() == AuditReport(lines: 2, last: 4))
    }

    @Test("a clock set back or forward within a boot makes no line go early or stay", arguments: [-365, -1, 1, 365])
    func setWithinBoot(days: Int) async throws {
        let log = scene.log()
        try await log.record(AuditEvent(.suspicion, of: scene.ada))
        scene.clock.advance(by: Self.day * 89)
        scene.clock.setWall(scene.clock.wall().addingTimeInterval(Double(days) * 86_400))
        try await log.record(AuditEvent(.suspicion, of: scene.bob))
        #expect(try await log.entries().count == 3, "89 days old by the clock that nobody sets")
        scene.clock.advance(by: Self.day * 1 + .seconds(1))
        try await log.trim()
        #expect(try await log.entries().map(\.number) == [1, 2])
    }

    @Test("a clock that is wrong after a boot takes at most half of a line's age from it") func forward() async throws {
        let log = scene.log()
        try await log.record(AuditEvent(.suspicion, of: scene.ada))
        scene.clock.advance(by: Self.day * 44)
        try await log.record(AuditEvent(.suspicion, of: scene.bob))
        scene.clock.setBoot("second-boot")
        scene.clock.setWall(scene.clock.wall().addingTimeInterval(3_650 * 86_400))
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.entries().count == 4)
        scene.clock.advance(by: Self.day * 1 + .seconds(1))
        try await log.trim()
        #expect(try await log.entries().map(\.number) == [1, 2, 3])
    }

    @Test("a clock set back over the log's whole age keeps no line for longer than that age of running time")
    func back() async throws {
        let log = scene.log()
        try await log.record(AuditEvent(.suspicion, of: scene.ada))
        for boot in 1...9 {
            scene.clock.setBoot("boot-\(boot)")
            scene.clock.setWall(Date(timeIntervalSince1970: 0))
            try await log.record(AuditEvent(.suspicion))
            scene.clock.advance(by: Self.day * 10)
            try await log.record(AuditEvent(.suspicion))
        }
        #expect(try await log.entries(of: scene.ada).count == 1)
        scene.clock.advance(by: .seconds(1))
        try await log.trim()
        #expect(try await log.entries(of: scene.ada).isEmpty)
        #expect(try await log.verify().isWhole)
    }

    @Test("tampering is still told once its lines are gone") func laundering() async throws {
        let log = scene.log()
        try await scene.fill(log, 4)
        var lines = try scene.lines()
        lines[2][30] ^= 1
        try scene.put(lines)
        scene.clock.advance(by: Self.day * 91)
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify() == AuditReport(findings: [.earlier(count: 1)], lines: 2, last: 5))
        scene.clock.advance(by: Self.day * 91)
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify().findings == [.earlier(count: 1)])
    }

    @Test("a line that made others go outlasts a power loss right afterwards", .law(17), arguments: 0...24)
    func power(seed: UInt64) async throws {
        let log = scene.log()
        try await scene.fill(log, 3)
        scene.clock.advance(by: Self.day * 91)
        try await log.record(AuditEvent(.suspicion))
        scene.disk.crash(losing: seed == 0 ? .unsynced : .some(seed: seed))
        #expect(try await scene.log(seed: 2).verify() == AuditReport(lines: 2, last: 4))
    }

    @Test("a crash while lines go leaves the old file or the new one", .law(17)) func crashes() async throws {
        for loss in [SimulatedDisk.Loss.nothing, .unsynced] + (1...8).map({ .some(seed: $0) }) {
            var step = 1
            while true {
                let scene = Scene()
                let log = scene.log()
                try await scene.fill(log, 3)
                scene.clock.advance(by: Self.day * 91)
                scene.disk.crash(atStep: scene.disk.steps + step, losing: loss)
                let acknowledged: Bool
                do {
                    try await log.record(AuditEvent(.suspicion))
                    acknowledged = true
                } catch { acknowledged = false }
                if scene.disk.crashes == 0 { break }
                let report = try await scene.log(seed: 2).verify()
                #expect(report.isWhole, "step \(step), \(loss): \(report.findings)")
                #expect(!acknowledged || report.last == 4, "step \(step), \(loss)")
                step += 1
            }
            #expect(step > 5)
        }
    }
}
