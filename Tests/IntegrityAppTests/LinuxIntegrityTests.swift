import IntegrityApp
import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@Suite("Signs of interference on Linux")
struct LinuxIntegrityTests {
    private static let calm = "Name:\tapp\nTracerPid:\t0\nUid:\t1000\n"
    private static let own = """
        5600-5700 r-xp 00000000 08:01 1 /home/ada/app
        7f00-7f10 r-xp 00001000 08:01 2 /usr/lib/x86_64-linux-gnu/libc.so.6
        7f10-7f20 r--p 00001000 08:01 3 /tmp/data.so
        7ffc-7ffd r-xp 00000000 00:00 0 [vdso]

        """

    private func findings(
        _ environment: [String: String] = [:], status: String? = calm, maps: String? = own,
        trusted: [String] = LinuxIntegrity.systemFolders
    ) async -> [IntegrityFinding] {
        var context = PluginContext.system
        context.files = ProcessFiles(entries: ["/proc/self/status": status, "/proc/self/maps": maps])
        return await LinuxIntegrity(environment: environment, trusted: trusted, context: context).check()
    }

    @Test("A process by itself: nothing")
    func calm() async { #expect(await findings(["LD_PRELOAD": ""]) == []) }

    @Test("A tracer is seen", .need("R6"))
    func tracer() async {
        #expect(await findings(status: "TracerPid:\t4711\n") == [.debuggerAttached])
    }

    @Test("Libraries in front of all others are seen by their file names, each once")
    func preloaded() async {
        let environment = ["LD_PRELOAD": "/tmp/a/hook.so libother.so:/b/hook.so", "LD_AUDIT": "/x/audit.so"]
        #expect(
            await findings(environment) == [.preloaded("hook.so"), .preloaded("libother.so"), .preloaded("audit.so")])
    }

    @Test(
        "Code from a library that is elsewhere, in memory only or removed is seen, though the environment is clean",
        arguments: [
            ("/tmp/hook.so", "hook.so"), ("/usr/lib/../../tmp/hook.so.1", "hook.so.1"),
            ("/memfd:hook (deleted)", "memfd:hook (deleted)"), ("/usr/lib/a.so (deleted)", "a.so (deleted)"),
            ("/home/ada/a library.so", "a library.so"), ("/libs/x.so", "x.so"),
        ])
    func foreign(path: String, name: String) async {
        let line = "7f30-7f40 r-xp 00000000 08:01 9 \(path)\n"
        #expect(await findings(maps: Self.own + line + line) == [.foreignLibrary(name)])
    }

    @Test("The app names the places of its own libraries")
    func trusted() async {
        let line = "7f30-7f40 r-xp 00000000 08:01 9                          /opt/swift/lib/libswiftCore.so\n"
        #expect(await findings(maps: Self.own + line) == [.foreignLibrary("libswiftCore.so")])
        let places = LinuxIntegrity.systemFolders + ["/opt/swift/lib/"]
        #expect(await findings(maps: Self.own + line, trusted: places) == [])
    }

    @Test("What cannot be looked at is told, and hides nothing that was seen")
    func unreadable() async {
        #expect(await findings(status: nil) == [.notChecked])
        #expect(await findings(["LD_PRELOAD": "a.so"], maps: nil) == [.preloaded("a.so"), .notChecked])
        #expect(await findings(status: "no such line") == [.notChecked])
    }

    #if os(Linux)
        @Test("The test's own process can be looked at")
        func real() async {
            let found = await LinuxIntegrity(environment: [:], trusted: ["/"]).check()
            #expect(!found.contains(.notChecked))
        }
    #endif
}

/// Two files of a process; others are not there.
private struct ProcessFiles: ForwardingFiles {
    let inner: any FileAccess = SystemFiles()
    let entries: [String: String?]

    func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? {
        entries[path]?.map { Array($0.utf8) }
    }
}
