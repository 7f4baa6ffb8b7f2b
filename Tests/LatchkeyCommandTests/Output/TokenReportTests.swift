import Latchkey
import LatchkeyTesting
import Testing

@testable import LatchkeyCommand

@Suite("how long a token lasts") struct TokenReportTests {
    @Test("with --strict, a token without a known end is refused as such, and is handed out without it")
    func endless() {
        let report = TokenReport(AccessToken(Secret("token")), .testing(clock: ManualClock()))
        let refused = report.shortfall(of: .seconds(60), isStrict: true)
        #expect(refused?.status == .configuration && refused?.message.contains("does not say how long") == true)
        #expect(report.shortfall(of: .seconds(60)) == nil && report.shortfall(of: nil, isStrict: true) == nil)
    }
}
