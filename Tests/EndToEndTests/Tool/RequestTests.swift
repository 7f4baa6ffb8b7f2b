import Latchkey
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import Testing

@Suite("latchkey request") struct RequestTests {
    @Test("prints what a resource answers, and its status with --json")
    func prints() async throws {
        let scene = try await SignedIn()
        let url = scene.server.issuer + "/resource"
        let plain = try await scene.run("request", "GET", url, "--allow-origin", scene.server.issuer)
        #expect(plain.status == 0)
        #expect(plain.output.contains("\"hello\":\"user-ada\""))
        let json = try await scene.run("request", "GET", url, "--allow-origin", scene.server.issuer, "--json")
        #expect(json.json?["status"]?.integer == 200)
        #expect(json.json?["body"]?.string == plain.output)
    }

    @Test("sends no token, and nothing else, where it was not allowed; the hint says how to allow it")
    func notAllowed() async throws {
        let scene = try await SignedIn()
        let requests = Locked(0)
        let other = try HTTPServer { _ in
            requests.withLock { $0 += 1 }
            return ServerResponse(status: 200, fields: [], body: [])
        }
        let origin = "http://127.0.0.1:\(other.port)"
        let result = try await scene.run("request", "GET", origin + "/x", "--allow-origin", scene.server.issuer)
        #expect(result.status == 8)
        #expect(result.errors.contains("--allow-origin \(origin)"))
        #expect(result.output.isEmpty)
        #expect(requests.withLock { $0 } == 0)
    }

    @Test("the origins of the login count, until a login names others")
    func profileList() async throws {
        let scene = try await SignedIn()
        let url = scene.server.issuer + "/resource"
        #expect(try await scene.run("request", "GET", url).status == 8)
        try await SignedIn.login(scene.tool, scene.server, ["--allow-origin", scene.server.issuer + "/"])
        #expect(try await scene.run("request", "GET", url).status == 0)
        try await SignedIn.login(scene.tool, scene.server)
        #expect(try await scene.run("request", "GET", url).status == 0)
        try await SignedIn.login(scene.tool, scene.server, ["--allow-origin", "https://api.example.com"])
        #expect(try await scene.run("request", "GET", url).status == 8)
    }

    @Test(
        "ten requests that are refused whatever they carry refresh once at most, and not at all if no token is wanted",
        arguments: [("Bearer error=\"invalid_token\"", 1), ("Basic realm=\"x\"", 0), ("Negotiate", 0)])
    func refusedAlways(challenge: String, refreshes: Int) async throws {
        let scene = try await SignedIn()
        let resource = try HTTPServer { _ in
            ServerResponse(status: 401, fields: [("WWW-Authenticate", challenge)], body: [])
        }
        let origin = "http://127.0.0.1:\(resource.port)"
        let asked = try await scene.asked {
            for _ in 0..<10 {
                let result = try await scene.run("request", "GET", origin + "/x", "--allow-origin", origin)
                #expect(result.status == 6, "\(result.errors)")
            }
        }
        #expect(asked.filter { $0 == "token" }.count == refreshes, "\(asked)")
    }

    @Test("a token that the resource refuses is refreshed once, and the request repeated once")
    func refused() async throws {
        let scene = try await SignedIn()
        scene.server.inject(DevServer.Fault(.status, at: .resource, status: 401))
        let arguments = ["request", "GET", scene.server.issuer + "/resource", "--allow-origin", scene.server.issuer]
        #expect(try await scene.start(arguments).wait().status == 0)
        scene.server.inject(DevServer.Fault(.status, at: .resource, count: 5, status: 401))
        let result = try await scene.start(arguments).wait()
        #expect(result.status == 6)
        #expect(result.errors.contains("The answer was 401: the token is not accepted there"))
        let refreshes = scene.server.log().filter { $0.endpoint == .token && $0.grant == "refresh_token" }
        #expect(refreshes.count == 2)
    }

    @Test(
        "the status says what came of it",
        arguments: [
            (200, 0), (204, 0), (304, 0), (302, 10), (308, 10), (404, 6), (403, 6), (429, 4), (500, 4), (503, 4),
        ])
    func statuses(_ status: Int, _ exit: Int32) async throws {
        let scene = try await SignedIn()
        let resource = try HTTPServer { _ in ServerResponse(status: status, fields: [("Location", "/x")], body: []) }
        let origin = "http://127.0.0.1:\(resource.port)"
        #expect(try await scene.run("request", "GET", origin + "/", "--allow-origin", origin).status == exit)
    }

    @Test("a redirect is not followed, and where it leads is said, as text")
    func redirect() async throws {
        let scene = try await SignedIn()
        let requests = Locked(0)
        let resource = try HTTPServer { _ in
            let count = requests.withLock { count in
                count += 1
                return count
            }
            let fields = count == 1 ? [("Location", "https://other.example/x?y=1")] : []
            return ServerResponse(status: 307, fields: fields, body: [])
        }
        let origin = "http://127.0.0.1:\(resource.port)"
        let words = ["request", "POST", origin + "/", "--allow-origin", origin]
        let first = try await scene.tool.start(words).wait()
        #expect(first.status == 10 && first.output.isEmpty)
        #expect(first.errors.contains("a redirect to https://other.example/x?y=1, which is not followed"))
        let second = try await scene.tool.start(words).wait()
        #expect(second.status == 10 && second.errors.contains("a redirect that names no address"))
        #expect(requests.withLock { $0 } == 2)
    }

