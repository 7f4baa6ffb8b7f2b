import Latchkey
import LatchkeyTesting
import OutsiderProvider
import OutsiderStore
import Testing

@Suite("A provider and a store from outside")
struct OutsiderTests {
    @Test("Signing in with both, quitting and starting again leaves the session there")
    func survives() async throws {
    }
}
