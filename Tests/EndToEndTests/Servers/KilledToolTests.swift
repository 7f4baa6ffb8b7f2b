import Glibc
import Latchkey
import Testing

@Suite("Eight tools refresh at once at a real server, and the one whose request has left is killed", .serialized)
struct KilledToolTests {
    /// How many rounds: what the environment says, or two: one of each kind.
    private static var rounds: Int {
        getenv("LATCHKEY_KILL_ROUNDS").flatMap { Int(String(cString: $0)) }.map { max(1, $0) } ?? 2
    }

    @Test(
        "At Glewlwyd a lost request costs nothing; a lost answer costs the login, and the person is told to sign in",
        .enabled(if: ServerKind.glewlwyd.isWanted, Comment(rawValue: ServerKind.glewlwyd.missing)))
    func glewlwyd() async throws {
        // It refuses a spent token without a word, so nobody can say more than that.
        try await run(try await ToolsAtServer<GlewlwydPerson>(.glewlwyd), .glewlwyd, startingWith: .lost) {
            $0.contains("not of the service's form")
        }
    }

    @Test(
        "At django-oauth-toolkit a lost answer costs the login, and the person is told that a refresh was interrupted",
        .enabled(if: ServerKind.django.isWanted, Comment(rawValue: ServerKind.django.missing)))
    func django() async throws {
        let tools = try await ToolsAtServer<DjangoPerson>(.django, userInfo: "/userinfo/", scopes: ["openid", "api"])
        try await run(tools, .django, startingWith: .answered) { $0.contains("A refresh was interrupted") }
    }

    /// What becomes of the request of the process that is killed.
    private enum Fate: String {
        /// It never arrives.
        case lost
        /// The server acts on it, and its answer never arrives.
        case answered
    }

    private func run<User: Person>(
        _ tools: ToolsAtServer<User>, _ kind: ServerKind, startingWith first: Fate, _ isTold: (String) -> Bool
    ) async throws {
        try await tools.signIn()
        print("kill: \(kind), eight times latchkey refresh, the one whose request has left is killed")
        // Logins that the server ended without saying so: what is owed of them is asked about in later rounds, too.
        var unexplained = 0
        for number in 1...Self.rounds {
            let fate: Fate = number.isMultiple(of: 2) == (first == .lost) ? .answered : .lost
            let round = try await tools.round(reachesService: fate == .answered)
            print("kill: round=\(number) request=\(fate) \(round)")
            let others = round.exits.filter { $0.status != 137 }
            #expect(others.count == 7)
            // Where the server refuses without a word, each person who refreshes is sent to it.
            let mayAsk = kind == .glewlwyd && fate == .answered ? 14 : 0
            #expect((2...2 + mayAsk + unexplained).contains(round.refreshes))
            switch fate {
            case .lost:
                #expect(others.allSatisfy { $0.status == 0 }, "\(others)")
                #expect(round.isAlive)
            case .answered:
                // An answer without a word ends no session: it may be another server's.
                #expect(others.allSatisfy { $0.status == (kind == .glewlwyd ? 4 : 3) }, "\(others)")
                #expect(others.contains { isTold($0.errors) })
                #expect(!round.isAlive)
                if kind == .glewlwyd { unexplained += 1 }
                try await tools.signIn()
            }
        }
    }
}
