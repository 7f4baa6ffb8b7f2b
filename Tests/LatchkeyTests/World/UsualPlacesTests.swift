import Latchkey
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Places as usual systems have them, on the real disk") struct UsualPlacesTests {
    /// A folder in which others can go as far as the tests let them.
    private final class Place: Sendable {
        let path = "/tmp/latchkey-place-\(PluginContext.system.randomName(bytes: 8))"

        init(_ folders: (name: String, mode: mode_t)...) throws {
            try make("", 0o755)
            for folder in folders { try make("/" + folder.name, folder.mode) }
        }

        deinit { Self.remove(path) }

        private static func remove(_ path: String) {
            if unlink(path) == 0 { return }
            for name in (try? SystemFiles().list(path)) ?? [] { remove("\(path)/\(name)") }
            rmdir(path)
        }

        func make(_ name: String, _ mode: mode_t) throws {
            try SystemFiles().makeDirectory(path + name)
            try #require(chmod(path + name, mode) == 0)
        }

        func fault(
            _ name: String, _ demand: TrustedDirectory.Demand = .own, in files: SystemFiles = SystemFiles()
        ) -> String? {
            do {
                _ = try TrustedDirectory.open("\(path)/\(name)", demand, in: files)
                return nil
            } catch let error as AuthError {
                return String(error.message.trimmingPrefix(path))
            } catch { return "\(error)" }
        }
    }

    @Test("below a home that no other user can enter, it does not matter who may write to a folder")
    func enclosed() throws {
        let place = try Place(
            ("home", 0o700), ("home/.config", 0o775), ("home/.config/x", 0o777), ("home/.config/x/own", 0o700))
        #expect(place.fault("home/.config/x/own") == nil)
        #expect(place.fault("home/.config/x", .sound) == nil)
        // Without leave to pass through, leave to list or to write opens nothing.
        try #require(chmod("\(place.path)/home", 0o766) == 0)
        #expect(place.fault("home/.config/x/own") == "/home may be changed by everybody")
        try #require(chmod("\(place.path)/home", 0o744) == 0)
        #expect(place.fault("home/.config/x/own") == nil)
        for mode in [0o701, 0o755] as [mode_t] {
            try #require(chmod("\(place.path)/home", mode) == 0)
            #expect(place.fault("home/.config/x/own") == "/home/.config/x may be changed by everybody")
        }
    }

    @Test("the directory that is to be this user's alone is to be closed itself")
    func own() throws {
        let place = try Place(("home", 0o700), ("home/own", 0o755))
        #expect(place.fault("home/own")?.hasPrefix("/home/own lets others in; chmod 700 ") == true)
    }

    @Test("a link out of a closed directory leads where others may be, and the way there is judged")
    func linksOut() throws {
        let place = try Place(
            ("home", 0o700), ("open", 0o777), ("open/own", 0o700), ("home/in", 0o777), ("home/in/own", 0o700))
        for target in ["../open", "\(place.path)/open"] {
            try #require(symlink(target, "\(place.path)/home/out") == 0)
            #expect(place.fault("home/out/own") == "/open may be changed by everybody")
            unlink("\(place.path)/home/out")
        }
        // And into it, from where everybody may write.
        try #require(symlink("../home/in", "\(place.path)/open/door") == 0)
        #expect(place.fault("open/door/own") == "/open may be changed by everybody")
        #expect(place.fault("home/../open/own", .sound) == "/open may be changed by everybody")
    }

    @Test("another user's folder is refused below a closed one too, and so is his link")
    func owners() throws {
        guard geteuid() == 0 else { return print("usual places: skipped: only root can make files another user's") }
        let place = try Place(("home", 0o700), ("home/x", 0o700), ("home/x/own", 0o700))
        try #require(chown("\(place.path)/home/x", 65_534, 65_534) == 0)
        #expect(place.fault("home/x/own") == "/home/x belongs to another user (65534)")
        try #require(chown("\(place.path)/home/x", 0, 0) == 0)
        try #require(rename("\(place.path)/home/x", "\(place.path)/home/y") == 0)
        try #require(symlink("y", "\(place.path)/home/x") == 0 && lchown("\(place.path)/home/x", 65_534, 65_534) == 0)
        #expect(place.fault("home/x/own") == "/home/x is a link of another user (65534)")
    }

    @Test("a group with other members, or one that is not the user's, is others")
    func groups() throws {
        guard geteuid() == 0 else { return print("usual places: skipped: only root can give files to a group") }
        let place = try Place(("team", 0o770), ("team/own", 0o700))
        #expect(place.fault("team/own") == nil, "root's group has no other member here")
        for group in [65_534, 12_345] as [gid_t] {
            try #require(chown("\(place.path)/team", 0, group) == 0)
            #expect(place.fault("team/own") == "/team may be changed by a group")
            #expect(place.fault("team", .sound) == "/team may be changed by a group")
        }
    }

    @Test("one directory is accepted by name, with what is in it, and no other")
    func accepted() throws {
        let place = try Place(
            ("volume", 0o777), ("volume/x", 0o777), ("volume/x/own", 0o777), ("volume2", 0o777), ("volume2/own", 0o700))
        let files = SystemFiles(unsafelyAccepting: "\(place.path)/volume/")
        #expect(place.fault("volume/x/own") == "/volume may be changed by everybody")
        #expect(place.fault("volume/x/own", in: files) == nil)
        #expect(place.fault("volume2/own", in: files) == "/volume2 may be changed by everybody")
        // By the place itself, and not by a link to it or from it.
        try #require(symlink("volume2", "\(place.path)/link") == 0)
        try #require(symlink("../volume2", "\(place.path)/volume/out") == 0)
        #expect(place.fault("link/own", in: SystemFiles(unsafelyAccepting: "\(place.path)/link")) != nil)
        #expect(place.fault("volume/out/own", in: files) == "/volume2 may be changed by everybody")
        // What is above it is judged as always.
        let inner = SystemFiles(unsafelyAccepting: "\(place.path)/volume/x")
        #expect(place.fault("volume/x/own", in: inner) == "/volume may be changed by everybody")
        for nothing in ["/", "", "volume", "\(place.path)/volume/../volume", "//", "/./"] {
            #expect(place.fault("volume/x/own", in: SystemFiles(unsafelyAccepting: nothing)) != nil, "\(nothing)")
        }
    }

    @Test("in an accepted directory, another user's folders and files are refused")
    func acceptedOwners() throws {
        guard geteuid() == 0 else { return print("usual places: skipped: only root can make files another user's") }
        let place = try Place(("volume", 0o2777), ("volume/own", 0o2770))
        let files = SystemFiles(unsafelyAccepting: "\(place.path)/volume")
        #expect(place.fault("volume/own", in: files) == nil)
        try #require(chown("\(place.path)/volume/own", 65_534, 0) == 0)
        #expect(place.fault("volume/own", in: files) == "/volume/own belongs to another user (65534)")
        try #require(chown("\(place.path)/volume", 65_534, 0) == 0)
        #expect(place.fault("volume/own", in: files) == "/volume belongs to another user (65534)")
    }
}
