import Latchkey
import OutsiderFerry
import OutsiderHarbour
import OutsiderLogbook
import OutsiderTrials
import OutsiderUnlock
import Testing

@Suite("The plugins into which Scripts/verify mutants --plugins puts mistakes")
struct TrialTests {
    @Test("The provider that asks back keeps its contract")
    func harbour() async throws { try await HarbourTrial.contract { HarbourProvider(at: $0) }.run() }

    @available(macOS 15, *)
    @Test("The store with lanes keeps both contracts, and what it says outlasts a loss of power")
    func logbook() async throws { try await LogbookTrial.run { LogbookStore(at: $0, context: $1) } }

    @available(macOS 15, *)
    @Test("The unlock keeps its contract on a disk in memory")
    func pocket() async throws {
        try await PocketTrial.run(
            { PocketUnlock(at: $0, limit: $1, context: $2, asking: $3) }, enrol: { try await $0.enrol($1) })
    }

    @available(macOS 15, *)
    @Test("The transports keep their contracts, one around the other and each alone")
    func ferry() async throws {
        try await FerryTrial.run(
            ferry: { FerryTransport(wrapping: $0, context: $1, log: $2) }, raft: { RaftTransport(cap: $0) })
    }
}
