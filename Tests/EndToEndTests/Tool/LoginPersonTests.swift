import Latchkey
import LatchkeyCrypto
import LatchkeyDevServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

@Suite("who signs in, and what the service is asked for", .timeLimit(.minutes(2))) struct LoginPersonTests {
    @Test("--account with another person's name than the one who signs in keeps nothing, and says who came")
    func another() async throws {
        let scene = try await SignedIn()
        let before = try await scene.run("status", "--json").json?["account"]
        let refused = try await SignedIn.login(scene.tool, scene.server, ["--account", "grace@elsewhere.test"])
        #expect(refused.status == 6, "\(refused.errors)")
        #expect(refused.errors.contains("signed in, and not") && refused.errors.contains("grace@elsewhere.test"))
        #expect(refused.errors.contains("--prompt select_account"))
        #expect(try await scene.run("status", "--json").json?["account"] == before)
        #expect(try await scene.run("accounts", "--json").json?["accounts"]?.array?.count == 1)
        let hinted = try await SignedIn.login(scene.tool, scene.server, ["--hint", "grace@elsewhere.test"])
        #expect(hinted.status == 0, "\(hinted.errors)")
    }

    @Test("the wishes are in the browser's address, and --param is kept in the profile until it is cleared")
    func address() async throws {
        let (tool, server) = (try Tool(), try Service.start { _ in })
        let child = try tool.start([
            "login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser", "--prompt", "login",
            "--prompt", "consent", "--max-age", "5m", "--locale", "fr-CA", "--hint", "ada", "--param", "audience=a b",
        ])
        let url = try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/)
        for part in ["prompt=login+consent", "max_age=300", "ui_locales=fr-CA", "login_hint=ada", "audience=a+b"] {
            #expect(url.contains(part), "\(part) in \(url)")
        }
        try await Browser().visit(url)
        #expect(try await child.wait().status == 0)
        let shown = try await tool.run("profiles", "show", "default", "--json").json?["profiles"]?.array?.first
        #expect(shown?["parameters"] == ["audience": "a b"])
        #expect(try await tool.run("profiles", "show", "default").output.contains("audience=a b"))
        let cleared = try await tool.run("profiles", "edit", "default", "--clear", "param", "--json")
        #expect(cleared.status == 0 && cleared.json?["profiles"]?.array?.first?["parameters"] == nil)
    }

    @Test(
        "what cannot be asked for is a mistake, before anything is sent",
        arguments: [
            (["--prompt", "none", "--prompt", "login"], "Only one of --prompt none and --prompt login"),
            (["--prompt", "maybe"], "The value of --prompt is none of"),
            (["--device", "--max-age", "5m"], "--max-age is for a sign-in in a browser"),
            (["--device", "--hint", "ada"], "--hint is for a sign-in in a browser"),
            (["--max-age", "5"], "The value of --max-age"), (["--param", "audience"], "is not NAME=VALUE"),
            (["--param", "=x"], "is not NAME=VALUE"),
        ])
    func mistakes(words: [String], message: String) async throws {
        let tool = try Tool()
        let result = try await tool.start(
            ["login", "--issuer", "http://127.0.0.1:9", "--client-id", "c"] + words
        ).wait()
        #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
    }

    @Test(
        "the address of the service's document is not the issuer, which is named",
        arguments: [
            ("https://id.example.test/t/.well-known/openid-configuration", "--issuer https://id.example.test/t\n"),
            (
                "https://id.example.test/.well-known/oauth-authorization-server/t",
                "--issuer https://id.example.test/t\n"
            ),
        ])
    func document(address: String, hint: String) async throws {
        let result = try await Tool().run("login", "--issuer", address, "--client-id", "c")
        #expect(result.status == 2 && result.errors.contains(hint), "\(result.errors)")
    }

    @Test("a token for another audience is told by its own aud, and only then")
    func audience() {
        func token(_ claims: String) -> Secret {
            Secret("eyJhbGciOiJSUzI1NiJ9.\(Base64URL.encode(Array(claims.utf8))).AAAA")
        }
        let api: Audience = "https://api.example"
        #expect(TokenAudience.others(than: api, in: token(#"{"aud":"other"}"#)) == ["other"])
        #expect(TokenAudience.others(than: api, in: token(#"{"aud":["a","b"]}"#)) == ["a", "b"])
        for claims in [
            #"{"aud":["a","https://api.example"]}"#, #"{"aud":"https://api.example/"}"#, #"{"sub":"a"}"#, "[]",
        ] {
            #expect(TokenAudience.others(than: api, in: token(claims)) == nil, "\(claims)")
        }
        #expect(TokenAudience.others(than: api, in: Secret("opaque")) == nil)
        #expect(TokenAudience.others(than: .standard, in: token(#"{"aud":"other"}"#)) == nil)
    }

    @Test("a token that no variable can hold is given in a file, and exec says so")
    func large() {
        let (name, room) = ("T", TokenVariable.limit - 3)
        #expect(TokenVariable.fits(name, Secret(String(repeating: "t", count: room))))
        let token = Secret(String(repeating: "t", count: room + 1))
        #expect(!TokenVariable.fits(name, token))
        let report = ErrorReport(TokenVariable.failure(name, token))
        #expect(report.status == .cannotRun && report.message.contains("\(room + 1) bytes"))
        #expect(report.hint?.contains("latchkey exec --refresh") == true)
    }
}
