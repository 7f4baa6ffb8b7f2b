import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyAuditLog

@Suite("Security log: erasing")
struct AuditLogEraseTests {
    let scene = Scene()

    @Test("a person's lines go, a line says how many and not whose, and the rest is whole", .need("N15")) func one()
        async throws
    {
        let log = scene.log()
        try await scene.fill(log, 4)
        try await log.record(AuditEvent(.accessWithdrawn, of: scene.ada))
        try await log.record(AuditEvent(.accessWithdrawn, of: scene.bob, by: scene.ada))
        let name = try #require(try await log.identifier(of: scene.ada))
        let codes = try await log.entries(of: scene.ada).count
        #expect(codes == 4)
        #expect(try await log.erase(scene.ada) == 4)
        let text = String(decoding: try await log.export(), as: UTF8.self)
        #expect(!text.contains(name))
        let entries = try await log.entries()
        #expect(entries.map(\.kind) == [.start, .erased, .event, .erased, .event, .erased])
        #expect(entries.map(\.number) == [0, 1, 2, 3, 4, 6] && entries.compactMap(\.count) == [1, 1, 2])
        #expect(entries.filter { $0.kind == .erased }.allSatisfy { $0.time == nil && $0.account == nil })
        #expect(try await log.verify() == AuditReport(lines: 6, last: 6))
        try await scene.fill(log, 2)
        #expect(try await log.verify() == AuditReport(lines: 8, last: 8))
        #expect(try await log.erase(scene.ada) == 1)
        #expect(try await log.erase(scene.ada) == 0)
        #expect(try await log.verify().isWhole)
    }

    @Test("removing the line that says so is found, as any other is") func tampering() async throws {
        let log = scene.log()
        try await scene.fill(log, 8)
        try await log.erase(scene.ada)
        let lines = try scene.lines()
        for index in lines.indices {
            var left = lines
            left.remove(at: index)
            try scene.put(left)
            #expect(try await !log.verify().isWhole, "line \(index + 1)")
        }
    }

    @Test("erasing hides no tampering") func hidden() async throws {
        let log = scene.log()
        try await scene.fill(log, 8)
        var lines = try scene.lines()
        lines[4][30] ^= 1
        lines.remove(at: 6)
        try scene.put(lines)
        #expect(try await log.verify().findings.count == 2)
        try await log.erase(scene.bob)
        #expect(try await !log.verify().isWhole)
        var rest = try scene.lines()
        rest.removeLast()
        try scene.put(rest)
        try await log.erase(scene.ada)
        #expect(try await !log.verify().isWhole)
    }

    @Test("erasing everything makes the hashes of earlier exports meaningless, and says so", .law(17)) func all()
        async throws
    {
        let log = scene.log()
        try await scene.fill(log, 4)
        let name = try await log.identifier(of: scene.ada)
        try await log.eraseAll()
        #expect(try await log.verify() == AuditReport(lines: 1, last: 0))
        #expect(String(decoding: try await log.export(), as: UTF8.self).contains(#""why":"erased""#))
        #expect(try await log.identifier(of: scene.ada) != name)
        try await scene.fill(scene.log(seed: 2), 2)
        #expect(try await log.verify() == AuditReport(lines: 3, last: 2))
    }

    @Test("a crash at any step erases nothing or everything, and the log is whole", arguments: [true, false])
    func crashes(isAll: Bool) async throws {
        for loss in [SimulatedDisk.Loss.nothing, .unsynced] + (1...12).map({ .some(seed: $0) }) {
            var step = 1
            while true {
                let scene = Scene()
                let log = scene.log()
                try await scene.fill(log, 5)
                scene.disk.crash(atStep: scene.disk.steps + step, losing: loss)
                var done = true
                do {
                    if isAll { try await log.eraseAll() } else { try await log.erase(scene.ada) }
                } catch { done = false }
                if scene.disk.crashes == 0 { break }
                let next = scene.log(seed: 2)
                let left = try await next.entries(of: scene.ada).count
                #expect(left == 0 || (left == 3 && !done), "step \(step), \(loss)")
                let report = try await next.verify()
                #expect(report.isWhole, "step \(step), \(loss): \(report.findings)")
                try await next.record(AuditEvent(.suspicion))
                #expect(try await next.verify().isWhole, "step \(step), \(loss)")
                step += 1
            }
            #expect(step > 5)
        }
    }
}
