import Latchkey
import Testing

@testable import LatchkeyTesting

@Suite("Security log: processes that are killed")
struct AuditMemberTests {
    @Test("four processes and forty kills tear no line and lose none, on the real disk") func kills() async throws {
        try await TemporaryFolder.with { folder in
            let program = StoreProcessContract.Program.built("audit-member").path
            let output = try await ProgramOutput.of(program, ["judge", folder.path, "4", "40", "30", "24"])
            #expect(output.contains("kills=40 torn=0 acknowledged_lost=0 tampering_found=179/179"), "\(output)")
        }
    }
}
