import Testing

@testable import LatchkeyCommand

@Suite("Completion scripts") struct CompletionsTests {
    private let home = TemporaryFolder()

    @Test("bash accepts its script") func bashSyntax() async throws { try await accepts(.bash, "-n") }

    @Test("zsh accepts its script", .enabled(if: isWanted("zsh"), missing)) func zshSyntax() async throws {
        try await accepts(.zsh, "-n")
    }

    @Test("fish accepts its script", .enabled(if: isWanted("fish"), missing)) func fishSyntax() async throws {
        try await accepts(.fish, "--no-execute")
    }

    private static let missing: Comment = "the shell is not installed; run: Scripts/setup --servers"

    private static func isWanted(_ shell: String) -> Bool {
        ServerKind.areRequired || Program.onPath(shell) != nil
    }

    private func accepts(_ kind: Completions.Shell, _ check: String) async throws {
        let program = try #require(Program.onPath(kind.rawValue))
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
            (["latchkey", "supabase", ""], ["user", "factors", "identities"]),
            (["latchkey", "supabase", "factors", ""], ["list", "enroll", "verify", "unenroll", "link", "unlink"]),
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
        "fish offers what fits", .enabled(if: isWanted("fish"), missing),
        arguments: [
            ("to", "token"), ("token --mi", "--min-validity"), ("help sta", "status"), ("completions b", "bash"),
        ])
    func fish(_ words: String, _ expected: String) async throws {
        let fish = try #require(Program.onPath("fish"))
        let script = Completions.script(for: .fish) + "complete -C 'latchkey \(words)'\n"
        let result = try await Program(fish).run([], environment: ["HOME": home.path], input: script)
        let offered = result.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        #expect(offered == [Substring(expected)], "\(result.errors)")
    }
}
