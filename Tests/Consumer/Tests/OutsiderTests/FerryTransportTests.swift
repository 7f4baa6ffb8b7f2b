import Latchkey
import LatchkeyTesting
import OutsiderFerry
import Testing

@Suite("A transport that wraps another")
struct FerryTransportTests {
    @Test("The wrapper keeps the contract of wrappers") func contract() async throws {
        try await TransportWrapperContract { wrapped, context in
            FerryTransport(wrapping: wrapped, context: context)
        }.run()
    }
}
