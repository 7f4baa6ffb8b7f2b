import LatchkeyDevServer
import LatchkeyJSON
import Proofs
import Testing

@Suite("Answering a challenge from another process") struct DetachedJourneyTests {
    private let tool: Tool
    private let server: DevServer

    init() throws { (tool, server) = (try Tool(), try Service.start()) }

    private func begin(_ more: String...) async throws -> JSON {
        let child = try tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "dev-native", "--detach", "--json"] + more)
        let result = try await child.wait()
        #expect(result.status == 0, "\(result.errors)")
        return try #require(result.json)
    }

    private func answer(_ id: String, _ address: String) async throws -> Program.Result {
        try await tool.run("answer", id, "--redirect-from-stdin", input: address + "\n")
    }

    @Test("the address where the browser arrived signs in, once")
    func redirect() async throws {
        let asked = try await begin()
        #expect(asked["kind"]?.string == "visit")
        let id = try #require(asked["challenge"]?.string)
        let address = try await Browser().destination(of: try #require(asked["url"]?.string))
        #expect(address.hasPrefix(try #require(asked["redirect"]?.string)))
        #expect(try await tool.run("answer", "--json").json?["challenges"]?.array?.count == 1)

        let answered = try await answer(id, address)
        #expect(answered.status == 0, "\(answered.errors)")
        #expect(try await tool.run("token").line.hasPrefix("dat_"))

        #expect(try await answer(id, address).status == 6)
        #expect(try await tool.run("answer", "--json").json?["challenges"]?.array?.isEmpty == true)
    }

    @Test("an address with another state is not trusted, and the person's own still signs in", .standard(3))
    func otherState() async throws {
        let (first, second) = (try await begin(), try await begin())
        let address = try await Browser().destination(of: try #require(second["url"]?.string))
        let id = try #require(first["challenge"]?.string)
        for _ in 1...2 { #expect(try await answer(id, address).status == 9) }
        #expect(try await tool.run("token").status == 3)
        let own = try await Browser().destination(of: try #require(first["url"]?.string))
        #expect(try await answer(id, own).status == 0)
    }

    @Test("a device code waits in the second process")
    func device() async throws {
        server.configure { $0.autoApprove = false }
        let result = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-device", "--device", "--detach", "--json")
        let asked = try #require(result.json)
        #expect(asked["kind"]?.string == "device")
        let child = try tool.start(["answer", try #require(asked["challenge"]?.string)])
        #expect(server.approve(userCode: try #require(asked["userCode"]?.string)))
        #expect(try await child.wait().status == 0)
        #expect(try await tool.run("status").status == 0)
    }

    @Test("declining forgets the challenge")
    func declined() async throws {
        let id = try #require(try await begin()["challenge"]?.string)
        #expect(try await tool.run("answer", id, "--decline").status == 6)
        #expect(try await tool.run("answer", id, "--decline").status == 6)
        #expect(try await tool.run("answer", "--json").json?["challenges"]?.array?.isEmpty == true)
    }

    @Test("an empty standard input is no answer")
    func empty() async throws {
        let id = try #require(try await begin()["challenge"]?.string)
        #expect(try await tool.run("answer", id, "--redirect-from-stdin").status == 2)
        #expect(try await tool.run("answer", "--json").json?["challenges"]?.array?.count == 1)
    }
}
