import FoundationEssentials
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
            (["latchkey", "supabase", "p"], ["password", "phone", "passkeys", "provider-token"]),
            (
                ["latchkey", "supabase", "factors", ""],
                ["list", "enroll", "verify", "unenroll", "link", "unlink", "rename", "remove"]
            ),
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

    private static let hostile = [
        "$(touch marker)", "`touch marker`", "a;touch marker;", "${IFS}touch${IFS}marker",
        "$(touch${IFS}marker)@a.test",
        "*", "~root", "!!", "a b", "{a,b}", "'a", "\"a", "a\\", "<(touch marker)", "a&touch marker", "[", "#a",
    ]

    @Test("bash offers a name with every character quoted, and runs nothing of it", arguments: hostile)
    func bashQuotes(_ name: String) async throws {
        let (bash, folder) = (try #require(Program.onPath("bash")), TemporaryFolder())
        try Data("\(name)\n".utf8).write(to: URL(filePath: "\(folder.path)/names"))
        let script = """
            cd '\(folder.path)' || exit 1
            latchkey() { cat names; }
            \(Completions.script(for: .bash))
            for words in 'latchkey switch' 'latchkey token --account' 'latchkey token --profile'; do
                COMP_WORDS=($words "") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _latchkey
                [[ ${#COMPREPLY[@]} == 1 ]] || echo "offers ${#COMPREPLY[@]}"
                eval "again=(${COMPREPLY[0]})"
                [[ ${#again[@]} == 1 && $again == "$(cat names)" ]] || echo "it is read as ${again[*]}"
                typed=${COMPREPLY[0]:0:2}
                COMP_WORDS[COMP_CWORD]=$typed
                _latchkey
                [[ ${#COMPREPLY[@]} == 1 ]] || echo "after $typed it offers ${#COMPREPLY[@]}"
            done
            [[ ! -e marker ]] || echo executed
            """
        let result = try await Program(bash).run([], input: script)
        #expect(result.output.isEmpty && result.errors.isEmpty, "\(result.output)\(result.errors)")
    }

    @Test("bash offers the names of files and programs quoted, and runs nothing of them")
    func bashFiles() async throws {
        let (bash, folder) = (try #require(Program.onPath("bash")), TemporaryFolder())
        let script = """
            cd '\(folder.path)' || exit 1
            : > 'a;touch marker'; : > '$(touch marker)'; chmod +x 'a;touch marker'
            \(Completions.script(for: .bash))
            for words in 'latchkey login --ca-file' 'latchkey exec'; do
                for typed in '' a './a' '$'; do
                    COMP_WORDS=($words "$typed") COMP_CWORD=$((${#words} > 14 ? 3 : 2))
                    _latchkey
                    for reply in "${COMPREPLY[@]}"; do
                        case $reply in *';touch marker' | '$(touch'*) eval "again=($reply)"; [[ ${#again[@]} == 1 ]] || echo "$reply" ;; esac
                    done
                done
            done
            [[ ! -e marker ]] || echo executed
            """
        let result = try await Program(bash).run([], input: script)
        #expect(result.output.isEmpty && result.errors.isEmpty, "\(result.output)\(result.errors)")
    }

    @Test("no list of foreign words is handed to what expands it")
    func noExpansion() {
        let script = Completions.script(for: .bash)
        #expect(!script.contains("compgen -W") && !script.contains("=($("))
    }

    @Test(
        "fish offers a name as it is, and runs nothing of it", .enabled(if: isWanted("fish"), missing),
        arguments: hostile)
    func fishQuotes(_ name: String) async throws {
        let (fish, folder) = (try #require(Program.onPath("fish")), TemporaryFolder())
        try Data("\(name)\n".utf8).write(to: URL(filePath: "\(folder.path)/names"))
        let script = """
            cd '\(folder.path)'
            function latchkey; cat names; end
            \(Completions.script(for: .fish))
            complete -C 'latchkey switch '
            complete -C 'latchkey token --account '
            test -e marker; and echo executed
            """
        let result = try await Program(fish).run([], environment: ["HOME": home.path], input: script)
        #expect(!result.output.contains("executed"), "\(result.errors)")
        #expect(result.output.contains(name.split(separator: "\t")[0]))
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
