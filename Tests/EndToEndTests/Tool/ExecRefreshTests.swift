import Latchkey
import LatchkeyDevServer
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

@Suite("exec --refresh", .timeLimit(.minutes(3))) struct ExecRefreshTests {
    /// A signed-in tool with a private directory for what runs.
    private struct Scene {
        let tool: SignedIn
        let runtime: String

        init(lifetime: Int = 3_600) async throws {
            tool = try await SignedIn { $0.accessTokenLifetime = lifetime }
            runtime = "\(tool.folder.path)/run"
            try SystemFiles().makeDirectory(runtime)
        }

        var environment: [String: String] { ["XDG_RUNTIME_DIR": runtime, "LATCHKEY_CLIENT_SECRET": "s3cr3t"] }

        /// What is left in the private directory.
        var left: [String] { (try? SystemFiles().list(runtime)) ?? ["?"] }

        /// Starts `script` as the program.
        func start(_ script: String, _ words: String...) throws -> Child {
            try tool.tool.start(
                ["exec", "--refresh", "--", "sh", "-c", script, "sh"] + words, environment: environment)
        }
    }

    /// The number that the script has written after `pid`.
    private func number(_ child: Child) async throws -> pid_t {
        try #require(pid_t(try await child.find(/pid (\d+)/)))
    }

    /// The letter of what a process does: `S` sleeps, `T` is stopped; `nil` when it is gone or a zombie.
    private func state(_ pid: pid_t) -> Character? {
        guard let bytes = try? SystemFiles().read("/proc/\(pid)/stat", limit: 4_096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let letter = text.split(separator: ")").last?.dropFirst().first
        return letter == "Z" ? nil : letter
    }

    private func wait(until condition: @escaping () -> Bool) async throws {
        let held = try await Child.poll(within: 60) { condition() ? true : nil }
        try #require(held == true)
    }

    @Test("the program finds a new token without being started again, in a private file that is gone afterwards")
    func fresh() async throws {
        try #require(Program.onPath("curl") != nil, "curl is not installed; run: Scripts/setup")
        let scene = try await Scene(lifetime: 4)
        let child = try scene.start(
            #"""
            file=$LATCHKEY_ACCESS_TOKEN_FILE
            first=$(cat "$file")
            [ "$first" = "$LATCHKEY_ACCESS_TOKEN" ] || exit 90
            [ -z "$LATCHKEY_CLIENT_SECRET" ] || exit 91
            for round in 1 2; do
                until now=$(cat "$file") && [ "$now" != "$first" ]; do sleep 0.05; done
                curl -s -o /dev/null -w '%{http_code}\n' -H "Authorization: Bearer $now" "$1/resource"
                first=$now
            done
            stat -c '%a' "$file" "${file%/*}"
            ls -A "${file%/*}"
            echo "$file"
            exit 7
            """#, scene.tool.server.issuer)
        let result = try await child.wait()
        #expect(result.status == 7, "\(result.errors)")
        #expect(result.errors.isEmpty)
        let lines = result.output.split(separator: "\n")
        #expect(lines.prefix(6) == ["200", "200", "600", "700", "access-token", "lock"])
        #expect(lines.last?.hasPrefix(scene.runtime + "/latchkey-exec-") == true)
        #expect(scene.left.isEmpty)
    }

    @Test("the program asks a descriptor for the token of the moment, as often as it likes")
    func descriptor() async throws {
        try #require(Program.onPath("bash") != nil, "bash is not installed; run: Scripts/setup")
        let scene = try await Scene(lifetime: 4)
        let child = try scene.tool.tool.start(
            [
                "exec", "--refresh", "--", "bash", "-c",
                #"""
                ask() { echo >&"$LATCHKEY_ACCESS_TOKEN_FD"; IFS= read -r token <&"$LATCHKEY_ACCESS_TOKEN_FD"; }
                ask && [ "$token" = "$LATCHKEY_ACCESS_TOKEN" ] || exit 90
                for round in 1 2; do
                    first=$token
                    until ask && [ "$token" != "$first" ]; do sleep 0.05; done
                    [ "$token" = "$(cat "$LATCHKEY_ACCESS_TOKEN_FILE")" ] && echo same
                done
                exit 6
                """#,
            ], environment: scene.environment)
        let result = try await child.wait()
        #expect(result.status == 6, "\(result.errors)")
        #expect(result.output == "same\nsame\n")
        #expect(result.errors.isEmpty)
    }

    @Test("a program whose token was refused has it replaced by latchkey refresh, in the file and at the descriptor")
    func refused() async throws {
        try #require(Program.onPath("bash") != nil, "bash is not installed; run: Scripts/setup")
        let scene = try await Scene()
        let child = try scene.tool.tool.start(
            [
                "exec", "--refresh", "--", "bash", "-c",
                #"""
                ask() { echo >&"$LATCHKEY_ACCESS_TOKEN_FD"; IFS= read -r token <&"$LATCHKEY_ACCESS_TOKEN_FD"; }
                "$0" refresh > /dev/null || exit 90
                until ask && [ "$token" != "$LATCHKEY_ACCESS_TOKEN" ]; do sleep 0.05; done
                [ "$token" = "$(cat "$LATCHKEY_ACCESS_TOKEN_FILE")" ] && echo same
                """#, scene.tool.tool.path,
            ], environment: scene.environment)
        let result = try await child.wait()
        #expect(result.status == 0 && result.output == "same\n", "\(result.errors)")
    }

    @Test(
        "the exit status is the program's",
        arguments: [
            ("exit 0", 0), ("exit 200", 200), ("kill -TERM $$", 143), ("kill -KILL $$", 137), ("kill -INT $$", 130),
        ] as [(String, Int32)])
    func status(script: String, status: Int32) async throws {
        let scene = try await Scene()
        let result = try await scene.start(script).wait()
        #expect(result.status == status)
        #expect(result.errors.isEmpty)
        #expect(scene.left.isEmpty)
    }

    @Test("a program that cannot run is told as without --refresh", arguments: [("no-such-program", 127), ("/", 126)])
    func cannotRun(program: String, status: Int) async throws {
        let scene = try await Scene()
        let result = try await scene.tool.tool.start(
            ["exec", "--refresh", program], environment: scene.environment
        ).wait()
        #expect(result.status == Int32(status))
        #expect(result.errors.hasPrefix("latchkey: The program "))
        #expect(scene.left.isEmpty)
    }

    @Test(
        "signals are passed on, and the program decides what they do",
        arguments: [
            ("INT", SIGINT), ("TERM", SIGTERM), ("HUP", SIGHUP), ("QUIT", SIGQUIT), ("USR1", SIGUSR1),
            ("USR2", SIGUSR2), ("WINCH", SIGWINCH), ("TSTP", SIGTSTP),
        ] as [(String, Int32)])
    func signals(name: String, number: Int32) async throws {
        let scene = try await Scene()
        let child = try scene.start("trap 'echo got; exit 3' \(name); echo ready; while :; do sleep 0.02; done")
        _ = try await child.find(/(ready)/)
        child.signal(number)
        let result = try await child.wait()
        #expect(result.status == 3)
        #expect(result.output == "ready\ngot\n")
        #expect(scene.left.isEmpty)
    }

    @Test("what is ignored stays ignored, for the program too")
    func ignored() async throws {
        let scene = try await Scene()
        let script =
            #"trap '' HUP; exec "$0" exec --refresh -- sh -c 'echo ready; read -r word < "$1"; exit 3' sh "$1""#
        let fifo = "\(scene.runtime)/fifo"
        mkfifo(fifo, 0o600)
        let child = try Program("/bin/sh").start(
            ["-c", script, scene.tool.tool.path, fifo],
            environment: scene.tool.tool.variables(scene.environment))
        _ = try await child.find(/(ready)/)
        child.signal(SIGHUP)
        try SystemFiles.writeLine("go", to: fifo)
        #expect(try await child.wait().status == 3)
    }

    @Test("a stopped program stops the tool, and continuing the tool continues the program")
    func stopped() async throws {
        let scene = try await Scene()
        let child = try scene.start("trap 'exit 3' USR1; echo pid $$; while :; do sleep 0.02; done")
        let pid = try await number(child)
        kill(pid, SIGSTOP)
        try await wait { state(child.pid) == "T" }
        #expect(state(pid) == "T")
        kill(child.pid, SIGCONT)
        try await wait { state(child.pid) != "T" && state(pid) != "T" }
        child.signal(SIGUSR1)
        #expect(try await child.wait().status == 3)
    }

    @Test("at a terminal Ctrl-Z stops both, fg continues both, and Ctrl-C reaches the program once")
    func terminal() async throws {
        let bash = try #require(Program.onPath("bash"), "bash is not installed; run: Scripts/setup")
        let scene = try await Scene()
        let terminal = try TestTerminal()
        let script = "\(scene.runtime)/script"
        // It waits without starting anything: a shell whose vfork is stopped half-way stops no sooner than that is done.
        try SystemFiles().writeNew(
            script,
            Array("n=0; trap 'n=$((n+1))' INT; echo pid $$\nwhile [ $n = 0 ]; do :; done\n".utf8)
                + Array("sleep 0.3; echo times-$n; exit 5\n".utf8))
        let variables = scene.tool.tool.variables(scene.environment).merging(["PS1": "$ ", "HISTFILE": ""]) { $1 }
        let shell = try Program(bash).start(
            at: terminal, ["--norc", "--noprofile", "--noediting", "-i"], environment: variables)
        terminal.type("'\(scene.tool.tool.path)' exec --refresh -- sh '\(script)'; echo ended-$?\n")
        try await terminal.wait { terminal.screen().contains(/pid \d+\s/) }
        let pid = try #require(terminal.screen().firstMatch(of: /pid (\d+)\s/).flatMap { pid_t($0.1) })
        terminal.type("\u{1A}")
        try await terminal.wait { terminal.screen().contains("Stopped") }
        #expect(state(pid) == "T")
        terminal.type("fg\n")
        try await wait { state(pid) != "T" }
        terminal.type("\u{3}")
        try await terminal.wait { terminal.screen().contains("times-1") }
        terminal.type("exit 0\n")
        _ = try await shell.wait()
        #expect(state(pid) == nil)
        #expect(scene.left == ["script"])
    }

    @Test("killing the tool ends the program, and the next run removes what was left")
    func killed() async throws {
        let scene = try await Scene()
        let child = try scene.start("echo pid $$; while :; do sleep 0.02; done")
        let pid = try await number(child)
        child.signal(SIGKILL)
        #expect(try await child.wait().status == 137)
        #if os(Linux)
            try await wait { state(pid) == nil }
        #else
            kill(pid, SIGTERM)
        #endif
        #expect(scene.left.count == 1)
        #expect(try await scene.start("exit 0").wait().status == 0)
        #expect(scene.left.isEmpty)
    }

    @Test("two at once leave each other's file alone")
    func two() async throws {
        let scene = try await Scene()
        let first = try scene.start(
            #"echo ready; trap 'cat "$LATCHKEY_ACCESS_TOKEN_FILE"; exit 0' USR1; while :; do sleep 0.02; done"#)
        _ = try await first.find(/(ready)/)
        #expect(try await scene.start("exit 0").wait().status == 0)
        first.signal(SIGUSR1)
        #expect(try await first.wait().output.hasPrefix("ready\ndat_"))
        #expect(scene.left.isEmpty)
    }

    @Test("where a refresh needs a sign-in, standard error says so once and the program goes on")
    func signInRequired() async throws {
        let scene = try await Scene(lifetime: 4)
        #expect(scene.tool.server.inject(DevServer.Fault(.spentToken, at: .token, grant: .refreshToken)))
        let child = try scene.start("trap 'echo alive; exit 4' USR1; echo ready; while :; do sleep 0.02; done")
        let said = try await child.find { _, errors in errors.contains("hint:") ? errors : nil }
        #expect(
            said == """
                latchkey: A sign-in is required; the program goes on with the token it has
                hint: Run: latchkey login --profile default

                """)
        child.signal(SIGUSR1)
        let result = try await child.wait()
        #expect(result.output == "ready\nalive\n")
        #expect(result.status == 4)
        #expect(result.errors == said)
        #expect(scene.left.isEmpty)
    }

    @Test("a refresh that is under way when the program ends is waited for, and its answer is not lost")
    func underWay() async throws {
        let scene = try await Scene(lifetime: 4)
        #expect(scene.tool.server.inject(DevServer.Fault(.hold, at: .token, grant: .refreshToken)))
        let child = try scene.start("trap 'echo ending; exit 0' USR1; echo ready; while :; do sleep 0.02; done")
        try await wait { scene.tool.server.heldAnswers == 1 }
        child.signal(SIGUSR1)
        _ = try await child.find(/(ending)/)
        #expect(scene.tool.server.release() == 1)
        #expect(try await child.wait().status == 0)
        #expect(try await scene.tool.run("refresh").status == 0)
    }
}

extension SystemFiles {
    /// Writes to what is there already, such as a pipe.
    fileprivate static func writeLine(_ line: String, to path: String) throws {
        let file = open(path, O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        _ = write(file, "\(line)\n", line.utf8.count + 1)
    }
}
