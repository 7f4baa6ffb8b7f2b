import Latchkey
import LatchkeySystem
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Trusted directories on the real disk") struct TrustedDirectoryOnDiskTests {
    /// A folder of its own, `a/b/store` in it.
    private final class Place: Sendable {
        let path = "/tmp/latchkey-trust-\(PluginContext.system.randomName(bytes: 8))"
        var store: String { "\(path)/a/b/store" }

        init() throws {
            try SystemFiles().makeDirectory(store)
            try SystemFiles().writeNew("\(store)/note", [1])
            // Others can come as far as the store, so what is on the way counts.
            for name in ["", "/a", "/a/b"] { chmod("\(path)\(name)", 0o755) }
        }

        deinit { Self.remove(path) }

        private static func remove(_ path: String) {
            if unlink(path) == 0 { return }
            for name in (try? SystemFiles().list(path)) ?? [] { remove("\(path)/\(name)") }
            rmdir(path)
        }

        func open(_ demand: TrustedDirectory.Demand = .own) throws -> TrustedDirectory? {
            try TrustedDirectory.open(store, demand, in: SystemFiles())
        }
    }

    private func check(_ rows: [(String, (String) -> Int32)]) throws {
        for (fault, change) in rows {
            let place = try Place()
            try #require(change(place.path) == 0)
            let error = #expect(throws: AuthError.self, "\(fault)") { try place.open() }
            #expect(error?.code == .store(.insecurePermissions))
            #expect(error?.message.hasPrefix("\(place.path)/\(fault)") == true, "\(error?.message ?? "")")
        }
    }

    @Test("what others may write, and links and files in its place, are refused")
    func modes() throws {
        try check([
            ("a/b may be changed by everybody", { chmod("\($0)/a/b", 0o772) }),
            ("a may be changed by everybody", { chmod("\($0)/a", 0o707) }),
            ("a/b/store lets others in", { chmod("\($0)/a/b/store", 0o701) }),
            (
                "a/b/store is a link",
                { rename("\($0)/a/b/store", "\($0)/real") + symlink("\($0)/real", "\($0)/a/b/store") }
            ),
            (
                "a/b is not a directory",
                { rename("\($0)/a/b", "\($0)/real") + mkfifo("\($0)/a/b", 0o600) }
            ),
            (
                "open may be changed by everybody",
                {
                    mkdir("\($0)/open", 0o700) + chmod("\($0)/open", 0o777) + rename("\($0)/a/b", "\($0)/open/b")
                        + symlink("../open/b", "\($0)/a/b")
                }
            ),
        ])
    }

    @Test("what another user owns is refused, and his links too")
    func owners() throws {
        guard geteuid() == 0 else { return print("second user: skipped: only root can make files another user's") }
        let eve: uid_t = 65_534
        try check([
            ("a/b belongs to another user (65534)", { chown("\($0)/a/b", eve, eve) }),
            ("a belongs to another user (65534)", { chown("\($0)/a", eve, eve) }),
            ("a belongs to another user (65534)", { chown("\($0)/a", eve, eve) + chmod("\($0)/a", 0o1777) }),
            ("a/b may be changed by a group", { chown("\($0)/a/b", 0, eve) + chmod("\($0)/a/b", 0o770) }),
            (
                "a/b is a link of another user (65534)",
                {
                    rename("\($0)/a/b", "\($0)/real") + symlink("\($0)/real", "\($0)/a/b")
                        + lchown("\($0)/a/b", eve, eve)
                }
            ),
            (
                "eve belongs to another user (65534)",
                {
                    mkdir("\($0)/eve", 0o755) + chown("\($0)/eve", eve, eve) + rename("\($0)/a/b", "\($0)/eve/b")
                        + symlink("\($0)/eve/b", "\($0)/a/b")
                }
            ),
        ])
    }

    @Test("sticky directories and one's own links on the way are fine")
    func sound() throws {
        let place = try Place()
        try #require(chmod("\(place.path)/a", 0o1777) == 0)
        #expect(try place.open()?.files.read("note", limit: 1) == [1])
        try #require(rename("\(place.path)/a/b", "\(place.path)/real") == 0)
        try #require(symlink("../real", "\(place.path)/a/b") == 0)
        #expect(try place.open()?.path == "\(place.path)/real/store")
        #expect(try TrustedDirectory.open("/tmp", .sound, in: SystemFiles()) != nil)
    }

    @Test("everything works by name in the opened directory, and nothing leads out of it")
    func names() throws {
        let place = try Place()
        let files = try #require(try place.open()).files
        try files.writeNew("new", [2])
        try files.setMode("new", 0o400)
        #expect(try files.status("new")?.mode == 0o400)
        try files.rename("new", to: "note")
        #expect(try files.read("note", limit: 1) == [2])
        try files.makeDirectory("inner")
        #expect(try files.list(".").sorted() == ["inner", "note"])
        #expect(throws: FileError.exists) {
            try SystemFiles().writeNew("\(place.store)/inner/x", [1])
            try files.removeDirectory("inner")
        }
        try SystemFiles().remove("\(place.store)/inner/x")
        try files.removeDirectory("inner")
        try files.removeDirectory("inner")
        try files.syncDirectory(".")
        let lock = try #require(try files.lock(".", sharing: false))
        #expect(lock.isInPlace)
        #expect(try files.lock(".", sharing: true) == nil)
        lock.release()
        try #require(symlink("/etc/passwd", "\(place.store)/link") == 0)
        #expect(throws: FileError.unexpectedKind) { try files.read("link", limit: 1 << 20) }
        for name in ["..", "", "a/b", "/etc/passwd", "../x"] {
            #expect(throws: FileError.unexpectedKind) { try files.read(name, limit: 1 << 20) }
            #expect(throws: FileError.unexpectedKind) { try files.remove(name) }
            #expect(throws: FileError.unexpectedKind) { try files.lock(name, sharing: true) }
        }
    }

    @Test("a lock in a directory that has left its place is none")
    func leftPlace() throws {
        let place = try Place()
        let files = try #require(try place.open()).files
        let lock = try #require(try files.lock("lock", sharing: false))
        try #require(rename(place.store, "\(place.path)/away") == 0)
        #expect(!lock.isInPlace)
        #expect(throws: FileError.missing) { try files.lock("other", sharing: false) }
    }

    /// The door is changed for an unsound one, where another note lies, and back, as fast as the disk allows.
    @Test("a directory that is swapped again and again is the one that was judged, or none")
    func swapped() async throws {
        let place = try Place()
        let (door, evil) = ("\(place.path)/a/b", "\(place.path)/evil")
        try SystemFiles().makeDirectory("\(evil)/store")
        try SystemFiles().writeNew("\(evil)/store/note", [66])
        try #require(chmod(evil, 0o777) == 0)
        let isDone = Locked(false)
        async let swaps = swap(door, evil, aside: "\(place.path)/good", until: isDone)
        var seen: [String: Int] = [:]
        for look in 0..<20_000 {
            do {
                let found = try place.open()?.files.read("note", limit: 1)
                seen[found.map { "\($0[0])" } ?? "absent", default: 0] += 1
            } catch let error as AuthError where error.code == .store(.insecurePermissions) {
                seen["refused", default: 0] += 1
            }
            if look % 100 == 0 { await Task.yield() }
        }
        isDone.withLock { $0 = true }
        let made = await swaps
        #expect(made > 100, "Nobody has swapped.")
        #expect(seen["66"] == nil, "\(made) swaps, \(seen)")
        #expect(seen["1"] != nil && seen["refused"] != nil, "\(made) swaps, \(seen)")
    }

    private func swap(_ door: String, _ evil: String, aside: String, until isDone: Locked<Bool>) async -> Int {
        var made = 0
        while !isDone.withLock({ $0 }) {
            guard rename(door, aside) == 0, rename(evil, door) == 0, rename(door, evil) == 0, rename(aside, door) == 0
            else { return made }
            made += 1
            if made % 100 == 0 { await Task.yield() }
        }
        return made
    }
}
