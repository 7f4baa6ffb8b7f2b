import Latchkey
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

/// The redirect as a service has it, from the command line to the browser and back.
@Suite("login --redirect-uri", .timeLimit(.minutes(2))) struct RedirectAddressTests {
    /// A port that nobody listens at now.
    private static func freePort() throws -> UInt16 {
        let server = try HTTPServer { _ in nil }
        defer { server.stop() }
        return server.port
    }

    private static func profile(in result: Program.Result) -> JSON? { result.json?["profiles"]?.array?.first }

    @Test(
        "the browser comes back to the host and the path that were named, and the profile remembers them",
        arguments: [("localhost", ""), ("localhost", "/cb"), ("127.0.0.1", "/"), ("127.0.0.1", "/a/b")])
    func signsIn(host: String, path: String) async throws {
        // The development server compares the port of a name, as some services do.
        let port = try Self.freePort()
        let redirect = "http://\(host):\(port)\(path)"
        let scene = try await SignedIn({ $0.allow(redirect: redirect) }, "--redirect-uri", redirect)
        let shown = Self.profile(in: try await scene.run("profiles", "show", "default", "--json"))
        #expect(shown?["redirectUri"]?.string == "http://\(host)\(path)", "\(String(describing: shown))")
        #expect(shown?["redirectPort"]?.integer == Int64(port))
        #expect(try await scene.run("profiles", "show", "default").output.contains("http://\(host)\(path)\n"))
        // The next sign-in takes it from there.
        let again = try await SignedIn.login(scene.tool, scene.server)
        #expect(again.status == 0, "\(again.errors)")
        let edited = try await scene.run(
            "profiles", "edit", "default", "--redirect-uri", "http://[::1]/cb", "--json")
        let changed = Self.profile(in: edited)
        #expect(changed?["redirectUri"]?.string == "http://[::1]/cb" && changed?["redirectPort"] == nil)
        let cleared = try await scene.run("profiles", "edit", "default", "--clear", "redirect-uri", "--json")
        #expect(cleared.status == 0 && Self.profile(in: cleared)?["redirectUri"] == nil)
    }

    @Test("a port that another program has is refused before a browser opens, and named")
    func taken() async throws {
        let (tool, server) = (try Tool(), try Service.start { _ in })
        let other = try HTTPServer { _ in nil }
        for host in ["localhost", "127.0.0.1"] {
            let result = try await tool.run(
                "login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser", "--redirect-uri",
                "http://\(host):\(other.port)/cb")
            #expect(result.status == 8, "\(result.errors)")
            #expect(result.errors.contains("Port \(other.port) on 127.0.0.1 is taken by another program"))
        }
    }

    @Test(
        "what is no address of this machine is a wrong command line, and so is a port given twice",
        arguments: [
            ["https://localhost/"], ["http://example.com/"], ["http://localhost/?a=b"], ["http://0.0.0.0/"],
            ["com.example:/cb"], ["http://localhost:1/", "--port", "2"],
        ])
    func refused(values: [String]) async throws {
        let result = try await Tool().start(
            ["login", "--issuer", "https://id.example", "--client-id", "c", "--redirect-uri"] + values
        ).wait()
        #expect(result.status == 2 && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains("--redirect-uri"))
    }

    @Test("a detached login names the same redirect, and port and address are kept apart")
    func detached() async throws {
        let tool = try Tool()
        let server = try Service.start { $0.allow(redirect: "http://localhost/cb") }
        let result = try await tool.run(
            "login", "--issuer", server.issuer, "--client-id", "dev-native", "--detach", "--redirect-uri",
            "http://localhost:8424/cb")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("redirect_uri=http%3A%2F%2Flocalhost%3A8424%2Fcb"), "\(result.output)")
        let shown = Self.profile(in: try await tool.run("profiles", "show", "default", "--json"))
        #expect(shown?["redirectUri"]?.string == "http://localhost/cb" && shown?["redirectPort"]?.integer == 8_424)
    }
}
