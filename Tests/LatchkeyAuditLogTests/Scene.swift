import FoundationEssentials
import Latchkey
import LatchkeyTesting

@testable import LatchkeyAuditLog

/// A log on a simulated disk.
struct Scene {
    static let directory = "/home/alice/data/audit"
    static let file = "\(directory)/audit.jsonl"
    static let head = "\(directory)/audit.head"
    static let key = "\(directory)/audit.key"

    let disk = SimulatedDisk()
    let clock = ManualClock()
    let ada = AccountID("oauth https://id.example.test ada")
    let bob = AccountID("oauth https://id.example.test bob")

    /// A log as another process would open it.
    func log(seed: UInt64 = 1, limits: AuditLog.Limits = .init()) -> AuditLog {
        AuditLog(
            at: Self.directory, limits: limits,
            context: .testing(clock: clock, seed: seed, files: SimulatedFiles(on: disk)))
    }

    /// The file's lines, without their line feeds.
    func lines() throws -> [[UInt8]] {
        try (disk.content(Self.file) ?? []).split(separator: 0x0A, omittingEmptySubsequences: true).map(Array.init)
    }

    func put(_ lines: [[UInt8]]) throws { try disk.put(Self.file, lines.flatMap { $0 + [0x0A] }) }

    /// Writes `count` lines, about one person and the other in turn.
    func fill(_ log: AuditLog, _ count: Int) async throws {
        for index in 0..<count {
            try await log.record(AuditEvent(.accessGranted, of: index % 2 == 0 ? ada : bob, reason: .policy))
        }
    }
}
