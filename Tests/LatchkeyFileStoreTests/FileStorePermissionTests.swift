import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Proofs
import Testing

@Suite("File store: whom it trusts")
struct FileStorePermissionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var path: String
        var change: @Sendable (SimulatedDisk, _ record: String) throws -> Void

        init(
            _ testDescription: String, naming path: String,
            _ change: @escaping @Sendable (SimulatedDisk, _ record: String) throws -> Void
        ) {
            self.testDescription = testDescription
            self.path = path
            self.change = change
        }
    }

    static let directory = "/home/alice/data/store"
    static let cases = [
        Case("directory open to the group", naming: directory) { disk, _ in try disk.change(directory, mode: 0o750) },
        Case("directory open to others", naming: directory) { disk, _ in try disk.change(directory, mode: 0o701) },
        Case("directory of another user", naming: directory) { disk, _ in try disk.change(directory, owner: 1_001) },
        Case("directory above that everybody may change", naming: "/home/alice/data") { disk, _ in
            try disk.change("/home/alice/data", mode: 0o777)
        },
        Case("directory above that a group may change", naming: "/home/alice/data") { disk, _ in
            try disk.change("/home/alice/data", mode: 0o770)
        },
        Case("directory above of another user", naming: "/home/alice/data") { disk, _ in
            try disk.change("/home/alice/data", owner: 1_001)
        },
        Case("directory far above of another user", naming: "/home") { disk, _ in
            try disk.change("/home", owner: 1_001)
        },
        Case("root that everybody may change", naming: "/") { disk, _ in try disk.change("/", mode: 0o777) },
        Case("record open to the group", naming: ".record") { disk, record in try disk.change(record, mode: 0o640) },
        Case("record open to others", naming: ".record") { disk, record in try disk.change(record, mode: 0o604) },
        Case("record of another user", naming: ".record") { disk, record in try disk.change(record, owner: 0) },
        Case("record with a second name", naming: ".record") { disk, record in try disk.change(record, links: 2) },
        Case("record that is a link", naming: ".record") { disk, record in
            try disk.put("/home/alice/elsewhere", try #require(try disk.content(record)))
            try disk.putLink(record, to: "/home/alice/elsewhere")
        },
        Case("record that is a directory", naming: ".record") { disk, record in try disk.putDirectory(record) },
    ]

    let key = StoreKey(.credential, "alice")

    @Test("refuses what others may read or change, and repairs nothing", .law(11), .standard(47), arguments: cases)
    func refused(fault: Case) async throws {
        let disk = SimulatedDisk()
        let store = FileStore(
            unencryptedAt: Self.directory, context: .testing(files: SimulatedFiles(on: disk)))
        let version = try await store.replace(key, at: nil, with: [1])
        let record = try #require(try disk.names(Self.directory).first { $0.hasSuffix(".record") })
        try fault.change(disk, "\(Self.directory)/\(record)")
        for use in [
            { _ = try store.read(key) }, { _ = try store.keys(.credential) },
            { try await store.replace(key, at: version, with: [2]) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: AuthError.self) { try await use() }
            #expect(error?.code == .store(.insecurePermissions))
            #expect(error?.message.contains(fault.path) == true)
        }
    }

    @Test("says which command closes an open directory") func advice() throws {
        let disk = SimulatedDisk()
        try disk.putDirectory("/home/alice/store", mode: 0o755)
        let store = FileStore(
            unencryptedAt: "/home/alice/store", context: .testing(files: SimulatedFiles(on: disk)))
        let error = #expect(throws: AuthError.self) { try store.read(key) }
        #expect(error?.message.contains("chmod 700 /home/alice/store") == true)
    }

    @Test("a directory that is a link is refused, a link of one's own above it is followed") func links() async throws {
        let disk = SimulatedDisk()
        try disk.putDirectory("/home/alice/real")
        try disk.putLink("/home/alice/link", to: "/home/alice/real")
        let context = PluginContext.testing(files: SimulatedFiles(on: disk))
        let linked = FileStore(unencryptedAt: "/home/alice/link", context: context)
        let error = #expect(throws: AuthError.self) { try linked.read(key) }
        #expect(error?.code == .store(.insecurePermissions))
        let below = FileStore(unencryptedAt: "/home/alice/link/store", context: context)
        try await below.replace(key, at: nil, with: [1])
        #expect(try disk.names("/home/alice/real") == ["store"])
        try disk.putLink("/tmp/foreign", to: "/home/alice/real", owner: 1_001)
        let foreign = FileStore(unencryptedAt: "/tmp/foreign/store", context: context)
        #expect(throws: AuthError.self) { try foreign.read(key) }
    }

    @Test("relative and climbing paths are refused", arguments: ["store", "", "/home/alice/../bob/store"])
    func paths(path: String) {
        let store = FileStore(unencryptedAt: path, context: .testing())
        let error = #expect(throws: AuthError.self) { try store.read(key) }
        #expect(error?.code == .configuration(.invalid))
    }

    @Test("a sticky directory above is fine, and reading makes no directory") func sticky() throws {
        let disk = SimulatedDisk()
        let store = FileStore(
            unencryptedAt: "/tmp//store/", context: .testing(files: SimulatedFiles(on: disk)))
        #expect(store.directory == "/tmp/store")
        #expect(try store.read(key) == nil)
        #expect(try store.keys(.credential).isEmpty)
        #expect(try disk.names("/tmp").isEmpty)
    }

    @Test("on the real disk the files are this user's alone", .standard(47), .need("N2")) func realModes() async throws
    {
        let place = try TemporaryDirectory()
        let store = FileStore(unencryptedAt: "\(place.path)/a/b")
        try await store.replace(key, at: nil, with: [1])
        await (try store.lock(key, deadline: .zero)).release()
        let files = SystemFiles()
        #expect(try files.status(store.directory)?.mode == 0o700)
        let names = try files.list(store.directory)
        #expect(names.count == 3)
        for name in names { #expect(try files.status("\(store.directory)/\(name)")?.mode == 0o600) }
    }

    @Test("the default directory follows XDG, and ignores relative values")
    func defaults() throws {
        let rows: [([String: String], String)] = [
            (["HOME": "/home/a"], "/home/a/.local/share/notes/latchkey"),
            (["HOME": "/home/a", "XDG_DATA_HOME": "/data"], "/data/notes/latchkey"),
            (["HOME": "/home/a", "XDG_DATA_HOME": "data"], "/home/a/.local/share/notes/latchkey"),
            (["HOME": "/home/a", "XDG_DATA_HOME": ""], "/home/a/.local/share/notes/latchkey"),
        ]
        for (environment, expected) in rows {
            #expect(try FileStore.defaultDirectory(for: "notes", environment: environment) == expected)
        }
        for (name, environment) in [
            ("", ["HOME": "/h"]), ("..", ["HOME": "/h"]), ("a/b", ["HOME": "/h"]), ("a\0", ["HOME": "/h"]),
            ("notes", [:]), ("notes", ["HOME": "h"]),
        ] {
            #expect(throws: AuthError.self) {
                try FileStore.defaultDirectory(for: name, environment: environment)
            }
        }
    }
}
