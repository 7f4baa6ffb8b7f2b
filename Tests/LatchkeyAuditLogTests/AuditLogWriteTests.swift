import FoundationEssentials
import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyAuditLog

@Suite("Security log: writing")
struct AuditLogWriteTests {
    let scene = Scene()

    @Test("a line says who, what, when, on which device, how it ended and why", .need("N15")) func fields() async throws
    {
        let log = scene.log()
        try await log.record(
            AuditEvent(
                .factorRemoved, of: scene.ada, by: scene.bob, at: "oauth", method: .passkey,
                device: AuditEvent.Device("phone"), result: .refused, reason: .error(.refused(.denied))))
        let entries = try await log.entries()
        let entry = try #require(entries.last)
        #expect(entries.map(\.kind) == [.start, .event] && entries.map(\.number) == [0, 1])
        #expect(entry.action == "factorRemoved" && entry.provider == "oauth" && entry.method == "passkey")
        #expect(entry.result == "refused" && entry.reason == "refused.denied")
        #expect(entry.time == scene.clock.wall())
        #expect(entry.account == (try await log.identifier(of: scene.ada)))
        #expect(entry.actor == (try await log.identifier(of: scene.bob)))
        #expect(entry.device?.hasPrefix("d-") == true && entry.process != nil)
        #expect(try await log.verify() == AuditReport(lines: 2, last: 1))
    }

    @Test("the files are this user's alone, and a log that was only read makes none") func files() async throws {
        let log = scene.log()
        #expect(try await log.verify() == AuditReport())
        #expect(try await log.entries().isEmpty)
        #expect(try await log.erase(scene.ada) == 0)
        try await log.eraseAll()
        #expect(try scene.disk.content(Scene.file) == nil)
        try await log.record(AuditEvent(.suspicion))
        let files = SimulatedFiles(on: scene.disk)
        for name in try scene.disk.names(Scene.directory) {
            #expect(try files.status("\(Scene.directory)/\(name)")?.mode == 0o600, "\(name)")
        }
        #expect(
            try scene.disk.names(Scene.directory) == [
                "audit.head", "audit.jsonl", "audit.key", "audit.lock", "audit.room",
            ])
    }

    @Test("a person hashes alike within an installation, and differently in every other one", .need("N15"))
    func hashes() async throws {
        let log = scene.log()
        try await scene.fill(log, 3)
        let entries = try await log.entries()
        #expect(entries[1].account == entries[3].account && entries[1].account != entries[2].account)
        #expect(try await log.entries(of: scene.ada).map(\.number) == [1, 3])
        let other = Scene()
        let elsewhere = other.log(seed: 2)
        try await elsewhere.record(AuditEvent(.signedIn, of: scene.ada))
        #expect(try await elsewhere.entries().last?.account != entries[1].account)
    }

    @Test("an account, a device and a provider do not hash alike, even with one name") func kinds() {
        let keys = AuditKeys([UInt8](repeating: 7, count: 32))
        let all = [AuditKeys.Kind.person, .device, .provider, .boot].map { keys.identifier($0, "same").dropFirst(2) }
        #expect(Set(all).count == 4)
    }

    @Test("several processes make one chain") func several() async throws {
        let logs = (1...4).map { scene.log(seed: $0) }
        for round in 0..<5 {
            for log in logs { try await log.record(AuditEvent(.accessGranted, of: AccountID("\(round)"))) }
        }
        #expect(try await logs[0].verify() == AuditReport(lines: 21, last: 20))
    }

    @Test("half a line of a dead writer is cut off, and is no finding", arguments: [1, 20, 300])
    func half(bytes: Int) async throws {
        let log = scene.log()
        try await scene.fill(log, 2)
        let whole = try #require(try scene.disk.content(Scene.file))
        try scene.disk.put(Scene.file, whole + whole.prefix(bytes).filter { $0 != 0x0A })
        let report = try await log.verify()
        #expect(report.isWhole && report.tornBytes > 0)
        #expect(try await log.export() == whole)
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify() == AuditReport(lines: 4, last: 3))
    }

    @Test("a crash at any step leaves every acknowledged line, whole, and the next line can be written", .law(17))
    func crashes() async throws {
        for loss in [SimulatedDisk.Loss.nothing, .unsynced] + (1...12).map({ .some(seed: $0) }) {
            for before in [0, 2] {
                var step = 1
                while true {
                    let scene = Scene()
                    let log = scene.log()
                    try await scene.fill(log, before)
                    scene.disk.crash(atStep: scene.disk.steps + step, losing: loss)
                    let acknowledged: Bool
                    do {
                        try await log.record(AuditEvent(.suspicion, of: scene.bob))
                        acknowledged = true
                    } catch { acknowledged = false }
                    if scene.disk.crashes == 0 { break }
                    let next = scene.log(seed: 2)
                    let report = try await next.verify()
                    #expect(report.isWhole, "\(before) lines, step \(step), \(loss): \(report.findings)")
                    #expect(report.last >= Int64(before + (acknowledged ? 1 : 0)), "step \(step), \(loss)")
                    try await next.record(AuditEvent(.suspicion))
                    #expect(try await next.verify().isWhole, "step \(step), \(loss)")
                    step += 1
                }
                #expect(step > 5)
            }
        }
    }

    @Test("what was acknowledged outlasts a power loss right afterwards", .law(17), arguments: 0...24)
    func power(seed: UInt64) async throws {
        let log = scene.log()
        try await scene.fill(log, 5)
        scene.disk.crash(losing: seed == 0 ? .unsynced : .some(seed: seed))
        let next = scene.log(seed: 2)
        #expect(try await next.verify() == AuditReport(lines: 6, last: 5))
    }
}
