import LatchkeyDevServer
import Testing

@Suite("Signing in with another device") struct DeviceJourneyTests {
    private func start(_ server: DevServer, _ tool: Tool) throws -> Child {
        try tool.start(["login", "--issuer", server.issuer, "--client-id", "dev-device", "--device"])
    }

    @Test("without a terminal address and code go to standard error, and approval signs in")
    func approved() async throws {
        let (tool, server) = (try Tool(), try Service.start { $0.autoApprove = false })
        let child = try start(server, tool)
        let code = try await child.find(/([A-Z0-9]{4}-[A-Z0-9]{4})/)
        #expect(child.errors.contains("\(server.issuer)/device"))
        #expect(server.approve(userCode: code, as: "grace"))
        let result = try await child.wait()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Signed in as "))
        #expect(try await tool.run("token").line.hasPrefix("dat_"))
    }

    @Test("a refusal on the other device ends with 6")
    func denied() async throws {
        let (tool, server) = (try Tool(), try Service.start { $0.autoApprove = false })
        let child = try start(server, tool)
        let code = try await child.find(/([A-Z0-9]{4}-[A-Z0-9]{4})/)
        #expect(server.deny(userCode: code))
        let result = try await child.wait()
        #expect(result.status == 6)
        #expect(result.output.isEmpty)
        #expect(try await tool.run("token").status == 3)
    }

    @Test("a code that nobody enters ends with 6")
    func expired() async throws {
        let (tool, server) = (
            try Tool(),
            try Service.start {
                $0.autoApprove = false
                $0.deviceLifetime = 2
            }
        )
        #expect(try await start(server, tool).wait().status == 6)
    }

    @Test("Ctrl-C ends the waiting with 130")
    func interrupted() async throws {
        let (tool, server) = (try Tool(), try Service.start { $0.autoApprove = false })
        let child = try start(server, tool)
        _ = try await child.find(/([A-Z0-9]{4}-[A-Z0-9]{4})/)
        child.interrupt()
        #expect(try await child.wait().status == 130)
    }
}
