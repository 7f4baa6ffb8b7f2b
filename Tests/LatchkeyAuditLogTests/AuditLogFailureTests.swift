import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyAuditLog

@Suite("Security log: disks that fail, and files of others")
struct AuditLogFailureTests {
    typealias Operation = SimulatedDisk.Operation

    let scene = Scene()

    static let failures: [(Operation, FileError, AuthError.StoreReason)] = [
        (.create, .full, .full), (.write, .full, .full), (.flush, .full, .full), (.rename, .full, .full),
        (.create, .readOnly, .readOnly), (.lock, .readOnly, .readOnly), (.write, .readOnly, .readOnly),
        (.lock, .denied, .readOnly), (.write, .denied, .readOnly),
        (.lock, .noLocks, .unavailable), (.lock, .unexpectedKind, .insecurePermissions),
        (.flush, .failed(5), .unavailable), (.read, .failed(5), .unavailable), (.status, .failed(5), .unavailable),
    ]

    @Test(
        "a line that could not be written says why, leaves no half of itself, and the log goes on", arguments: failures)
    func failed(operation: Operation, fault: FileError, reason: AuthError.StoreReason) async throws {
        let log = scene.log()
        try await scene.fill(log, 2)
        scene.disk.inject { called, _ in called == operation ? fault : nil }
        let error = await #expect(throws: AuthError.self) { try await log.record(AuditEvent(.suspicion)) }
        #expect(error?.code == .store(reason))
        scene.disk.inject(nil)
        let report = try await log.verify()
        #expect(report.isWhole && report.tornBytes == 0)
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify().isWhole)
    }

    @Test(
        "on a full disk the next lines take the room that is kept, and behind them the line is refused and told",
        .law(17))
    func full() async throws {
        let log = scene.log()
        try await scene.fill(log, 2)
        scene.disk.setCapacity(try used() + 100)
        var written = 2
        while written < 200 {
            do { try await log.record(AuditEvent(.suspicion)) } catch {
                #expect((error as? AuthError)?.code == .store(.full))
                break
            }
            written += 1
        }
        #expect((50..<200).contains(written), "\(written)")
        // Where only the last step had no room, the line is there although it was refused.
        let report = try await log.verify()
        #expect(report.isWhole && (written...written + 1).contains(Int(report.last)))
        let next = report.last
        scene.disk.setCapacity(.max)
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify() == AuditReport(lines: Int(next) + 2, last: next + 1))
        scene.disk.setCapacity(try used() + 100)
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify() == AuditReport(lines: Int(next) + 3, last: next + 2))
    }

    private func used() throws -> Int {
        try scene.disk.names(Scene.directory).reduce(0) {
            $0 + (try scene.disk.content("\(Scene.directory)/\($1)")?.count ?? 0)
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (SimulatedDisk) throws -> Void
    }

    static let faults =
        ["audit.jsonl", "audit.head", "audit.key"].flatMap { name -> [Fault] in
            let path = "\(Scene.directory)/\(name)"
            return [
                Fault(testDescription: "\(name) of another user") { try $0.change(path, owner: 1_001) },
                Fault(testDescription: "\(name) open to the group") { try $0.change(path, mode: 0o640) },
                Fault(testDescription: "\(name) open to others") { try $0.change(path, mode: 0o602) },
                Fault(testDescription: "\(name) with a second name") { try $0.change(path, links: 2) },
                Fault(testDescription: "\(name) that is a link") { disk in
                    try disk.put("/home/alice/elsewhere", try disk.content(path) ?? [])
                    try disk.putLink(path, to: "/home/alice/elsewhere")
                },
            ]
        } + [
            Fault(testDescription: "directory of another user") { try $0.change(Scene.directory, owner: 1_001) },
            Fault(testDescription: "directory open to the group") { try $0.change(Scene.directory, mode: 0o750) },
            Fault(testDescription: "directory above that everybody may change") { disk in
                try disk.change("/home/alice/data", mode: 0o777)
            },
        ]

    @Test("refuses what others may read or change, and writes nothing", arguments: faults)
    func insecure(fault: Fault) async throws {
        let log = scene.log()
        try await scene.fill(log, 2)
        let before = try scene.disk.content(Scene.file)
        try fault.change(scene.disk)
        for use in [
            { try await log.record(AuditEvent(.suspicion)) }, { _ = try await log.verify() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: AuthError.self) { try await use() }
            #expect(error?.code == .store(.insecurePermissions))
        }
        // A link is followed here, so that what it leads to is compared.
        let path = try scene.disk.content(Scene.file)?.isEmpty == false ? Scene.file : "/home/alice/elsewhere"
        #expect(try scene.disk.content(path) == before)
    }

    @Test("a key that is gone or damaged stops the log, until everything is erased", arguments: [nil, [], [1, 2, 3]])
    func key(left: [UInt8]?) async throws {
        let log = scene.log()
        try await scene.fill(log, 2)
        if let left { try scene.disk.put(Scene.key, left) } else { try scene.disk.take(Scene.key) }
        for use in [
            { try await log.record(AuditEvent(.suspicion)) }, { _ = try await log.verify() },
            { _ = try await log.export() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: AuthError.self) { try await use() }
            #expect(error?.code == .store(.damaged))
        }
        try await log.eraseAll()
        try await log.record(AuditEvent(.suspicion))
        #expect(try await log.verify() == AuditReport(lines: 2, last: 1))
    }

    @Test("a log of a newer version is not continued") func newer() async throws {
        let log = scene.log()
        try await scene.fill(log, 1)
        let keys = AuditKeys(try #require(try scene.disk.content(Scene.key)))
        let first = try #require(AuditLine(try scene.lines()[0][...], keys))
        var members = first.members
        members["format"] = 2
        try scene.disk.put(Scene.file, AuditLine.bytes(members, keys).bytes)
        let error = await #expect(throws: AuthError.self) { try await log.record(AuditEvent(.suspicion)) }
        #expect(error?.code == .store(.newerVersion))
    }

    @Test("a disk that cannot append is refused by name") func unsupported() async throws {
        struct Plain: ForwardingFiles {
            var inner: any FileAccess
            func entry(_ path: String) throws -> FileEntry? { try inner.entry(path)?.withFiles { Plain(inner: $0) } }
        }
        let log = AuditLog(
            at: Scene.directory, context: .testing(files: Plain(inner: SimulatedFiles(on: scene.disk))))
        let error = await #expect(throws: AuthError.self) { try await log.record(AuditEvent(.suspicion)) }
        #expect(error?.code == .configuration(.unsupported))
    }

    @Test("a lock that another process never lets go ends in lockTimeout") func lockTimeout() async throws {
        let log = scene.log()
        try await scene.fill(log, 1)
        let held = try #require(
            try SimulatedFiles(on: scene.disk).lock("\(Scene.directory)/audit.lock", sharing: false))
        let task = Task { try await log.record(AuditEvent(.suspicion)) }
        try await scene.clock.waitForSleepers()
        scene.clock.advance(by: .seconds(10))
        let error = await #expect(throws: AuthError.self) { try await task.value }
        #expect(error?.code == .store(.lockTimeout))
        held.release()
    }

    @Test("relative and climbing paths are refused", arguments: ["audit", "", "/home/alice/../bob/audit"])
    func paths(path: String) async {
        let log = AuditLog(at: path, context: .testing())
        let error = await #expect(throws: AuthError.self) { try await log.record(AuditEvent(.suspicion)) }
        #expect(error?.code == .configuration(.invalid))
    }
}
