import FoundationEssentials
import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Testing

@testable import LatchkeyCommand

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Profiles whose directories are where earlier versions kept them.
@Suite("The move of a profile's directory", .timeLimit(.minutes(3))) struct StoreRelocationTests {
    private let files = SystemFiles()

    private func root(_ tool: Tool) -> String { "\(tool.data)/latchkey" }

    /// Puts the directory of `profile` where an earlier version would have it.
    private func age(_ profile: String = "default", of tool: Tool) throws {
        try files.makeDirectory("\(root(tool))/latchkey")
        try files.rename("\(root(tool))/\(profile)", to: "\(root(tool))/latchkey/\(profile)")
    }

    /// The content of every record below a directory, by the file's name.
    private func records(_ directory: String) -> [String: [UInt8]] {
        let found = FilesBelow.list(directory).filter { $0.hasSuffix(".record") }.map { path in
            (String(path.dropFirst(directory.count)), (try? files.read(path, limit: 1 << 20)) ?? [])
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    private func isThere(_ path: String) -> Bool { (try? files.status(path)) ?? nil != nil }

    @Test("a person who was signed in still is, no byte of a record changes, and nothing stays at the old place")
    func moves() async throws {
        let scene = try await SignedIn()
        let (token, before) = (try await scene.run("token").line, records("\(root(scene.tool))/default"))
        try #require(before.count >= 2)
        try age(of: scene.tool)
        let status = try await scene.run("status")
        #expect(status.status == 0 && status.errors.isEmpty, "\(status.errors)")
        #expect(status.output.contains("unencrypted files at \(root(scene.tool))/default\n"))
        #expect(records("\(root(scene.tool))/default") == before)
        #expect(!isThere("\(root(scene.tool))/latchkey"))
        #expect(try await scene.run("token").line == token)
        #expect(try await scene.run("refresh").status == 0)
    }

    @Test("many commands at once move it once, and each finds the person signed in")
    func race() async throws {
        let scene = try await SignedIn()
        let (token, before) = (try await scene.run("token").line, records("\(root(scene.tool))/default"))
        for _ in 0..<5 {
            try age(of: scene.tool)
            let children = try (0..<8).map { _ in try scene.start(["token"]) }
            for child in children {
                let result = try await child.wait()
                #expect(result.status == 0 && result.output == token + "\n", "\(result.errors)")
            }
            #expect(records("\(root(scene.tool))/default") == before)
            #expect(!isThere("\(root(scene.tool))/latchkey"))
        }
    }

    @Test("a command that is killed at any moment leaves the directory at one of the places, whole")
    func kills() async throws {
        let scene = try await SignedIn()
        let (token, before) = (try await scene.run("token").line, records("\(root(scene.tool))/default"))
        var moved = 0
        for pause in 0..<24 {
            try age(of: scene.tool)
            let child = try scene.start(["token"])
            usleep(UInt32(pause) * 1_500)
            child.signal(SIGKILL)
            _ = try await child.wait()
            let (old, new) = (records("\(root(scene.tool))/latchkey/default"), records("\(root(scene.tool))/default"))
            #expect((old == before && new.isEmpty) || (new == before && old.isEmpty), "after \(pause)")
            if old.isEmpty { moved += 1 }
            #expect(try await scene.run("token").line == token)
        }
        print("killed=24 moved-before-death=\(moved)")
    }

    @Test("if both places have sessions, the new one counts, the old one stays, and the person is told of it")
    func both() async throws {
        let scene = try await SignedIn()
        try age(of: scene.tool)
        let old = "\(root(scene.tool))/latchkey/default"
        // What an earlier version has, beside what this one has.
        let copy = records(old)
        #expect(try await scene.run("logout").status == 0)
        try files.makeDirectory(old)
        for (name, bytes) in copy { try files.writeNew(old + name, bytes) }
        let status = try await scene.run("status")
        #expect(status.status == 3)
        let sentence = "latchkey: Sessions of the profile default from an earlier version are at \(old); "
        #expect(status.errors.hasPrefix(sentence), "\(status.errors)")
        #expect(status.errors.contains("others at \(root(scene.tool))/default."))
        #expect(records(old) == copy)
        let json = try await scene.run("doctor", "--offline", "--json")
        #expect(json.errors.isEmpty)
        let message = "Sessions from an earlier version are at \(old), and are not used"
        #expect(json.output.contains(#""check":"leftovers","message":"\#(message)""#), "\(json.output)")
    }

    @Test("an empty directory at the new place is no reason to leave sessions at the old one")
    func empty() async throws {
        let scene = try await SignedIn()
        try age(of: scene.tool)
        try files.makeDirectory("\(root(scene.tool))/default")
        #expect(try await scene.run("token").status == 0)
        #expect(!isThere("\(root(scene.tool))/latchkey"))
    }

    @Test(
        "a profile named like another directory there has one of its own, new or moved",
        arguments: ["audit", "latchkey", "agent", "Audit"])
    func names(_ name: String) async throws {
        let scene = try await SignedIn()
        try await SignedIn.login(scene.tool, scene.server, ["--profile", name])
        let (new, old) = ("\(root(scene.tool))/_\(name)", "\(root(scene.tool))/latchkey/\(name)")
        #expect(!records(new).isEmpty)
        let token = try await scene.run("token", "--profile", name).line
        try #require(token.hasPrefix("dat_"))
        try files.makeDirectory("\(root(scene.tool))/latchkey")
        try files.rename(new, to: old)
        try age(of: scene.tool)
        #expect(try await scene.run("token", "--profile", name).line == token)
        #expect(!records(new).isEmpty && !isThere("\(root(scene.tool))/latchkey"))
        #expect(try await scene.run("log", "verify", "--profile", name).status == 0)
        #expect(try await scene.run("profiles", "remove", name, "--force").status == 0)
        #expect(!isThere(new))
        #expect(try await scene.run("token", "--profile", "default").status == 0)
        #expect(try await scene.run("log", "verify", "--profile", "default").status == 0)
    }

    /// The disk of a person whose directories cannot be renamed.
    private struct ReadOnlyNames: ForwardingFiles {
        let inner: any FileAccess = SystemFiles()

        func rename(_ source: String, to target: String) throws { throw FileError.readOnly }
    }

    private func relocation(_ tool: Tool, clock: any AuthClock, files: any FileAccess) throws -> StoreRelocation {
        guard case .run(let arguments) = try Parser().parse(["token"]) else { throw CancellationError() }
        return try StoreRelocation(
            Invocation(
                arguments: arguments, environment: tool.variables(), console: .standard,
                world: .testing(clock: clock, files: files)))
    }

    @Test("where nothing can be renamed, the old place stays in use")
    func readOnly() async throws {
        let scene = try await SignedIn()
        try age(of: scene.tool)
        let relocation = try relocation(scene.tool, clock: ManualClock(), files: ReadOnlyNames())
        await relocation.run()
        #expect(relocation.directory(of: "default") == "\(root(scene.tool))/latchkey/default")
        #expect(relocation.directory(of: "new") == "\(root(scene.tool))/new")
        #expect(relocation.leftBehind(of: "default") == nil)
    }

    @Test("a request that is under way is waited for; once ten seconds are over, it is not", arguments: ["", "/vault"])
    func underWay(_ inner: String) async throws {
        let scene = try await SignedIn()
        try age(of: scene.tool)
        let old = "\(root(scene.tool))/latchkey/default"
        try files.makeDirectory(old + inner)
        // As each lock of a credential does.
        let held = try #require(try files.lock(old + inner, sharing: true))
        let clock = ManualClock()
        let relocation = try relocation(scene.tool, clock: clock, files: files)
        let run = Task { await relocation.run() }
        var waited = Duration.zero
        while waited < .seconds(10) {
            try await clock.waitForSleepers()
            #expect(isThere(old) && !isThere("\(root(scene.tool))/default"))
            waited += clock.advanceToNextSleeper() ?? .zero
        }
        await run.value
        #expect(relocation.directory(of: "default") == old)
        held.release()
        await relocation.run()
        #expect(relocation.directory(of: "default") == "\(root(scene.tool))/default")
        #expect(try await scene.run("token").status == 0)
    }

    @Test("who works at the old place while it is moved is told that the store is gone, and makes no second one")
    func stranger() async throws {
        let scene = try await SignedIn()
        try age(of: scene.tool)
        let store = FileStore(unencryptedAt: "\(root(scene.tool))/latchkey/default")
        let keys = try store.keys(.credential)
        let key = try #require(keys.first)
        let record = try #require(try store.read(key))
        #expect(try await scene.run("token").status == 0)
        for use in [
            { _ = try store.read(key) }, { try await store.replace(key, at: record.version, with: [1]) },
            { try await store.lane(key, deadline: .zero).release() },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: AuthError.self) { try await use() }
            #expect(error?.code == .store(.unavailable))
        }
        #expect(!isThere("\(root(scene.tool))/latchkey"))
    }
}
