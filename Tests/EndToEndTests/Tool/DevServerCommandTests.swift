import Foundation
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("latchkey dev-server") struct DevServerCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func start(_ more: [String]) async throws -> (Child, String) {
        let child = try tool.start(["dev-server"] + more)
        return (child, try await child.find(/(http:\/\/127\.0\.0\.1:\d+)/))
    }

    @Test("people come from a file, a fault hits as often as it says, and each request is told without a secret")
    func whole() async throws {
        let path = "\(tool.folder.path)/people.json"
        let people = #"[{"name":"lin","password":"lin-password","displayName":"Lin Chen"}]"#
        try SystemFiles().writeNew(path, Array(people.utf8))
        let (server, issuer) = try await start(
            ["--users", path, "--auto-approve", "--log", "--fault", "status@token,status=503,count=1"])
        let login = ["login", "--issuer", issuer, "--client-id", "dev-native", "--no-browser"]
        let first = try tool.start(login)
        try await Browser().visit(try await first.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/))
        #expect(try await first.wait().status == 4)
        let second = try tool.start(login)
        try await Browser().visit(try await second.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/))
        let signedIn = try await second.wait()
        #expect(
            signedIn.status == 0 && signedIn.output.hasPrefix("Signed in as lin@example.test"), "\(signedIn.errors)")
        let token = try await tool.run("token").line
        #expect(server.errors.contains("token authorization_code ok"), "\(server.errors)")
        #expect(server.errors.contains("status"))
        #expect(!server.errors.contains(token) && !server.errors.contains("lin-password"))
        server.signal(15)
        #expect(try await server.wait().status == 0)
    }

    @Test("the help names the settings that the server has")
    func words() async throws {
        #expect(DevServerWords.clerk == DevServer.ClerkSetting.allCases.map(\.rawValue))
        let all = DevServerWords.switches + DevServerWords.durations + DevServerWords.numbers + DevServerWords.others
        let refused = try await tool.run("dev-server", "--gotrue", "moon=on")
        #expect(refused.status == 2 && refused.errors.contains(all.joined(separator: ", ")), "\(refused.errors)")
    }

    @Test("the server is a program of its own, which takes the same words, and where it is missing that is said")
    func alone() async throws {
        for (program, words) in [("latchkey-dev-server", ["--help"]), ("latchkey", ["dev-server", "--help"])] {
            let told = try await Program(Tool.built(program)).run(words)
            #expect(told.status == 0 && told.output.contains("latchkey dev-server [OPTION]..."), "\(told.errors)")
        }
        let lone = "\(tool.folder.path)/latchkey"
        try FileManager.default.copyItem(atPath: tool.path, toPath: lone)
        let missing = try await Program(lone).run(["dev-server"])
        #expect(missing.status == 127, "\(missing.errors)")
        #expect(missing.errors.contains("\(tool.folder.path)/latchkey-dev-server"))
        #expect(missing.errors.contains("hint: Put latchkey-dev-server of the same release there"))
    }

    @Test("a Clerk instance is switched to what is named, all of it is told, and addresses of --redirect are listed")
    func clerk() async throws {
        let child = try tool.start([
            "dev-server", "--json", "--clerk-setting", "single-session", "--clerk-setting", "allow-list",
        ])
        let about = try JSON.parse(Array(try await child.find(/(\{.*\})\n/).utf8))
        #expect(about["clerk"]?["settings"] == ["allow-list", "single-session"])
        let address = "\(about["clerk"]?["proxyUrl"]?.string ?? "")/v1/environment?_is_native=1"
        let answer = try await CurlTransport().send(TransportRequest("GET", address), deadline: .seconds(20))
        #expect(try JSON.parse(answer.body)["auth_config"]?["single_session_mode"] == true)
        let help = try await tool.run("help", "dev-server").output
        for setting in ["single-session", "session-minter", "setup-mfa", "email-link"] {
            #expect(help.contains(setting))
        }
    }

    @Test(
        "a wrong file or fault is refused by what is wrong with it, and no server starts",
        arguments: [
            (["--users", "/none"], "cannot be read"), (["--users", "FILE"], "name"),
            (["--fault", "explode@token"], "does not begin with a kind"),
            (["--fault", "hold@token"], "begin with a kind"),
            (["--fault", "status@nowhere"], "names no endpoint"),
            (["--fault", "status@token,when=1"], "count, status"),
            (["--fault", "status@token,status=999"], "out of range"),
            (["--fault", "drop@token,count=0"], "out of range"),
            (["--clerk-setting", "moon"], "single-session, session-minter"),
        ])
    func refuses(words: [String], message: String) async throws {
        let path = "\(tool.folder.path)/people.json"
        try SystemFiles().writeNew(path, Array(#"[{"password":"marked-secret"}]"#.utf8))
        let result = try await tool.start(["dev-server"] + words.map { $0 == "FILE" ? path : $0 }).wait()
        #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
        #expect(!result.errors.contains("marked-secret"))
    }
}
