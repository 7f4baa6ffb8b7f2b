import Latchkey
import LatchkeyJSON
import LatchkeySupabaseAdmin
import LatchkeyTesting
import Testing

@Suite("The key of a project's administration")
struct KeyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var key: String
        var says: String

        init(_ name: String, _ key: String, says: String) { (testDescription, self.key, self.says) = (name, key, says) }
    }

    static let refused = [
        Row("a publishable key", "sb_publishable_\(Desk.canary)", says: "publishable"),
        Row("the anon key", Desk.token(role: "anon"), says: "anon key"),
        Row("a person's token", Desk.token(role: "authenticated"), says: "person's access token"),
        Row("a token of another role", Desk.token(role: "r0le_\(Desk.canary)"), says: "another role"),
        Row("a token of no role", Desk.token(role: nil), says: "neither"),
        Row("no token and no key", "\(Desk.canary)", says: "neither"),
        Row("a key of a management API", "sbp_\(Desk.canary)", says: "neither"),
        Row("two parts of a token", "a.b\(Desk.canary)", says: "neither"),
        Row("a token whose claims are cut", "e30.\(Desk.canary).x", says: "neither"),
        Row("nothing", "", says: "empty"),
        Row("the prefix alone", "sb_secret_", says: "nothing after"),
        Row("a key with its line end", "sb_secret_\(Desk.canary)\n", says: "line end"),
        Row("a key with a header behind it", "sb_secret_x\r\nx-y: \(Desk.canary)", says: "line end"),
        Row("a key with a space before it", " sb_secret_\(Desk.canary)", says: "space"),
        Row("the capitals of another product", "SB_SECRET_\(Desk.canary)", says: "neither"),
        Row("marks of other scripts", "sb_secret_\u{301}\(Desk.canary)", says: "character"),
    ]

    @Test(
        "a key that does not open the administration is refused, by name and without a word of it", arguments: refused)
    func refusals(row: Row) throws {
        let transport = ScriptedTransport()
        for isOwn in [false, true] {
            let error = #expect(throws: AuthError.self) {
                let key = Secret(row.key)
                _ =
                    isOwn
                    ? try SupabaseAdmin(authURL: "http://localhost:9999", secretKey: key, transport: transport)
                    : try SupabaseAdmin(
                        projectURL: "https://abc.supabase.co", secretKey: key, transport: transport)
            }
            #expect(error?.code == .configuration(.invalid))
            #expect(error?.message.contains(row.says) == true, "\(error?.message ?? "")")
            #expect(error?.provider == "supabase-admin")
            for text in [String(describing: error), String(reflecting: error)] {
                #expect(!text.contains(Desk.canary))
            }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "an address to which the key must not travel, or that is none, is refused",
        arguments: [
            "http://abc.supabase.co", "abc.supabase.co", "", "https://abc.supabase.co?x=1", "ftp://abc.supabase.co",
            "https://abc.supabase.co#x", "https://user:pass@abc.supabase.co",
        ])
    func addresses(url: String) {
        let error = #expect(throws: AuthError.self) {
            _ = try SupabaseAdmin(
                projectURL: url, secretKey: Secret(Desk.Key.secret.text), transport: ScriptedTransport())
        }
        #expect(error?.code == .configuration(.invalid) && error?.message.contains("project URL") == true)
    }

    @Test("both formats are taken, for a project and for a service of one's own", arguments: Desk.Key.allCases)
    func taken(key: Desk.Key) throws {
        let secret = Secret(key.text)
        let urls = ["https://abc.supabase.co", "https://abc.supabase.co/", "https://abc.supabase.co/auth/v1"]
        for url in urls {
            let admin = try SupabaseAdmin(projectURL: url, secretKey: secret, transport: ScriptedTransport())
            #expect(admin.authURL == Desk.url)
        }
        let own = try SupabaseAdmin(
            authURL: "http://127.0.0.1:9999/", secretKey: secret, transport: ScriptedTransport())
        #expect(own.authURL == "http://127.0.0.1:9999")
    }

    @Test("an administrator in words, mirrored or dumped shows no key", arguments: Desk.Key.allCases)
    func hidden(key: Desk.Key) async throws {
        let desk = try Desk(key)
        desk.expect("GET", "/admin/users", .json(["users": []]))
        let users = desk.admin.users()
        var reader = users.makeAsyncIterator()
        _ = try await reader.next()
        var dumped = ""
        dump(desk.admin, to: &dumped)
        dump(users, to: &dumped)
        dump(reader, to: &dumped)
        for text in [
            "\(desk.admin)", String(reflecting: desk.admin), String(reflecting: users), String(reflecting: reader),
            dumped,
            "\(desk.transport.requests)", String(reflecting: desk.transport.requests),
        ] {
            #expect(!text.contains(key.text) && !text.contains(Desk.canary))
        }
        #expect("\(desk.admin)" == "SupabaseAdmin of https://abc.supabase.co")
    }
}
