import Testing

@testable import LatchkeyCommand

@Suite("Completion scripts") struct CompletionsTests {
    private let home = TemporaryFolder()

    @Test("each shell accepts its script", arguments: [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
    func syntax(_ shell: String, _ check: String) async throws {
        guard let kind = Completions.Shell(rawValue: shell), let program = Program.onPath(shell) else { return }
        let result = try await Program(program).run([check], input: Completions.script(for: kind))
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.isEmpty)
    }

    @Test("each script knows every command and option", arguments: Completions.Shell.allCases)
    func complete(_ shell: Completions.Shell) {
        let script = Completions.script(for: shell)
        for command in CommandTable.commands {
            #expect(script.contains(command.name))
            for option in command.everyOption {
                #expect(script.contains(shell == .fish ? "-l \(option.name)" : "--\(option.name)"))
            }
        }
    }

    @Test(
        "bash offers what fits",
        arguments: [
            (["latchkey", "to"], ["token"]), (["latchkey", "token", "--mi"], ["--min-validity"]),
            (["latchkey", "completions", ""], ["bash", "zsh", "fish"]), (["latchkey", "login", "--issuer", "x"], []),
            (["latchkey", "zzz"], []), (["latchkey", "help", "sta"], ["status"]),
            (["latchkey", "token", "--profile", "w"], ["work"]),
        ])
    func bash(_ words: [String], _ expected: [String]) async throws {
        let bash = try #require(Program.onPath("bash"))
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            latchkey() { printf 'work\\nhome\\n'; }
            \(Completions.script(for: .bash))
            COMP_WORDS=(\(list)) COMP_CWORD=\(words.count - 1)
            _latchkey
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await Program(bash).run([], input: script)
        #expect(result.output.split(separator: "\n").map(String.init) == expected)
        #expect(result.errors.isEmpty, "\(result.errors)")
    }

    @Test(
        "fish offers what fits",
        arguments: [
            ("to", "token"), ("token --mi", "--min-validity"), ("help sta", "status"), ("completions b", "bash"),
        ])
    func fish(_ words: String, _ expected: String) async throws {
        guard let fish = Program.onPath("fish") else { return }
        let script = Completions.script(for: .fish) + "complete -C 'latchkey \(words)'\n"
        let result = try await Program(fish).run([], environment: ["HOME": home.path], input: script)
        let offered = result.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        #expect(offered == [Substring(expected)], "\(result.errors)")
    }
}
