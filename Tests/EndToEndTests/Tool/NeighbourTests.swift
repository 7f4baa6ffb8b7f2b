import Latchkey
import LatchkeyDevServer
import Proofs
import Testing

@testable import LatchkeyCommand

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// What another user of the machine can do with the directories that the tool uses.
@Suite("Another user and the tool's directories", .timeLimit(.minutes(2))) struct NeighbourTests {
    /// Another user, who runs programs; `nil`, with the reason in print, where this machine lets us have none.
    private struct Neighbour {
        static let number: uid_t = 65_534
        private let setpriv: Program

        init?() {
            guard geteuid() == 0, let path = Program.onPath("setpriv") else {
                print("second user: skipped: that takes root and setpriv")
                return nil
            }
            setpriv = Program(path)
        }

        func run(_ words: String...) async throws -> Int32 {
            let user = String(Self.number)
            return try await setpriv.run(["--reuid", user, "--regid", user, "--clear-groups", "--"] + words).status
        }
    }

    /// How a directory comes to let the neighbour in.
    struct Door: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var owner: uid_t
        var mode: mode_t
        var fault: String
    }

    static let doors = [
        Door(testDescription: "his own", owner: 65_534, mode: 0o755, fault: "belongs to another user (65534)"),
        Door(testDescription: "writable by his group", owner: 0, mode: 0o775, fault: "may be changed by a group"),
        Door(testDescription: "writable by everybody", owner: 0, mode: 0o777, fault: "may be changed by everybody"),
    ]

    @Test(
        "who moves the store away makes the tool fail, and not say that nobody is signed in", .standard(47),
        arguments: doors)
    func store(door: Door) async throws {
        guard let neighbour = Neighbour() else { return }
        let signedIn = try await SignedIn()
        let data = signedIn.data
        let before = try await signedIn.run("token")
        #expect(before.status == 0)
        signedIn.folder.setMode(signedIn.folder.path, 0o755)
        let name = try #require(try SystemFiles().list(data).first)
        try #require(chown(data, door.owner, Neighbour.number) == 0 && chmod(data, door.mode) == 0)
        #expect(try await neighbour.run("mv", "\(data)/\(name)", "\(data)/away") == 0)
        for command in ["token", "status", "accounts"] {
            let result = try await signedIn.run(command)
            print(
                "second user: uid 65534 moves the store away (\(door.testDescription)): latchkey \(command): \(result.errors)"
            )
            #expect(result.errors.contains("\(data) \(door.fault)"))
            #expect(!(result.output + result.errors).contains("igned out"))
            #expect(result.status == ExitStatus.store.code)
        }
        try #require(chown(data, 0, 0) == 0 && chmod(data, 0o755) == 0)
        try #require(rename("\(data)/away", "\(data)/\(name)") == 0)
        #expect(try await signedIn.run("token").output == before.output)
    }

    @Test("who can replace the profiles decides nothing", arguments: doors)
    func profiles(door: Door) async throws {
        guard let neighbour = Neighbour() else { return }
        let signedIn = try await SignedIn()
        let configuration = signedIn.configuration
        signedIn.folder.setMode(signedIn.folder.path, 0o755)
        try #require(chown(configuration, door.owner, Neighbour.number) == 0 && chmod(configuration, door.mode) == 0)
        #expect(try await neighbour.run("mv", "\(configuration)/latchkey", "\(configuration)/away") == 0)
        for command in ["token", "profiles", "status"] {
            let result = try await signedIn.run(command)
            #expect(result.errors.contains("\(configuration) \(door.fault)"), "\(command): \(result.errors)")
            #expect(result.status == ExitStatus.store.code, "\(command)")
        }
        let again = try await signedIn.run("login", "--issuer", signedIn.server.issuer, "--client-id", "dev-native")
        #expect(again.errors.contains("\(configuration) \(door.fault)"), "\(again.errors)")
        #expect(try SystemFiles().list(configuration) == ["away"])
    }

    @Test("the name of the default profile is not taken from a file that others may change, nor through a link to one")
    func defaultProfile() throws {
        let folder = TemporaryFolder()
        let store = try ProfileStore(environment: ["XDG_CONFIG_HOME": folder.path], world: .system)
        try store.setDefault("work")
        let path = "\(folder.path)/latchkey/default-profile"
        for mode in [0o620, 0o602] as [UInt32] {
            folder.setMode(path, mode)
            let error = #expect(throws: ToolError.self) { try store.defaultName() }
            #expect(error?.error?.code == .store(.insecurePermissions))
        }
        folder.setMode(path, 0o600)
        #expect(try store.defaultName() == "work")
        try #require(rename(path, "\(folder.path)/other") == 0)
        folder.link(path, to: "\(folder.path)/other")
        #expect(try store.defaultName() == "work")
        folder.setMode(folder.path, 0o755)
        folder.setMode("\(folder.path)/other", 0o602)
        let error = #expect(throws: ToolError.self) { try store.defaultName() }
        #expect(error?.error?.code == .store(.insecurePermissions))
    }

    @Test(
        "the directory of the profiles may not be written by others, and its parents neither",
        arguments: ["", "/latchkey", "/latchkey/profiles"])
    func profileDirectories(place: String) throws {
        let folder = TemporaryFolder()
        let store = try ProfileStore(environment: ["XDG_CONFIG_HOME": folder.path], world: .system)
        let profile = Profile(name: "work", issuer: "https://id.example", clientID: "notes")
        try store.save(profile)
        for outer in ["", "/latchkey"] { folder.setMode(folder.path + outer, 0o755) }
        folder.setMode("\(folder.path)\(place)", 0o772)
        for use in [
            { _ = try store.names() }, { _ = try store.profile("work") }, { try store.save(profile) },
            { try store.remove("work") },
        ] as [() throws -> Void] {
            let error = #expect(throws: AuthError.self) { try use() }
            #expect(error?.code == .store(.insecurePermissions))
            #expect(error?.message == "\(folder.path)\(place) may be changed by everybody")
        }
        folder.setMode("\(folder.path)\(place)", 0o755)
        #expect(try store.profile("work") == profile)
    }

    @Test("a client's secret is not read below a directory that others may change")
    func clientSecret() throws {
        let folder = TemporaryFolder()
        try SystemFiles().makeDirectory("\(folder.path)/a/b")
        try SystemFiles().writeNew("\(folder.path)/a/secret", Array("s3cr3t".utf8))
        let path = "\(folder.path)/a/b/../secret"
        #expect(try ClientSecrets.read(path, SystemFiles()) == Secret("s3cr3t"))
        folder.setMode(folder.path, 0o755)
        folder.setMode("\(folder.path)/a", 0o722)
        let error = #expect(throws: AuthError.self) { try ClientSecrets.read(path, SystemFiles()) }
        #expect(error?.code == .store(.insecurePermissions))
    }

    @Test("exec --refresh keeps no token below a TMPDIR that is shared and not sticky, and says what to do")
    func sharedTemporary() async throws {
        let signedIn = try await SignedIn()
        let shared = "\(signedIn.folder.path)/shared"
        try SystemFiles().makeDirectory(shared)
        signedIn.folder.setMode(signedIn.folder.path, 0o755)
        for (mode, isRefused) in [(0o777, true), (0o772, true), (0o1777, false), (0o755, false)] as [(UInt32, Bool)] {
            signedIn.folder.setMode(shared, mode)
            let result = try await signedIn.run(
                "exec", "--refresh", "--", "sh", "-c",
                "echo ran; dirname \"$(dirname \"$LATCHKEY_ACCESS_TOKEN_FILE\")\"",
                environment: ["TMPDIR": shared])
            #expect(result.output == (isRefused ? "" : "ran\n\(shared)\n"), "\(result.errors)")
            #expect((result.status == ExitStatus.store.code) == isRefused)
            #expect(result.errors.contains("\(shared) may be changed by") == isRefused)
            #expect(result.errors.contains("TMPDIR to a directory that is yours alone") == isRefused)
            #expect(try SystemFiles().list(shared).isEmpty)
        }
    }

    @Test(
        "a token's directory that was replaced by a link is emptied where it is, and nothing is removed behind the link"
    )
    func replacedByLink() throws {
        let folder = TemporaryFolder()
        let (base, dear) = ("\(folder.path)/run", "\(folder.path)/dear")
        try SystemFiles().makeDirectory(base)
        try SystemFiles().makeDirectory(dear)
        try SystemFiles().writeNew("\(dear)/thesis", [1])
        let file = try TokenFile(environment: ["XDG_RUNTIME_DIR": base], world: .system)
        try file.write(Secret("first"))
        let directory = String(file.path.dropLast("/access-token".count))
        try #require(rename(directory, "\(base)/moved") == 0)
        folder.link(directory, to: dear)
        try file.write(Secret("second"))
        #expect(try SystemFiles().list(dear) == ["thesis"])
        file.remove()
        #expect(try SystemFiles().list(dear) == ["thesis"])
        #expect(try SystemFiles().list("\(base)/moved").isEmpty)
        // What lies there under such a name and is none of ours stays too.
        folder.link("\(base)/latchkey-exec-0", to: dear)
        try TokenFile(environment: ["XDG_RUNTIME_DIR": base], world: .system).remove()
        #expect(try SystemFiles().list(dear) == ["thesis"])
    }
}
