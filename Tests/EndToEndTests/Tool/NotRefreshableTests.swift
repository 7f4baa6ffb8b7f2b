import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("A session without a refresh token") struct NotRefreshableTests {
    private func login(_ more: String..., language: String = "C.UTF-8") async throws -> (
        Tool, Program.Result, DevServer
    ) {
        let (tool, server) = (try Tool(), try Service.start())
        server.configure { $0.autoApprove = true }
        let words = ["login", "--issuer", server.issuer, "--client-id", "dev-device", "--device"] + more
        return (tool, try await tool.start(words, environment: ["LC_ALL": language]).wait(), server)
    }

    @Test("is told at once, with its end and what to do, and by status: in words and for programs")
    func told() async throws {
        let (tool, login, server) = try await login("--scope", "openid")
        #expect(login.status == 0)
        #expect(login.errors.contains("latchkey: The service gave no refresh token: the session ends at 20"))
        #expect(
            login.errors.contains(
                "hint: Nothing asked for one; to ask: latchkey login --scope offline_access\n"))
        let status = try await tool.run("status")
        #expect(status.output.contains("refresh  not possible: the session ends with its access token"))
        let json = try await tool.run("status", "--json").json
        #expect(json?["refreshable"] == false && json?["sessionUntil"] == json?["accessUntil"], "\(server.issuer)")
    }

    @Test("the command of the hint brings one")
    func mended() async throws {
        let (tool, _, server) = try await login("--scope", "openid")
        let again = try await tool.run("login", "--scope", "offline_access")
        #expect(again.status == 0 && !again.errors.contains("no refresh token"), "\(again.errors)")
        let json = try await tool.run("status", "--json").json
        #expect(json?["refreshable"] == nil && json?["state"]?.string == "fresh")
        #expect(json?["scopes"]?.array == ["openid", "offline_access"], "\(server.issuer)")
    }

    @Test("is told in the person's language, and one with a refresh token is no news")
    func silent() async throws {
        let french = try await login("--scope", "openid", language: "fr_FR.UTF-8").1
        #expect(french.errors.contains("latchkey: Le service n’a pas donné de jeton de renouvellement"))
        #expect(french.errors.contains("latchkey login --scope offline_access\n"))
        let usual = try await login().1
        #expect(usual.status == 0 && !usual.errors.contains("refresh token") && !usual.errors.contains("hint:"))
    }

    @Test(
        "a parameter that the protocol itself sets is refused, with the option for it where there is one",
        arguments: [
            ("scope", "--param does not set scope: use --scope"), ("resource", "use --audience"),
            ("client_secret", "use --client-secret-file"), ("state", "--param cannot set \"state\""),
            ("code_verifier", "cannot set \"code_verifier\""), ("a b", "cannot set \"a b\""),
        ])
    func ownParameter(_ name: String, _ words: String) async throws {
        let (tool, result, _) = try await login("--param", "\(name)=v")
        #expect(result.status == 2 && result.errors.contains(words), "\(result.errors)")
        #expect(try await tool.run("profiles").output.contains("default") == false)
    }
}
