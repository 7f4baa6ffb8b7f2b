import Glibc
import Latchkey
import LatchkeyCurl
import LatchkeyTesting
import Testing

/// The tool, signed in at a server of its own behind a proxy.
struct ToolsAtServer<User: Person> {
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
    private let person: User
    private let tool: Tool
    private let userInfo: String
    private let scopes: [String]

    /// `userInfo`: where the server tells about the person. `scopes`: what the tool asks for; nothing: what it would.
    init(_ kind: ServerKind, userInfo: String = "/userinfo", scopes: [String] = []) async throws {
        (self.userInfo, self.scopes) = (userInfo, scopes)
        proxy = try CountingProxy(before: "http://127.0.0.1:\(try HeldServer.freePort())")
        server = try await HeldServer.start(kind, behind: proxy)
        person = try await User(at: server.issuer, over: CurlTransport())
        tool = try Tool()
    }

    func signIn() async throws {
        let port = try #require(WebAddress(server.redirect)?.port)
        let login = try tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "pub1", "--no-browser", "--port", "\(port)"]
                + scopes.flatMap { ["--scope", $0] })
        let arrived = try await person.visit(try await login.find(/(http:\/\/127\.0\.0\.1:\d+\/\S+response_type=\S+)/))
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
        let sender = try #require(tools.first { $0.pid == lockHolder }, "Nobody holds the lane.")
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
        let fields: HeaderFields = ["Authorization": "Bearer \(try await tool.run("token").line)"]
        let request = TransportRequest("GET", server.issuer + userInfo, fields: fields)
        return try await CurlTransport().send(request, deadline: .seconds(10)).status == 200
    }

    /// The process that wrote itself down in the lane's lock file. Only it sends.
    private var lockHolder: pid_t? {
        let path = FilesBelow.list(tool.data).first { $0.hasSuffix(".lane") && $0.contains("credential-") }
        let note = path.flatMap { try? SystemFiles().read($0, limit: 64) } ?? []
        return pid_t(String(decoding: note, as: UTF8.self).split(separator: " ").dropFirst().first ?? "")
    }
}
