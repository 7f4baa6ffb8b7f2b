import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@Suite("The tool ends a person's other sessions") struct OtherSessionsTests {
    /// A project where Ada is signed in by two profiles.
    private func twice() async throws -> Project {
        let project = try Project()
        try await project.signIn()
        try await project.signIn("--profile", "second")
        try #require(project.levels().count == 2)
        return project
    }

    @Test("the other session is over, this one stays and can be refreshed; it is told whose")
    func others() async throws {
        let project = try await twice()
        let result = try await project.run("logout", "--others", "--profile", "second")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.line == "Ended the other sessions of ada@example.test (profile second); this one stays.")
        #expect(project.levels().count == 1)
        #expect(try await project.run("refresh", "--profile", "second").status == 0)
        expect(
            try await project.run("refresh", "--profile", "default", "--json"), 3, "signInRequired.refused",
            service: "refresh_token_not_found")
    }

    @Test("for programs, with the account that --account names; a name that is not there ends nothing")
    func account() async throws {
        let project = try await twice()
        expect(
            try await project.run("logout", "--others", "--account", "grace@example.test", "--json"), 3,
            "signInRequired.signedOut")
        #expect(project.levels().count == 2)
        let result = try await project.run("logout", "--others", "--account", Project.ada, "--json")
        #expect(result.json?["result"]?.string == "revoked", "\(result.errors)")
        #expect(result.json?["account"]?.string == result.json?["current"]?.string)
        #expect(project.levels().count == 1)
        #expect(try await project.run("whoami").status == 0)
    }

    @Test("a service that cannot do so says it, and nothing changes")
    func unsupported() async throws {
        let signedIn = try await SignedIn()
        let result = try await signedIn.run("logout", "--others")
        #expect(result.status == 8, "\(result.errors)")
        #expect(result.errors.contains("The service of the profile default cannot end the person's other sessions"))
        #expect(result.errors.contains("this one ends by: latchkey logout"))
        #expect(try await signedIn.run("token").status == 0)
    }

    @Test("nobody signed in, a session that is over, and both words at once are refused")
    func refusals() async throws {
        let project = try await twice()
        expect(try await project.run("logout", "--others", "--everywhere", "--json"), 2, "usage")
        #expect(project.levels().count == 2)
        project.server.revoke(subject: Project.ada)
        let over = try await project.run("logout", "--others", "--profile", "second", "--json")
        expect(over, 3, "signInRequired.refused", service: "session_not_found")
        #expect(try await project.run("logout", "--profile", "default").status == 0)
        expect(
            try await project.run("logout", "--others", "--profile", "default", "--json"), 3,
            "signInRequired.signedOut")
    }
}
