import Latchkey
import LatchkeyJSON
import LatchkeySupabase
import LatchkeySupabaseAdmin
import RecordedGoTrue
import Testing

@Suite("Users as a real GoTrue shows them")
struct RecordedUserTests {
    /// Every user in the recordings of the provider's tests, once.
    private static func recorded() throws -> [String: JSON] {
        var users: [String: JSON] = [:]
        for exchange in try RecordedExchange.all() {
            let body = exchange.answer
            for found in [body, body?["user"]].compactMap(\.self) where found["aud"] != nil {
                if let id = found["id"]?.string { users[id] = found }
            }
        }
        return users
    }

    @Test("each of them is read as part of a page, whole, and by its id")
    func users() async throws {
        let recorded = try Self.recorded()
        #expect(recorded.count > 20)
        let desk = try Desk()
        desk.expect(
            "GET", "/admin/users",
            .json(["users": .array(recorded.keys.sorted().compactMap { recorded[$0] })]))
        desk.expect("GET", "/admin/users", .json(["users": []]))
        var read = 0
        for try await user in desk.admin.users(pageSize: recorded.count) {
            #expect(user.json == recorded[user.id])
            #expect(user.email == recorded[user.id]?["email"]?.string.flatMap { $0.isEmpty ? nil : $0 })
            #expect(user.identities.count == (recorded[user.id]?["identities"]?.array?.count ?? 0))
            desk.expect("GET", "/admin/users/\(user.id)", .json(user.json))
            #expect(try await desk.admin.user(user.id).json == user.json)
            read += 1
        }
        #expect(read == recorded.count)
        print("recorded users: \(read) read")
    }
}
