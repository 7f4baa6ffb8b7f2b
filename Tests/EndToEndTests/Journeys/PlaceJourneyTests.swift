import Latchkey
import LatchkeyDevServer
import LatchkeyJSON
import Proofs
import Testing

@Suite("Where the session is") struct PlaceJourneyTests {
    private static let passphrase = "correct horse battery staple"

    private func login(
        _ tool: Tool, _ server: DevServer, _ more: [String] = [], environment: [String: String] = [:],
        input: String = ""
    ) async throws -> Program.Result {
        try await tool.start(
            ["login", "--issuer", server.issuer, "--client-id", "dev-device", "--device"] + more,
            environment: environment, input: input
        ).wait()
    }

    private func encrypted(_ tool: Tool, _ server: DevServer) async throws {
        let result = try await login(
            tool, server, ["--store", "encrypted", "--passphrase-from-stdin"], input: "\(Self.passphrase)\n")
        try #require(result.status == 0, "\(result.errors)")
    }

    @Test("where nobody chooses and no keyring answers it is files, and login says which and how to encrypt them")
    func usual() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        let result = try await login(tool, server, environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("The session is in unencrypted files at \(tool.data)/"))
        #expect(result.output.contains("latchkey store migrate --to encrypted"))
    }

    @Test("login for another place names the one that it has, and the line that moves it works as it is shown")
    func moving() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        for profile in ["work", "default"] {
            let result = try await login(tool, server, ["--profile", profile, "--store", "file"])
            try #require(result.status == 0, "\(result.errors)")
        }
        for (profile, option) in [("work", " --profile work"), ("default", "")] {
            let asked = ["--profile", profile, "--store", "encrypted"]
            let refused = try await login(tool, server, asked)
            #expect(refused.status != 0 && refused.errors.contains("already keeps a session in unencrypted files"))
            let found = refused.errors.firstMatch(of: /"latchkey (store migrate[^"]*)"/)
            let line = String(try #require(found, "\(refused.errors)").1)
            #expect(line == "store migrate --to encrypted\(option)")
            let words = line.split(separator: " ").map(String.init) + ["--passphrase-from-stdin"]
            let moved = try await tool.start(words, input: "\(Self.passphrase)\n").wait()
            #expect(moved.status == 0, "\(moved.errors)")
            let kind = try await tool.run("status", "--json", "--profile", profile).json?["store"]?["kind"]?.string
            #expect(kind == "encryptedFile")
        }
    }

    @Test("an encrypted session is locked, and not signed out; no token is in any file")
    func locked() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        try await encrypted(tool, server)
        for (command, status) in [("status", 5), ("token", 5), ("refresh", 5)] as [(String, Int32)] {
            let result = try await tool.run(command)
            #expect(result.status == status, "\(command): \(result.errors)")
        }
        let shown = try await tool.run("status", "--json").json.map { JSONField($0) }
        #expect(try shown?["state"].string() == "locked")
        #expect(try shown?["store"]["kind"].string() == "encryptedFile")
        let content = FilesBelow.content(tool.folder.path)
        for secret in ["dat_", "drt_", Self.passphrase] { #expect(!content.contains(secret)) }
    }

    @Test("the agent asks once, and gives the key to nobody; locking ends it")
    func agent() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        try await encrypted(tool, server)
        let wrong = try await tool.run("unlock", "--passphrase-from-stdin", input: "another passphrase\n")
        #expect(wrong.status == 6, "\(wrong.errors)")
        #expect(try await tool.run("agent", "status").status == 5)
        let right = try await tool.run(
            "unlock", "--for", "1m", "--passphrase-from-stdin", input: "\(Self.passphrase)\n")
        #expect(right.status == 0, "\(right.errors)")
        let first = try await tool.run("token").line
        #expect(first.hasPrefix("dat_"))
        #expect(try await tool.run("token").line == first)
        #expect(try await tool.run("lock").status == 0)
        #expect(try await tool.run("token").status == 5)
    }

    @Test("what is demanded and not there is an error, and the service is not asked")
    func demanded() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        for environment in [
            ["LATCHKEY_STORE": "vault"], ["LATCHKEY_STORE": "encrypted"], ["LATCHKEY_STORE": "keyring"],
        ] {
            let result = try await login(
                tool, server,
                environment: environment.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]) { $1 })
            #expect(result.status != 0)
        }
        #expect(server.log().isEmpty)
        #expect(try await login(tool, server).status == 0)
        let weaker = try await tool.run("token", environment: ["LATCHKEY_STORE": "encrypted"])
        #expect(weaker.status == 8)
        #expect(weaker.errors.contains("latchkey store migrate --to encrypted"))
        #expect(try await tool.run("logout", environment: ["LATCHKEY_STORE": "encrypted"]).status == 0)
    }

    @Test("a place that cannot be written is found out before the service is asked")
    func unwritable() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        try SystemFiles().writeNew("\(tool.folder.path)/blocked", [])
        let result = try await login(tool, server, environment: ["XDG_DATA_HOME": "\(tool.folder.path)/blocked"])
        #expect(result.status == 7, "\(result.errors)")
        #expect(server.log().isEmpty)
    }

    @Test("a session moves to the encrypted file and back, and nothing is left where it was", .need("N7"))
    func migrates() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        #expect(try await login(tool, server).status == 0)
        let token = try await tool.run("token").line
        let moved = try await tool.run(
            "store", "migrate", "--to", "encrypted", "--passphrase-from-stdin", input: "\(Self.passphrase)\n")
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(!FilesBelow.content(tool.data).contains(token))
        #expect(try await tool.run("token").status == 5)
        let back = try await tool.run(
            "store", "migrate", "--to", "file", "--passphrase-from-stdin", input: "\(Self.passphrase)\n")
        #expect(back.status == 0, "\(back.errors)")
        #expect(try await tool.run("token").line == token)
    }

    @Test("a recovery code, a key file and a new key open what they should, and a removed one nothing", .need("N6"))
    func slots() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        try await encrypted(tool, server)
        let unlocked = try await tool.run("unlock", "--passphrase-from-stdin", input: "\(Self.passphrase)\n")
        try #require(unlocked.status == 0, "\(unlocked.errors)")
        let added = try await tool.run("store", "add-slot", "--recovery-code", "--json").json.map { JSONField($0) }
        #expect(try added?["recoveryCode"].string().count == 44)
        #expect(try await tool.run("store", "add-slot", "--key-file", "\(tool.folder.path)/key").status == 0)
        _ = try await tool.run("lock")
        // The file opens it now, and nobody is asked.
        #expect(try await tool.run("token").line.hasPrefix("dat_"))
        let rekeyed = try await tool.run(
            "store", "rekey", "--new-key", "--passphrase-from-stdin", input: "another long passphrase\n")
        #expect(rekeyed.status == 0, "\(rekeyed.errors)")
        #expect(rekeyed.output.contains("slot 1"))
        #expect(try await tool.run("store", "remove-slot", "2").status == 0)
        #expect(try await tool.run("token").status == 5)
        let old = try await tool.run("unlock", "--passphrase-from-stdin", input: "\(Self.passphrase)\n")
        #expect(old.status == 6)
        let new = try await tool.run("unlock", "--passphrase-from-stdin", input: "another long passphrase\n")
        #expect(new.status == 0, "\(new.errors)")
        _ = try await tool.run("lock")
    }

    @Test("after wiping nothing is there, and wiping is never done by a slip")
    func wiped() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        try await encrypted(tool, server)
        #expect(try await tool.run("store", "wipe").status == 2)
        #expect(try await tool.run("store", "wipe", "--yes").status == 0)
        #expect(try await tool.run("status").status == 3)
    }

    @Test("a damaged record of one account blocks neither the status nor the sign-out of another")
    func damagedNeighbour() async throws {
        let (tool, server) = (try Tool(), try Service.start())
        for name in ["ada", "grace"] {
            #expect(try await SignedIn.login(tool, server, ["--account", name]).status == 0)
        }
        let files = SystemFiles()
        let records = FilesBelow.list(tool.data).filter { $0.hasSuffix(".record") }
        let path = try #require(records.first { FilesBelow.content($0).contains("user-ada") })
        let bytes = try #require(try files.read(path, limit: 1 << 20))
        try files.remove(path)
        try files.writeNew(path, bytes.dropLast(4) + [0x21, 0x21, 0x21, 0x21])
        for arguments in [["status"], ["status", "--account", "grace@example.test"]] {
            let status = try await tool.start(arguments).wait()
            #expect(status.status == 0, "\(status.errors)")
            #expect(status.output.contains("grace@example.test") && status.output.contains("problem"))
        }
        #expect(try await tool.run("logout", "--account", "grace@example.test").status == 0)
        let left = try await tool.run("status")
        #expect(left.status == 7, "\(left.output)")
        #expect(left.errors.contains(path))
    }
}
