import Proofs
import Testing

@testable import LatchkeyCommand

@Suite("The command line") struct ParserTests {
    private func arguments(_ words: [String]) throws -> Arguments {
        guard case .run(let arguments) = try Parser().parse(words) else {
            throw UsageError("usage.noSuchCommand", hint: .run(""))
        }
        return arguments
    }

    @Test("options take their value behind them or behind an equals sign")
    func values() throws {
        let arguments = try arguments([
            "login", "--issuer", "https://id.example", "--client-id=a=b", "--scope", "openid", "--scope=mail",
            "--device",
        ])
        #expect(arguments.command.name == "login")
        #expect(arguments[.issuer] == "https://id.example")
        #expect(arguments[.clientID] == "a=b")
        #expect(arguments.all(.scope) == ["openid", "mail"])
        #expect(arguments.has(.device))
        #expect(!arguments.has(.json))
    }

    @Test(
        "what follows exec's program is the program's",
        arguments: [
            ["exec", "--env", "T", "--", "curl", "--json", "--", "x"],
            ["exec", "--env", "T", "curl", "--json", "--", "x"],
        ])
    func rest(_ words: [String]) throws {
        let arguments = try arguments(words)
        #expect(arguments.operands == ["curl", "--json", "--", "x"])
        #expect(arguments[.environmentName] == "T")
        #expect(!arguments.has(.json))
    }

    @Test(
        "every command that asks a service says how long it may take, with or without a unit",
        arguments: [("1", 1), ("45", 45), ("45s", 45), ("2m", 120), ("1m30s", 90), ("600", 600), ("10m", 600)])
    func timeout(_ text: String, _ seconds: Int) throws {
        for name in ["login", "answer", "token", "refresh", "exec", "credential", "logout", "whoami", "doctor"] {
            let command = try #require(CommandTable.command(name))
            let operands = ["exec": ["true"], "credential": ["git", "get"]][name] ?? []
            #expect(command.everyOption.count { $0.name == "timeout" } == 1)
            let arguments = try arguments([name, "--timeout", text] + operands)
            #expect(arguments.serviceTimeout == .seconds(seconds), "\(name)")
        }
        #expect(try arguments(["token"]).serviceTimeout == nil)
    }

    @Test(
        "a time that no service may take is refused",
        arguments: ["0", "0s", "999ms", "601", "11m", "1h", "-5", "5.5", "soon", "+5"])
    func noTimeout(_ text: String) {
        let error = #expect(throws: UsageError.self) { try Parser().parse(["token", "--timeout=\(text)"]) }
        #expect(error?.message == "The value of --timeout is not a time from 1s to 10m, such as 45s")
    }

    @Test("the time of request is for the resource, and gives nothing up at the service earlier than usual")
    func timeoutOfRequest() throws {
        for (text, seconds) in [("500ms", 10), ("30s", 30)] {
            let arguments = try arguments(["request", "--timeout", text, "https://a.example"])
            #expect(arguments.serviceTimeout == .seconds(seconds))
        }
        let names = CommandTable.commands.filter { $0.everyOption.contains { $0.name == "timeout" } }.map(\.name)
        #expect(!names.contains("accounts") && !names.contains("store") && names.contains("request"))
    }

    @Test("help needs no command, and no word at all asks for it too", arguments: [["--help"], ["-h"], []])
    func help(_ words: [String]) throws {
        guard case .help(nil) = try Parser().parse(words) else {
            Issue.record("is no request for help")
            return
        }
    }

    @Test("the version has every name that people try", arguments: ["--version", "-V", "-v", "version"])
    func version(_ word: String) throws {
        guard case .version = try Parser().parse([word]) else {
            Issue.record("is no request for the version")
            return
        }
    }

    @Test(
        "a request without a method is a GET, and a method may be in small letters",
        arguments: [(["https://a.example"], "GET"), (["post", "https://a.example"], "post")])
    func method(_ words: [String], _ method: String) throws {
        #expect(try arguments(["request"] + words).operands == [method, "https://a.example"])
    }

    @Test("exec without a program is a command line too")
    func shell() throws {
        #expect(try arguments(["exec", "--env", "T"]).operands == [])
    }

