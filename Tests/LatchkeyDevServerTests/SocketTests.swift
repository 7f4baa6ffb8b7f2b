import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("Development server over sockets")
struct SocketTests {
    @Test("The whole code flow works over a socket", .timeLimit(.minutes(1)))
    func flow() async throws {
        let harness = try Harness { $0.signing = .rs256 }
        let port = harness.server.port
        let query = FormPairs.encode(Harness.authorization())
        let redirect = try await SocketClient.send(port, "GET", "/authorize?\(query)")
        #expect(redirect.status == 303)
        let code = try #require(Answer(redirect).redirectParameter("code"))
        let form = FormPairs.encode(Harness.exchange(code))
        let tokens = Answer(try await SocketClient.send(port, "POST", "/token", form: form))
        #expect(tokens.status == 200)
        let keys = Answer(try await SocketClient.send(port, "GET", "/jwks")).json
        _ = try tokens.idToken(verifiedBy: keys)
        let hello = Answer(
            try await SocketClient.send(
                port, "GET", "/resource", fields: ["Authorization: Bearer \(tokens.accessToken)"]))
        #expect(hello.json["hello"] == .string("user-ada"))
        #expect(hello.field("Date") == "Wed, 18 Nov 2026 11:06:40 GMT")
        #expect(hello.response.fields.count { $0.name == "Date" } == 1)
    }

    @Test("Broken connections break: dropped, truncated, and held until the stop", .timeLimit(.minutes(1)))
    func broken() async throws {
        let harness = try Harness()
        let server = harness.server
        server.inject(.init(.drop, at: .keys))
        server.inject(.init(.truncated, at: .keys))
        for _ in 0..<2 {
            await #expect(throws: SocketClient.Failure.closed) {
                try await SocketClient.send(server.port, "GET", "/jwks")
            }
        }
        server.inject(.init(.hold, at: .keys))
        let port = server.port
        let held = Task { try await SocketClient.send(port, "GET", "/jwks").status }
        while server.heldAnswers == 0 { await Task.yield() }
        harness.server.stop()
        await #expect(throws: SocketClient.Failure.closed) { try await held.value }
    }

    @Test("A taken port and a senseless configuration are told apart")
    func start() throws {
        let port = try Harness().server.port
        let harness = try Harness { $0.port = port }
        #expect(harness.server.port == port)
        #expect(throws: DevServer.Failure.portTaken(port)) { try Harness { $0.port = port } }
        #expect(throws: DevServer.Failure.configuration) { try Harness { $0.users = [] } }
        #expect(throws: DevServer.Failure.configuration) { try Harness { $0.users += [$0.users[0]] } }
        #expect(throws: DevServer.Failure.configuration) { try Harness { $0.clients += [$0.clients[0]] } }
        #expect(throws: DevServer.Failure.configuration) { try Harness { $0.accessTokenLifetime = 0 } }
        #expect(throws: DevServer.Failure.configuration) { try Harness { $0.deviceInterval = -1 } }
    }
}
