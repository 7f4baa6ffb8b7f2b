import Latchkey
import LatchkeyTesting
import Testing

@Suite("Trusted directories") struct TrustedDirectoryTests {
    struct Layout: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fault: String
        var change: @Sendable (SimulatedDisk) throws -> Void

        init(_ testDescription: String, _ fault: String, _ change: @escaping @Sendable (SimulatedDisk) throws -> Void) {
            (self.testDescription, self.fault, self.change) = (testDescription, fault, change)
        }
    }

    static let data = "/home/alice/data"
    static let path = "\(data)/store"
    static let foreign: UInt32 = 1_001

    /// A disk where the directory is sound, and is alone.
    static func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        _ = try TrustedDirectory.make(path, .own, in: SimulatedFiles(on: disk))
        return disk
    }

    /// Puts a link in place of the data directory, which is moved to another place.
    static func link(
        _ disk: SimulatedDisk, _ target: String, to place: String, owner: UInt32 = 1_000
    ) throws {
        try disk.move(data, to: place)
        try disk.putLink(data, to: target, owner: owner)
    }

    static let hostile = [
        Layout("a group may write the one above", "\(data) may be changed by a group") {
            try $0.change(data, mode: 0o770)
        },
        Layout("everybody may write one far above", "/home may be changed by everybody") {
            try $0.change("/home", mode: 0o777)
        },
        Layout("everybody may write the root", "/ may be changed by everybody") {
            try $0.change("/", mode: 0o777)
        },
        Layout("the one above is another's", "\(data) belongs to another user (1001)") {
            try $0.change(data, owner: foreign)
        },
        Layout("one far above is another's", "/home belongs to another user (1001)") {
            try $0.change("/home", owner: foreign)
        },
        Layout("sticky, and another's", "\(data) belongs to another user (1001)") {
            try $0.change(data, mode: 0o1777, owner: foreign)
        },
        Layout("another's link", "\(data) is a link of another user (1001)") {
            try link($0, "/home/alice/real", to: "/home/alice/real", owner: foreign)
        },
        Layout("an own link through another's directory", "/home/eve belongs to another user") {
            try $0.putDirectory("/home/eve", mode: 0o755, owner: foreign)
            try link($0, "/home/eve/real", to: "/home/eve/real")
        },
        Layout("root's link through a group's directory", "/home/team may be changed by a group") {
            try $0.putDirectory("/home/team", mode: 0o775, owner: 0)
            try link($0, "/home/team/real", to: "/home/team/real", owner: 0)
        },
        Layout("a climbing link through another's directory", "/home/eve belongs to another user") {
            try $0.putDirectory("/home/eve", mode: 0o755, owner: foreign)
            try link($0, "../eve/../eve/real", to: "/home/eve/real")
        },
        Layout("an own link to another's link", "/home/alice/next is a link of another user (1001)") {
            try link($0, "next", to: "/home/alice/real")
            try $0.putLink("/home/alice/next", to: "real", owner: foreign)
        },
        Layout("a file above", "\(data) is not a directory") {
            try $0.move(data, to: "/home/alice/real")
            try $0.put(data, [1])
        },
        Layout("open to a group itself", "\(path) lets others in; chmod 700 \(path) closes it") {
            try $0.change(path, mode: 0o710)
        },
        Layout("another's itself", "\(path) belongs to another user (1001)") {
            try $0.change(path, owner: foreign)
        },
        Layout("a link itself", "\(path) is a link") {
            try $0.move(path, to: "/home/alice/real")
            try $0.putLink(path, to: "/home/alice/real")
        },
    ]

    @Test("what another user could take away is refused, with its name and what mends it", arguments: hostile)
    func refused(layout: Layout) throws {
        let disk = try Self.disk()
        try layout.change(disk)
        for use in [TrustedDirectory.open, TrustedDirectory.make]
            as [(String, TrustedDirectory.Demand, any FileAccess) throws -> Any?]
        {
            let error = #expect(throws: AuthError.self) { try use(Self.path, .own, SimulatedFiles(on: disk)) }
            #expect(error?.code == .store(.insecurePermissions))
            #expect(error?.message.hasPrefix(layout.fault) == true, "\(error?.message ?? "")")
        }
    }

    @Test("what was taken away is an error, and never absent", arguments: hostile.prefix(6))
    func takenAway(layout: Layout) throws {
        let disk = try Self.disk()
        try layout.change(disk)
        try disk.take(Self.path)
        let error = #expect(throws: AuthError.self) {
            try TrustedDirectory.open(Self.path, .own, in: SimulatedFiles(on: disk))
        }
        #expect(error?.code == .store(.insecurePermissions))
        #expect(throws: AuthError.self) { try TrustedDirectory.make(Self.path, .own, in: SimulatedFiles(on: disk)) }
        #expect(try disk.names(Self.data).isEmpty)
    }

    @Test(
        "what is sound is opened, links and sticky directories on the way included",
        arguments: [
            Layout("as it was made", path) { _ in },
            Layout("readable by others above", path) { try $0.change(data, mode: 0o755) },
            Layout("sticky, and root's", path) { try $0.change(data, mode: 0o1777, owner: 0) },
            Layout("sticky, and one's own", path) { try $0.change(data, mode: 0o1777) },
            Layout("an own link", "/home/alice/real/store") {
                try link($0, "/home/alice/real", to: "/home/alice/real")
            },
            Layout("root's link", "/home/alice/real/store") { try link($0, "real", to: "/home/alice/real", owner: 0) },
            Layout("a climbing link", "/home/alice/real/store") {
                try link($0, "./.././alice//real/", to: "/home/alice/real")
            },
            Layout("a link to a link", "/home/alice/real/store") {
                try link($0, "next", to: "/home/alice/real")
                try $0.putLink("/home/alice/next", to: "/home/alice/real")
            },
        ])
    func sound(layout: Layout) throws {
        let disk = try Self.disk()
        try disk.put("\(Self.path)/note", [1])
        try layout.change(disk)
        let found = try #require(try TrustedDirectory.open(Self.path, .own, in: SimulatedFiles(on: disk)))
        #expect(found.path == layout.fault)
        #expect(try found.files.read("note", limit: 1) == [1])
    }

    @Test("links that go round end, and so do very many of them")
    func manyLinks() throws {
        let disk = try Self.disk()
        try disk.putLink("/home/alice/one", to: "two")
        try disk.putLink("/home/alice/two", to: "one")
        for number in 0...40 { try disk.putLink("/home/alice/\(number)", to: "\(number + 1)") }
        try disk.putDirectory("/home/alice/41")
        let files = SimulatedFiles(on: disk)
        for path in ["/home/alice/one/store", "/home/alice/0/store"] {
            let error = #expect(throws: AuthError.self) { try TrustedDirectory.open(path, .own, in: files) }
            #expect(error?.code == .store(.unavailable))
        }
        #expect(try TrustedDirectory.open("/home/alice/1/store", .own, in: files) == nil)
        #expect(try TrustedDirectory.open("/home/alice/1", .sound, in: files)?.path == "/home/alice/41")
    }

    @Test("a directory that need not be one's own may be a link, root's or sticky, and no more")
    func soundOnly() throws {
        let disk = try Self.disk()
        let files = SimulatedFiles(on: disk)
        #expect(try TrustedDirectory.open("/tmp", .sound, in: files)?.status.mode == 0o1777)
        #expect(try TrustedDirectory.open("/tmp/../home/./alice", .sound, in: files)?.path == "/home/alice")
        #expect(throws: AuthError.self) { try TrustedDirectory.open("/tmp", .own, in: files) }
        try disk.change("/tmp", mode: 0o777)
        let error = #expect(throws: AuthError.self) { try TrustedDirectory.open("/tmp", .sound, in: files) }
        #expect(error?.code == .store(.insecurePermissions))
    }

    @Test(
        "paths of another form are refused",
        arguments: ["", "store", "./store", "/home/alice/../eve", "/home/alice\0/store", "/home/alice/.."])
    func paths(path: String) {
        let error = #expect(throws: AuthError.self) { try TrustedDirectory.open(path, .own, in: SimulatedFiles()) }
        #expect(error?.code == .configuration(.invalid))
    }

    @Test("opening makes nothing, making makes what is missing for this user alone, and a dot at the end hides nothing")
    func making() throws {
        let disk = SimulatedDisk()
        let files = SimulatedFiles(on: disk)
        #expect(try TrustedDirectory.open(Self.path, .own, in: files) == nil)
        #expect(try disk.names("/home/alice").isEmpty)
        let made = try TrustedDirectory.make(Self.path, .own, in: files)
        #expect(made.path == Self.path && made.status.mode == 0o700)
        #expect(try files.status(Self.data)?.mode == 0o700)
        try disk.change(Self.path, mode: 0o755)
        #expect(throws: AuthError.self) { try TrustedDirectory.open("\(Self.path)/.", .own, in: files) }
    }

    @Test("what cannot be made is refused with the name of the directory above, the only one there to be changed")
    func notMade() {
        let error = #expect(throws: AuthError.self) { try TrustedDirectory.make("/home/bob/x", .own, in: Denying()) }
        #expect(error?.code == .store(.readOnly))
        #expect(error?.message == "/home cannot be written by this user")
    }

    @Test("what was opened stays what it was when something else is put in its place")
    func stays() throws {
        let disk = try Self.disk()
        let found = try #require(try TrustedDirectory.open(Self.path, .own, in: SimulatedFiles(on: disk)))
        try disk.move(Self.path, to: "/home/alice/away")
        try disk.putDirectory(Self.path)
        try found.files.writeNew("note", [1])
        #expect(try disk.names(Self.path).isEmpty)
        #expect(try disk.names("/home/alice/away") == ["note"])
        #expect(throws: FileError.missing) { try found.files.lock("lock", sharing: false) }
        for name in ["..", "", "a/b", "/etc", "../x"] {
            #expect(throws: FileError.unexpectedKind) { try found.files.status(name) }
            #expect(throws: FileError.unexpectedKind) { try found.files.writeNew(name, [1]) }
            #expect(throws: FileError.unexpectedKind) { try found.files.rename("note", to: name) }
        }
    }

    /// A disk on which nothing can be made.
    private struct Denying: FileAccess {
        var inner: any FileAccess = SimulatedFiles()

        func entry(_ path: String) throws -> FileEntry? { try inner.entry(path)?.withFiles { Denying(inner: $0) } }
        func makeDirectory(_ path: String) throws { throw FileError.denied }
        func status(_ path: String) throws -> FileStatus? { nil }
        func read(_ path: String, limit: Int, if judge: (FileStatus) throws -> Void) throws -> [UInt8]? { nil }
        func writeNew(_ path: String, _ bytes: [UInt8]) throws {}
        func setMode(_ path: String, _ mode: UInt32) throws {}
        func rename(_ source: String, to target: String) throws {}
        func syncDirectory(_ path: String) throws {}
        func remove(_ path: String) throws {}
        func removeDirectory(_ path: String) throws {}
        func list(_ directory: String) throws -> [String] { [] }
        func lock(_ path: String, sharing: Bool) throws -> (any FileLock)? { nil }
    }
}
