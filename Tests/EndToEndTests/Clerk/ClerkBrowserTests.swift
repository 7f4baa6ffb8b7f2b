import Latchkey
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@Suite("The tool signs in at a Clerk instance in a browser", .timeLimit(.minutes(2))) struct ClerkBrowserTests {
    private typealias Instance = ClerkLoginTests.Instance

    /// A login that waits for its browser: where it begins, and where the browser is to come back to.
    private func begun(
        _ instance: Instance, _ more: String...
    ) async throws -> (child: Child, begin: String, back: String) {
        let child = try instance.tool.start(instance.words(["--provider", "github", "--no-browser"] + more))
        let begin = try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/clerk\/\S+)/)
        let back = try await child.find(/comes back to (http:\/\/127\.0\.0\.1:\d+\S*):/)
        return (child, begin, back)
    }

    private static func freePort() throws -> UInt16 {
        let server = try HTTPServer { _ in nil }
        defer { server.stop() }
        return server.port
    }

    @Test("the address at which the browser comes back is printed, the same each time, and known before")
    func known() async throws {
        let instance = try Instance()
        let port = try Self.freePort()
        for _ in 1...2 {
            let (child, begin, back) = try await begun(instance, "--port", "\(port)")
            #expect(back == "http://127.0.0.1:\(port)/callback")
            #expect(try await Browser().visit(begin) == 200)
            let result = try await child.wait()
            #expect(result.status == 0 && result.output.contains(Instance.ada), "\(result.errors)")
        }
    }

    @Test(
        "a browser that comes back without a nonce ends the wait",
        arguments: [
            ("", "declined"), ("?__clerk_status=failed&__clerk_error_code=oauth_access_denied", "refused.denied"),
        ])
    func bare(_ query: String, _ code: String) async throws {
        let instance = try Instance()
        let (child, _, back) = try await begun(instance, "--json")
        #expect(try await Browser().open(back + query) == 200)
        let result = try await child.wait()
        #expect(result.status == 6 && result.errors.contains("\"code\":\"\(code)\""), "\(result.errors)")
        #expect(try await instance.tool.run("profiles", "--names").output.isEmpty)
    }

    @Test("a person without an account gets one only by --sign-up, which the hint says; in another process, too")
    func newPerson() async throws {
        let instance = try Instance { $0.visitor = "nia@example.test" }
        let (child, begin, _) = try await begun(instance)
        #expect(try await Browser().visit(begin) == 200)
        let result = try await child.wait()
        #expect(result.status == 6 && result.errors.contains("--provider github --no-browser --sign-up"))
        #expect(try await instance.tool.run("profiles", "--names").output.isEmpty)
        for isNew in [false, true] {
            let words = ["--provider", "github", "--detach", "--json"] + (isNew ? ["--sign-up"] : [])
            let begun = try await instance.tool.start(instance.words(words)).wait().json
            let (id, url) = (begun?["challenge"]?.string ?? "", begun?["url"]?.string ?? "")
            let address = try await Browser().destination(of: url)
            let answer = try await instance.tool.run("answer", id, "--redirect-from-stdin", input: address + "\n")
            #expect(answer.status == (isNew ? 0 : 6), "\(answer.errors)")
            #expect(answer.errors.contains("latchkey login --sign-up") == !isNew)
        }
    }

    @Test("a nonce that was made up ends nothing, and the person's own return signs in")
    func forged() async throws {
        let instance = try Instance()
        let (child, begin, back) = try await begun(instance)
        #expect(try await Browser().open("\(back)?rotating_token_nonce=nonce_x") == 200)
        #expect(try await Browser().visit(begin) == 200)
        let result = try await child.wait()
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test("in another process the same: the address is named, and one without a nonce ends the visit")
    func detached() async throws {
        let instance = try Instance()
        for isBare in [true, false] {
            let begun = try await instance.login("--provider", "github", "--detach", "--json")
            let (id, url) = (begun.json?["challenge"]?.string ?? "", begun.json?["url"]?.string ?? "")
            let redirect = try #require(begun.json?["redirect"]?.string)
            #expect(redirect == "http://127.0.0.1:8423/callback" && begun.errors.contains(redirect))
            let address = isBare ? redirect : try await Browser().destination(of: url)
            let answer = try await instance.tool.run(
                "answer", id, "--redirect-from-stdin", "--json", input: address + "\n")
            if isBare { expect(answer, 6, "declined") } else { #expect(answer.status == 0, "\(answer.errors)") }
        }
    }
}
