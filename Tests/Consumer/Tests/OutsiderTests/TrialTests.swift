import Latchkey
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
}