    @Test(
        "every example of the help is a command line that is understood", arguments: CommandTable.commands.map(\.name))
    func examples(_ name: String) throws {
        for example in try #require(CommandTable.command(name)).examples.map(\.line) {
            // Other examples are command lines of other programs, which name this one in an argument.
            guard example.hasPrefix("latchkey") else { continue }
            let words = Self.words(example.prefix { $0 != "<" && $0 != "|" }).dropFirst()
            #expect(throws: Never.self, "\(example)") { try Parser().parse(Array(words)) }
        }
    }

    /// The words of a command line, as a shell splits it where it has plain quotes only.
    private static func words(_ line: Substring) -> [String] {
        var (words, quote): ([String], Character?) = ([""], nil)
        for character in line {
            switch character {
            case quote: quote = nil
            case "'" where quote == nil, "\"" where quote == nil: quote = character
            case " " where quote == nil: words.append("")
            default: words[words.count - 1].append(character)
            }
        }
        return words.filter { !$0.isEmpty }
    }

    @Test("--help shows the command's help whatever else is wrong")
    func commandHelp() throws {
        guard case .help(let command) = try Parser().parse(["token", "--min-validity", "5m", "-h", "--nonsense"]) else {
            Issue.record("is no request for help")
            return
        }
        #expect(command?.name == "token")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var words: [String]
        var message: String
        var hint: String

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test("a wrong command line is refused with what to do", arguments: refusals)
    func refuses(_ refusal: Refusal) {
        let error = #expect(throws: UsageError.self) { try Parser().parse(refusal.words) }
        #expect(error?.message == refusal.message)
        #expect(error?.hint == refusal.hint)
    }

    private static let refusals = [
        Refusal(words: ["tokne"], message: "There is no command \"tokne\"", hint: "Did you mean token?"),
        Refusal(words: ["stat"], message: "There is no command \"stat\"", hint: "Did you mean status?"),
        Refusal(words: ["frobnicate"], message: "There is no command \"frobnicate\"", hint: "Run: latchkey help"),
        Refusal(
            words: ["--json", "token"], message: "The option --json is not known before a command",
            hint: "Run: latchkey help"),
        Refusal(
            words: ["token", "--min-validty", "5m"], message: "There is no option --min-validty",
            hint: "Did you mean --min-validity?"),
        Refusal(words: ["token", "--zzz"], message: "There is no option --zzz", hint: "Run: latchkey help token"),
        Refusal(words: ["token", "-j"], message: "There is no option -j", hint: "Run: latchkey help token"),
        Refusal(
            words: ["token", "--json=yes"], message: "The option --json takes no value",
            hint: "Run: latchkey help token"),
        Refusal(
            words: ["token", "--json", "--json"], message: "The option --json is given twice",
            hint: "Run: latchkey help token"),
        Refusal(
            words: ["token", "--audience"], message: "The option --audience needs a value, NAME",
            hint: "Run: latchkey help token"),
        Refusal(
            words: ["login", "--issuer", "--client-id"], message: "The option --issuer needs a value, URL",
            hint: "Run: latchkey help login"),
        Refusal(
            words: ["token", "--audience="], message: "The value of --audience is empty",
            hint: "Run: latchkey help token"),
        Refusal(
            words: ["token", "--min-validity", "90"],
            message: "The value of --min-validity is not a duration such as 90s, 5m or 1h30m",
            hint: "Run: latchkey help token"),
        Refusal(
            words: ["login", "--port", "0"], message: "The value of --port is not a port number from 1 to 65535",
            hint: "Run: latchkey help login"),
        Refusal(
            words: ["login", "--port", "65536"], message: "The value of --port is not a port number from 1 to 65535",
            hint: "Run: latchkey help login"),
        Refusal(
            words: ["login", "--issuer", "id.example"],
            message: "The value of --issuer is not an address such as https://id.example.com",
            hint: "Run: latchkey help login"),
        Refusal(
            words: ["token", "--profile", "../etc"],
            message: "The value of --profile is not a name of 1 to 64 letters, digits, '.', '_' or '-'",
            hint: "Run: latchkey help token"),
        Refusal(
            words: ["token", "--audience", "a\u{1B}[2J"], message: "The value of --audience holds control characters",
            hint: "Run: latchkey help token"),
        Refusal(
            words: ["token", "now"], message: "There are more operands than token takes",
            hint: "Run: latchkey help token"),
        Refusal(words: ["switch"], message: "The operand ACCOUNT is missing", hint: "Run: latchkey help switch"),
        Refusal(
            words: ["completions", "tcsh"], message: "The operand SHELL is none of bash, zsh, fish",
            hint: "Run: latchkey help completions"),
    ]

    @Test(
        "a secret on the command line is refused and not repeated", .law(10),
        arguments: [["--client-secret", "hunter2"], ["--client-secret=hunter2"], ["--clientsecret=hunter2"]])
    func secretInArguments(_ words: [String]) {
        let error = #expect(throws: UsageError.self) { try Parser().parse(["login"] + words) }
        #expect(error?.hint.contains("--client-secret-file") == true)
        #expect(error.map { !"\($0)".contains("hunter2") } == true)
    }

    @Test("no value that was given is repeated in a message", arguments: CommandTable.commands.map(\.name))
    func silence(_ name: String) throws {
        let command = try #require(CommandTable.command(name))
        for option in command.everyOption {
            let words = [name, "--\(option.name)=\u{7}s3cr3t"]
            let error = #expect(throws: UsageError.self) { try Parser().parse(words) }
            #expect(error.map { !"\($0)".contains("s3cr3t") } == true)
        }
    }
}
