import Latchkey
import LatchkeyTesting
import OutsiderTrials
import OutsiderWicket
import Testing

@Suite("A presenter in the person's browser")
struct WicketPresenterTests {
    @available(macOS 15, *)
    @Test("The presenter keeps the contract of presenters, against strangers too") func contract() async throws {
        try await WicketTrial.run { WicketPresenter(context: $0, announce: $1) }
    }
}
