import Latchkey
import LatchkeyTesting
import OutsiderGazette
import OutsiderTrials
import Testing

@Suite("An observer that writes into a pipe")
struct GazetteObserverTests {
    @available(macOS 15, *)
    @Test("The observer keeps the contract of observers") func contract() async throws {
        try await GazetteTrial.run { GazetteObserver(to: $0, limit: $1) }
    }
}
