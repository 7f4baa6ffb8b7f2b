import SupabaseWalks
import Testing

/// A part of what `Scripts/verify supabase` walks.
@Suite("Flows at Supabase, of which one request meets a fault") struct SupabaseFaultTests {
    @Test("whatever happens to a request, no session is lost and nothing untrue is told")
    func some() throws {
        let report = try SupabaseWalks.some()
        #expect(report.faults.isEmpty)
        #expect(report.walks > 90)
    }
}
