import Glibc
import Latchkey
import LatchkeyCurl
import LatchkeyTesting
import Testing

@Suite(
    "Eight tools refresh at once at Glewlwyd, and the one whose request has left is killed", .serialized,
    .enabled(if: ServerKind.glewlwyd.isWanted, Comment(rawValue: ServerKind.glewlwyd.missing)))
struct KilledToolTests {
    /// How many rounds: what the environment says, or two: one of each kind.
    private static var rounds: Int {
        getenv("LATCHKEY_KILL_ROUNDS").flatMap { Int(String(cString: $0)) }.map { max(1, $0) } ?? 2
    }

    @Test("A request that never arrived costs nothing; one that did costs the login, and the person is told to sign in")
    func killed() async throws {
        let session = try await ToolsAtGlewlwyd()
        try await session.signIn()
        print("kill: Glewlwyd, eight times latchkey refresh, the one whose request has left is killed")
        for number in 1...Self.rounds {
            let reaches = number.isMultiple(of: 2)
            let round = try await session.round(reachesService: reaches)
            print("kill: round=\(number) request=\(reaches ? "answered" : "lost") \(round)")
            #expect(round.exits.filter { $0.status == 137 }.count == 1)
            let others = round.exits.filter { $0.status != 137 }
            if reaches {
                // The service acted, and refuses the token the second time; without a word, which is its way.
                #expect(others.allSatisfy { $0.status == 3 }, "\(others)")
                #expect(!round.isAlive && round.refreshes == 2)
                try await session.signIn()
            } else {
                #expect(others.allSatisfy { $0.status == 0 }, "\(others)")
                #expect(round.isAlive && round.refreshes == 2)
            }
        }
    }
}

/// The tool, signed in at a Glewlwyd of its own behind a proxy.
private struct ToolsAtGlewlwyd {
    /// What a round showed.
    struct Round: CustomStringConvertible {
        var exits: [Program.Result]
        var refreshes: Int
        var isAlive: Bool

        var description: String {
            let counts = Dictionary(grouping: exits, by: \.status).sorted { $0.key < $1.key }
                .map { "\($0.key)x\($0.value.count)" }.joined(separator: ",")
            let words = Set(exits.compactMap { $0.errors.split(separator: "\n").first }).sorted()
            return "exits=\(counts) refreshes=\(refreshes) login=\(isAlive ? "alive" : "dead")"
                + (words.isEmpty ? "" : " told=\"\(words.joined(separator: " / "))\"")
        }
    }

    private let proxy: CountingProxy
    private let server: HeldServer
    private let person: GlewlwydPerson
    private let tool: Tool

    init() async throws {
        proxy = try CountingProxy(before: "http://127.0.0.1:\(try HeldServer.freePort())")
        server = try await HeldServer.start(.glewlwyd, behind: proxy)
        person = try await GlewlwydPerson(at: server.issuer, over: CurlTransport())
        tool = try Tool()
    }

    func signIn() async throws {
        let port = try #require(WebAddress(server.redirect)?.port)
        let login = try tool.start([
            "login", "--issuer", server.issuer, "--client-id", "pub1", "--no-browser", "--port", "\(port)",
        ])
        let arrived = try await person.visit(try await login.find(/(http:\/\/127\.0\.0\.1:\d+\/api\/oidc\/auth\?\S+)/))
        _ = try await Browser().open(arrived)
        let result = try await login.wait()
        try #require(result.status == 0, "\(result.errors)")
    }

    func round(reachesService: Bool) async throws -> Round {
        let before = proxy.count.refreshes
        let trap = CountingProxy.Trap(reachesService: reachesService)
        proxy.set(trap)
        let tools = try (0..<8).map { _ in try tool.start(["refresh"]) }
        let isSprung = try await Child.poll(within: 30) { trap.sprung.isOpen ? true : nil }
        try #require(isSprung == true, "No refresh came.")
        let sender = try #require(tools.first { $0.pid == laneHolder }, "Nobody holds the lane.")
        sender.signal(SIGKILL)
        _ = try await sender.wait()
        trap.over.open()
        var exits: [Program.Result] = []
        for tool in tools { exits.append(try await tool.wait()) }
        let refreshes = proxy.count.refreshes - before
        return Round(exits: exits, refreshes: refreshes, isAlive: try await isAlive())
    }

    /// Whether a token can be had, and the server takes it.
    private func isAlive() async throws -> Bool {
        let token = try await tool.run("token")
        guard token.status == 0, try await tool.run("refresh").status == 0 else { return false }
        let fields: HTTPFields = ["Authorization": "Bearer \(try await tool.run("token").line)"]
        let request = HTTPRequest("GET", server.issuer + "/userinfo", fields: fields)
        return try await CurlTransport().send(request, deadline: .seconds(10)).status == 200
    }

    /// The process that wrote itself down in the lane's lock file. Only it sends.
    private var laneHolder: pid_t? {
        let path = FilesBelow.list(tool.data).first { $0.hasSuffix(".lane") && $0.contains("credential-") }
        let note = path.flatMap { try? SystemFiles().read($0, limit: 64) } ?? []
        return pid_t(String(decoding: note, as: UTF8.self).split(separator: " ").last ?? "")
    }
}
