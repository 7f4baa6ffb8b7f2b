import FoundationEssentials
import Latchkey
import LatchkeyDevServer
import LatchkeyHTTPServer
import LatchkeyJSON
import Testing

@testable import LatchkeyCommand

/// Texts of a service at every place where a program, a shell or a terminal reads them.
@Suite("Hostile texts of a service", .timeLimit(.minutes(4))) struct HostileTextTests {
    /// What steers a terminal, ends a line, turns the direction of text, or runs something when a shell reads it again.
    private static let texts = [
        "$(touch marker)", "`touch marker`;touch marker", "a\u{1B}]0;x\u{7}\u{9B}2J", "a\r\nquit=1\npassword=x",
        "a\u{202E}b\u{2028}\u{E0041}\u{200B}", "--all",
    ]
    private static let claims = [
        "name", "given_name", "family_name", "nickname", "preferred_username", "email", "phone_number", "zoneinfo",
        "locale", "picture", "profile", "website", "gender",
    ]

    /// The commands that show or hand on what the service said.
    private static let commands: [[String]] = [
        ["accounts"], ["accounts", "--json"], ["accounts", "--names"], ["status"], ["status", "--json"], ["whoami"],
        ["whoami", "--json"], ["events"], ["events", "--json"], ["token"], ["token", "--json"], ["log"], ["doctor"],
        ["exec", "--", "env"], ["exec", "--refresh", "--", "env"], ["credential", "kubectl"],
        ["credential", "git", "get"], ["profiles"],
    ]

    @Test("no text of a service is run by a shell, or gets to a reader raw")
    func table() async throws {
        var (executed, raw) = (0, 0)
        for text in Self.texts {
            let scene = try await Self.signedIn(as: text)
            let asked = "protocol=https\nhost=git.example\n\n"
            for words in Self.commands + Self.shells(scene.tool) {
                let result: Program.Result
                if words[0] == "bash" || words[0] == "fish" {
                    let shell = Program(try #require(Program.onPath(words[0])))
                    result = try await shell.run([], environment: scene.tool.variables(), input: words[1])
                } else {
                    result = try await scene.tool.start(words, input: asked).wait()
                }
                let found = Self.controls(in: result.output + result.errors)
                raw += found ? 1 : 0
                if found { Issue.record("\(words[0]) \(words.last?.prefix(20) ?? "") of \(text.debugDescription)") }
            }
            let marked = [scene.tool.folder.path, FileManager.default.currentDirectoryPath].contains {
                FileManager.default.fileExists(atPath: "\($0)/marker")
            }
            executed += marked ? 1 : 0
        }
        let places = Self.commands.count + 2
        print(
            "fields=\(Self.claims.count + 1) texts=\(Self.texts.count) places=\(places) executed=\(executed) raw=\(raw)"
        )
        #expect(executed == 0 && raw == 0)
    }

    /// Signs in where every claim is `text`.
    private static func signedIn(as text: String) async throws -> SignedIn {
        let subject = "user-hostile"
        let server = try Service.start {
            $0.users = [DevServer.User(name: text, password: "x", subject: subject, displayName: text)]
        }
        #expect(
            server.describe(
                subject: subject, displayName: text,
                claims: Dictionary(uniqueKeysWithValues: claims.map { ($0, JSON.string(text)) })))
        let tool = try Tool()
        let result = try await SignedIn.login(
            tool, server, ["--allow-origin", "https://git.example"])
        try #require(result.status == 0, "\(result.errors)")
        #expect(!controls(in: result.output + result.errors), "login of \(text.debugDescription)")
        return SignedIn(tool: tool, server: server)
    }

    /// Scripts that complete the name of an account, and then run the command with it.
    private static func shells(_ tool: Tool) -> [[String]] {
        let bash = """
            cd '\(tool.folder.path)'
            latchkey() { '\(tool.path)' "$@"; }
            \(Completions.script(for: .bash))
            COMP_WORDS=(latchkey switch "") COMP_CWORD=2
            _latchkey
            for reply in "${COMPREPLY[@]}"; do eval "latchkey switch $reply"; done
            """
        let fish = """
            cd '\(tool.folder.path)'
            function latchkey; '\(tool.path)' $argv; end
            \(Completions.script(for: .fish))
            complete -C 'latchkey switch '
            """
        return [["bash", bash]] + (Program.onPath("fish") == nil ? [] : [["fish", fish]])
    }

    /// Whether a text has a character that a terminal obeys or that hides or turns text, line ends aside.
    private static func controls(in text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n" && scalar != "\t"
            case .format, .lineSeparator, .paragraphSeparator, .surrogate: true
            default: false
            }
        }
    }

    @Test(
        "scopes that are none reach no variable, no JSON and no line",
        arguments: ["a \u{1B}[2J", "a\r\nX=1", "a\u{202E}b", "a \"$(touch marker)\"", "a\u{7}b"])
    func scopes(_ scope: String) async throws {
        let service = try PlainService(scope: scope)
        let tool = try Tool()
        let child = try tool.start([
            "login", "--client-id", "c", "--authorization-endpoint", "\(service.address)/authorize", "--token-endpoint",
            "\(service.address)/token", "--scope", "a", "--no-browser",
        ])
        try await Browser().visit(try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/))
        #expect(try await child.wait().status == 0)
        let environment = try await tool.run("exec", "--", "env").output
        #expect(environment.contains("LATCHKEY_ACCESS_TOKEN=token-1\n"))
        #expect(!environment.contains("LATCHKEY_ACCESS_TOKEN_SCOPES"))
        #expect(try await tool.run("token", "--json").json?["scopes"] == nil)
    }
}

/// A service of plain OAuth whose token answer has one scope.
private final class PlainService: Sendable {
    private let server: HTTPServer

    init(scope: String) throws {
        server = try HTTPServer { request in
            guard request.path == "/authorize" else {
                let answer: JSON = [
                    "access_token": "token-1", "token_type": "Bearer", "refresh_token": "r-1", "expires_in": 300,
                    "scope": .string(scope),
                ]
                return .json(answer.serialized())
            }
            let values = Dictionary(request.queryPairs.map { ($0.name, $0.value) }) { first, _ in first }
            return .redirect(to: "\(values["redirect_uri"] ?? "")?code=c&state=\(values["state"] ?? "")", status: 302)
        }
    }

    var address: String { "http://127.0.0.1:\(server.port)" }
}
