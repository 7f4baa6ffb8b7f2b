import RecordedGoTrue
import Testing

@Suite("The Supabase dialect against recordings of GoTrue")
struct SupabaseWalkTests {
    @Test("Every recorded request is answered as the real server answered it")
    func walk() async throws {
        var (requests, differences, exempt): (Int, [String], [String]) = (0, [], [])
        for file in try RecordedExchange.topics() {
            let walk = try Walk(file)
            try await walk.run()
            requests += walk.requests
            differences += walk.differences
            exempt += walk.exempt
        }
        for difference in differences { print("difference: \(difference)") }
        print("exempt, \(exempt.count): \(exempt.joined(separator: ", "))")
        print("\(requests) requests, \(differences.count) differences")
        #expect(differences.isEmpty)
        #expect(requests == 211 && exempt.count == 19)
    }
}
