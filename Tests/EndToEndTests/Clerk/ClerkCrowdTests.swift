import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("Eight programs at one Clerk client, all of whose answers replace its token", .timeLimit(.minutes(5)))
struct ClerkCrowdTests {
    private typealias Instance = ClerkLoginTests.Instance

    private static let people = (1...5).map { "p\($0)+clerk_test@example.test" }

    @Test(
        "nobody of two or five people loses a session or gets another one's token",
        arguments: [2, 5], [[], [DevServer.ClerkSetting.sessionMinter], [.singleSession, .sessionMinter]])
    func crowd(count: Int, more: [DevServer.ClerkSetting]) async throws {
        let people = Self.people.prefix(count)
        let instance = try Instance { clerk in
            clerk.settings = Set([.rotation] + more)
            clerk.users = people.enumerated().map { .init(id: "user_\($0)", email: $1, password: "long-enough-\($0)") }
        }
        for (number, who) in people.enumerated() {
            let login = try await instance.login(
                "--account", who, "--password-from-stdin", input: "long-enough-\(number)\n")
            try #require(login.status == 0, "\(login.errors)")
        }
        var lost = 0
        for _ in 1...2 {
            lost += try await withThrowingTaskGroup(of: Int.self) { group in
                for program in 0..<8 {
                    let number = program % count
                    group.addTask { try await Self.lost(people[number], number, program, instance.tool) }
                }
                return try await group.reduce(0, +)
            }
        }
        for (number, who) in people.enumerated() { lost += try await Self.lost(who, number, 0, instance.tool) }
        print("clerk crowd: people=\(count) settings=\(more.count + 1) programs=8 rounds=2 lost=\(lost)")
        #expect(lost == 0)
    }

    /// Whether a person's program gets no token of the person's: every second one asks the service in any case.
    private static func lost(_ who: String, _ number: Int, _ program: Int, _ tool: Tool) async throws -> Int {
        let words = program % 2 == 0 ? ["token"] : ["refresh", "--now"]
        let said = try await tool.start(words + ["--account", who]).wait()
        guard said.status == 0 else {
            Issue.record("\(words) of \(who): \(said.status) \(said.errors)")
            return 1
        }
        guard program % 2 == 0 else { return 0 }
        let parts = said.line.split(separator: ".")
        guard parts.count == 3 else { return 1 }
        let claims = try JSON.parse(Base64URL.decode(parts[1]))
        return claims["sub"]?.string == "user_\(number)" ? 0 : 1
    }
}
