import Latchkey
import LatchkeyDevServer
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// What a sign-in that fails leaves behind.
@Suite("A first sign-in that fails", .timeLimit(.minutes(3))) struct FirstLoginTests {
    /// A login at a service that is not there.
    private static let hopeless = ["login", "--issuer", "http://127.0.0.1:9", "--client-id", "x", "--no-browser"]

    /// Everything below the home directory of `tool`, but for the security log.
    private func left(_ tool: Tool) -> [String] {
        FilesBelow.list(tool.folder.path).map { String($0.dropFirst(tool.folder.path.count)) }
            .filter { !$0.hasPrefix("/data/latchkey/audit/") }
    }

    private func folders(_ tool: Tool) throws -> [String] {
        try SystemFiles().list("\(tool.data)/latchkey").filter { $0 != "audit" }
    }

    private func expectNothing(_ tool: Tool, _ what: String) async throws {
        #expect(left(tool).isEmpty, "\(what)")
        #expect(try folders(tool).isEmpty, "\(what)")
        #expect(try await tool.run("profiles", "--names").output.isEmpty, "\(what)")
    }

    @Test(
        "leaves no profile, no directory and no file",
        arguments: [
            ("no service", "login --issuer http://127.0.0.1:9 --client-id x --no-browser", ""),
            ("no service, detached", "login --issuer http://127.0.0.1:9 --client-id x --detach", ""),
            ("a wrong password", "login --supabase URL --key KEY --account ada@a.test --password-from-stdin", "no\n"),
            ("a secret that is missing", "login --issuer URL --client-id x --client-secret-file /nowhere", ""),
            ("a token that is none", "login --issuer URL --client-id dev-native --with-token", "none\n"),
        ])
    func fails(_ what: String, _ line: String, _ input: String) async throws {
        let project = try Project()
        let words = line.split(separator: " ").map { word in
            word == "URL" ? project.server.issuer : word == "KEY" ? Project.key : String(word)
        }
        let result = try await project.tool.start(words, input: input).wait()
        #expect(result.status != 0, "\(what)")
        try await expectNothing(project.tool, what)
    }

    @Test("leaves no encrypted file that it made itself")
    func encrypted() async throws {
        let tool = try Tool()
        let result = try await tool.run(
            "login", "--issuer", "http://127.0.0.1:9", "--client-id", "x", "--no-browser", "--store", "encrypted",
            "--passphrase-from-stdin", environment: ["XDG_STATE_HOME": "\(tool.folder.path)/data/latchkey/audit/state"],
            input: "a passphrase of some length\na passphrase of some length\n")
        #expect(result.status == 4, "\(result.errors)")
        try await expectNothing(tool, "encrypted")
    }

    @Test("leaves nothing when it is interrupted, not even what it was waiting for", arguments: [SIGINT, SIGTERM])
    func interrupted(_ signal: Int32) async throws {
        let server = try Service.start()
        for way in [["--client-id", "dev-device", "--device"], ["--client-id", "dev-native", "--no-browser"]] {
            let tool = try Tool()
            let child = try tool.start(["login", "--issuer", server.issuer] + way)
            _ = try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+)/)
            child.signal(signal)
            #expect(try await child.wait().status == 128 + signal)
            try await expectNothing(tool, "\(way)")
        }
    }

    @Test("takes nothing from another sign-in at the same profile that is under way, and the last one tidies up")
    func together() async throws {
        let server = try Service.start()
        let words = ["login", "--issuer", server.issuer, "--client-id", "dev-native", "--no-browser"]
        for succeeds in [true, false] {
            let tool = try Tool()
            let child = try tool.start(words)
            let address = try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/[a-z]+\?\S+)/)
            #expect(try await tool.start(Self.hopeless).wait().status == 4)
            if succeeds {
                try await Browser().visit(address)
                let result = try await child.wait()
                #expect(result.status == 0, "\(result.errors)")
                #expect(try await tool.run("token").line.hasPrefix("dat_"))
            } else {
                child.interrupt()
                _ = try await child.wait()
                try await expectNothing(tool, "both failed")
            }
        }
    }

    /// A browser sign-in keeps a record while it waits; a password has nothing in the store until it is taken.
    @Test("loses no session to another one that fails, where nothing is stored before the session")
    func nothingStoredYet() async throws {
        let project = try Project()
        project.server.inject(DevServer.Fault(.hold, at: .supabaseToken))
        let child = try project.tool.start(
            project.words(["--account", Project.ada, "--password-from-stdin"]), input: Project.password + "\n")
        // It has made the directory, tried the store out, and waits for the service.
        try #require(
            try await Child.poll(within: 20) {
                project.server.log().contains { $0.endpoint == .supabaseToken } ? true : nil
            }
                != nil)
        for _ in 0..<3 {
            #expect(try await project.tool.start(Self.hopeless).wait().status == 4)
        }
        project.server.release()
        let result = try await child.wait()
        #expect(result.status == 0, "\(result.errors)")
        #expect(try await project.run("token").status == 0)
    }

    @Test("removes nothing that it did not make: other files, and what a known profile has")
    func strangers() async throws {
        let tool = try Tool()
        let directory = "\(tool.data)/latchkey/default"
        try SystemFiles().makeDirectory(directory)
        try SystemFiles().writeNew("\(directory)/notes.txt", [1])
        #expect(try await tool.start(Self.hopeless).wait().status == 4)
        #expect(FilesBelow.list(directory).contains("\(directory)/notes.txt"))

        let scene = try await SignedIn()
        #expect(try await scene.run("logout").status == 0)
        let before = FilesBelow.list(scene.data)
        scene.server.stop()
        #expect(try await scene.run("login", "--no-browser").status == 4)
        #expect(FilesBelow.list(scene.data) == before)
        #expect(try await scene.run("profiles", "--names").output == "default\n")
    }

    @Test("a sign-in that is interrupted at a known profile leaves no question that nobody will answer")
    func challenge() async throws {
        let scene = try await SignedIn()
        let records = { FilesBelow.list(scene.data).filter { $0.hasSuffix(".record") } }
        let before = records()
        let child = try scene.start(["login", "--no-browser"])
        _ = try await child.find(/(http:\/\/127\.0\.0\.1:\d+\/authorize)/)
        #expect(records().contains { $0.contains("/challenge-") })
        child.interrupt()
        _ = try await child.wait()
        #expect(records() == before)
    }
}
