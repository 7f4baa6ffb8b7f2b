import Testing

@testable import Latchkey

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Files that others manage") struct TrustedFileTests {
    private final class Place: Sendable {
        let path = "/tmp/latchkey-managed-\(PluginContext.system.randomName(bytes: 8))"

        init() throws {
            try SystemFiles().makeDirectory(path)
            try #require(chmod(path, 0o755) == 0)
        }

        deinit { Self.remove(path) }

        private static func remove(_ path: String) {
            if unlink(path) == 0 { return }
            for name in (try? SystemFiles().list(path)) ?? [] { remove("\(path)/\(name)") }
            rmdir(path)
        }

        func folder(_ name: String, _ mode: mode_t = 0o755) throws {
            try SystemFiles().makeDirectory("\(path)/\(name)")
            try #require(chmod("\(path)/\(name)", mode) == 0)
        }

        func file(_ name: String, _ text: String, _ mode: mode_t) throws {
            try SystemFiles().writeNew("\(path)/\(name)", Array(text.utf8))
            try #require(chmod("\(path)/\(name)", mode) == 0)
        }

        func link(_ name: String, _ target: String) throws { try #require(symlink(target, "\(path)/\(name)") == 0) }

        /// What is read, or what is wrong.
        func text(_ name: String, isSetting: Bool = false) -> String {
            do {
                let refusal = AuthError(.store(.insecurePermissions), "refused")
                let file = try TrustedFile.find("\(path)/\(name)", in: SystemFiles())
                guard let bytes = try file?.read(limit: 64, else: refusal, isSetting: isSetting) else {
                    return "absent"
                }
                return String(decoding: bytes, as: UTF8.self)
            } catch let error as AuthError { return "\(error.message.trimmingPrefix(path + "/"))" } catch {
                return "\(error)"
            }
        }
    }

    /// A volume with a secret, as Kubernetes mounts it.
    private func volume() throws -> Place {
        let place = try Place()
        try place.folder("secrets", 0o1777)
        try place.folder("secrets/..2024_11_27_13_00_00.123456789")
        try place.file("secrets/..2024_11_27_13_00_00.123456789/token", "one", 0o644)
        try place.link("secrets/..data", "..2024_11_27_13_00_00.123456789")
        try place.link("secrets/token", "..data/token")
        return place
    }

    @Test("a secret of Kubernetes is read over its links, and after it was renewed too")
    func kubernetes() throws {
        let place = try volume()
        #expect(place.text("secrets/token") == "one")
        try place.folder("secrets/..2025")
        try place.file("secrets/..2025/token", "two", 0o440)
        try place.link("secrets/..data_tmp", "..2025")
        try #require(rename("\(place.path)/secrets/..data_tmp", "\(place.path)/secrets/..data") == 0)
        #expect(place.text("secrets/token") == "two")
    }

    @Test("a link into a package store is followed to a file that is never written")
    func nix() throws {
        let place = try Place()
        try place.folder("store", 0o1775)
        try place.folder("store/abc-files", 0o555)
        try place.folder("home/.config")
        try place.link("home/.config/profile", "\(place.path)/store/abc-home")
        try place.link("store/abc-home", "abc-files/profile")
        try #require(chmod("\(place.path)/store/abc-files", 0o755) == 0)
        try place.file("store/abc-files/profile", "nix", 0o444)
        try #require(chmod("\(place.path)/store/abc-files", 0o555) == 0)
        #expect(place.text("home/.config/profile") == "nix")
        let found = try TrustedFile.find("\(place.path)/home/.config/profile", in: SystemFiles())
        #expect(found?.path == "\(place.path)/store/abc-files/profile" && found?.isLinked == true)
        chmod("\(place.path)/store/abc-files", 0o755)
    }

    @Test("a file that others may change is refused, and a setting only where they can get to it")
    func modes() throws {
        let place = try Place()
        try place.folder("home", 0o700)
        for (mode, name) in [(0o664, "group"), (0o646, "all")] as [(mode_t, String)] {
            try place.file(name, "x", mode)
            try place.file("home/\(name)", "x", mode)
            #expect(place.text(name) == "refused")
            #expect(place.text(name, isSetting: true) == "refused")
            #expect(place.text("home/\(name)") == "refused")
            #expect(place.text("home/\(name)", isSetting: true) == "x")
        }
    }

    @Test("a link over a directory that others may change, to nothing, or in a circle reads nothing")
    func unsound() throws {
        let place = try Place()
        try place.folder("open", 0o777)
        try place.file("open/token", "evil", 0o600)
        try place.link("token", "open/token")
        #expect(place.text("token") == "open may be changed by everybody")
        try place.link("lost", "nothing")
        #expect(place.text("lost") == "absent")
        #expect(place.text("none/lost") == "absent")
        try place.link("a", "b")
        try place.link("b", "a")
        #expect(place.text("a").contains("leads through too many links"))
        try place.folder("folder")
        try place.link("door", "folder")
        #expect(place.text("door") == "unexpectedKind")
    }

    @Test("what another user owns is refused: the file, the link, and a directory between")
    func owners() throws {
        guard geteuid() == 0 else { return print("managed files: skipped: only root can make files another user's") }
        let changes: [(String, String)] = [
            ("secrets/..2024_11_27_13_00_00.123456789/token", "refused"),
            ("secrets/..data", "secrets/..data is a link of another user (65534)"),
            ("secrets/token", "secrets/token is a link of another user (65534)"),
            (
                "secrets/..2024_11_27_13_00_00.123456789",
                "secrets/..2024_11_27_13_00_00.123456789 belongs to another user (65534)"
            ),
        ]
        for (name, fault) in changes {
            let place = try volume()
            try #require(lchown("\(place.path)/\(name)", 65_534, 65_534) == 0)
            #expect(place.text("secrets/token") == fault)
        }
    }
}