    @Test("fields and a body from a file or standard input arrive as they are")
    func body() async throws {
        let scene = try await SignedIn()
        let seen = Locked<[ServerRequest]>([])
        let resource = try HTTPServer { request in
            seen.withLock { $0.append(request) }
            return ServerResponse(status: 200, fields: [], body: [0xFF, 0x00])
        }
        let origin = "http://127.0.0.1:\(resource.port)"
        let result = try await scene.run(
            "request", "POST", origin + "/notes?a=b", "--allow-origin", origin, "--header", "X-Note: one two",
            "--body", "-", "--json", input: "milk\n")
        #expect(result.status == 0)
        #expect(result.json?["bodyBase64"]?.string == "/wA=")
        let request = try #require(seen.withLock { $0.first })
        #expect(request.body == Array("milk\n".utf8))
        #expect(request.field("X-Note") == "one two")
        #expect(request.field("Authorization")?.hasPrefix("Bearer ") == true)
    }

    @Test(
        "what is no request is refused, and no value repeated",
        arguments: [
            ["request", "GET"], ["request", "FETCH", "http://127.0.0.1/"], ["request", "GET", "127.0.0.1"],
            ["request", "GET", "http://127.0.0.1/", "--header", "nothing"],
            ["request", "GET", "http://127.0.0.1/", "--header", "authorization: Bearer hush"],
            ["request", "POST", "http://127.0.0.1/", "--body", "/nonexistent"],
            ["request", "GET", "http://127.0.0.1/", "--timeout", "soon"],
        ])
    func refusals(_ arguments: [String]) async throws {
        let result = try await Tool().start(arguments).wait()
        #expect(result.status == 2)
        #expect(!result.errors.contains("hush"))
        #expect(result.output.isEmpty)
    }

    @Test(
        "a field that decides where the token goes is refused by its name, and its value is not repeated",
        arguments: [
            "Host: evil-hush.example", "X-Forwarded-Host: evil-hush.example", "Connection: hush",
            "Content-Length: 0", "transfer-encoding: chunked",
        ])
    func divertingFields(_ line: String) async throws {
        let result = try await Tool().run(
            "request", "GET", "http://127.0.0.1:1/", "--allow-origin", "http://127.0.0.1:1", "--header", line)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.contains("the field \(line.prefix { $0 != ":" })") && !result.errors.contains("hush"))
    }

    /// Moves the cursor, titles the window, in 7 and in 8 bits; turns the direction of text; hides text in tags.
    private static let hostile = "a\tb\u{1B}]0;x\u{7}\u{9B}2J\u{202E}\u{2028}\u{E0041}é\u{7F}\r\nz\n"

    @Test("a body at a terminal cannot steer it, one in a pipe is what the service sent, and JSON escapes it")
    func hostileBody() async throws {
        let scene = try await SignedIn()
        let body = Array(Self.hostile.utf8) + [0xFF]
        let resource = try HTTPServer { request in
            ServerResponse(status: 200, body: request.path == "/text" ? Array(Self.hostile.utf8) : body)
        }
        let origin = "http://127.0.0.1:\(resource.port)"
        let arguments = ["request", "GET", origin + "/x", "--allow-origin", origin]

        let terminal = try TestTerminal()
        #expect(try await scene.tool.start(arguments, at: terminal).wait().status == 0)
        // The terminal itself makes CR LF of each LF.
        let shown = terminal.screen().replacing("\r\n", with: "\n").replacing("\r", with: "")
        #expect(shown == "a\tb\u{FFFD}]0;x\u{FFFD}\u{FFFD}2J\u{FFFD}\u{FFFD}\u{FFFD}é\u{FFFD}\nz\n\u{FFFD}")

        let json = try await scene.run("request", "GET", origin + "/text", "--allow-origin", origin, "--json")
        #expect(json.json?["body"]?.string == Self.hostile)
        for escape in ["\\u009b", "\\u202e", "\\u2028", "\\udb40\\udc41", "\\u007f", "\\u001b"] {
            #expect(json.output.contains(escape), "\(escape)")
        }
        #expect(!json.output.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" || $0 == "\u{7F}" })
        #expect(json.output.contains("é"))
    }

    @Test(
        "a login refuses an origin that is none", arguments: ["https://api.example.com/v1", "http://api.example.com"])
    func badOrigin(_ origin: String) async throws {
        let result = try await Tool().run(
            "login", "--issuer", "http://127.0.0.1:1", "--client-id", "x", "--allow-origin", origin)
        #expect(result.status == 2)
    }

    @Test("nobody there, and nobody signed in, are told apart")
    func offline() async throws {
        let scene = try await SignedIn()
        let nobody = "http://127.0.0.1:1"
        #expect(try await scene.run("request", "GET", nobody + "/", "--allow-origin", nobody).status == 4)
        #expect(try await scene.run("logout").status == 0)
        #expect(try await scene.run("request", "GET", nobody + "/", "--allow-origin", nobody).status == 3)
    }
}
