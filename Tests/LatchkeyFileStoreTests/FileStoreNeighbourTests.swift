import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("File store: another user of the same machine") struct FileStoreNeighbourTests {
    let key = StoreKey(.credential, "alice")

    @Test("a store that another user moved away is an error, and never an empty store", .law(8), .standard(47))
    func movedAway() async throws {
        let changes: [(mode: UInt32?, owner: UInt32?)] = [(0o770, nil), (0o702, nil), (nil, 1_001), (0o1777, 1_001)]
        for change in changes {
            let disk = SimulatedDisk()
            let directory = "/home/alice/data/store"
            func store(_ seed: UInt64) -> FileStore {
                FileStore(unencryptedAt: directory, context: .testing(seed: seed, files: SimulatedFiles(on: disk)))
            }
            let version = try await store(1).replace(key, at: nil, with: [1])
            try disk.change("/home/alice/data", mode: change.mode, owner: change.owner)
            try disk.move(directory, to: "/home/alice/data/away")
            let victim = store(2)
            for use in [
                { _ = try victim.read(key) }, { _ = try victim.keys(.credential) }, { _ = try victim.damagedFiles() },
                { try await victim.replace(key, at: nil, with: [2]) },
                { try await victim.replace(key, at: version, with: nil) },
                { await (try victim.lock(key, deadline: .zero)).release() },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: AuthError.self) { try await use() }
                #expect(error?.code == .store(.insecurePermissions))
                #expect(error?.message.hasPrefix("/home/alice/data ") == true)
            }
            #expect(victim.inspect().directory?.code == .store(.insecurePermissions))
            #expect(try disk.names("/home/alice/data") == ["away"])
        }
    }

    @Test("the same with a second user, who moves it for real")
    func movedAwayForReal() async throws {
        guard geteuid() == 0 else { return print("second user: skipped: only root can make files another user's") }
        let eve: uid_t = 65_534
        let place = try TemporaryDirectory()
        let (data, directory) = ("\(place.path)/data", "\(place.path)/data/store")
        try #require(chmod(place.path, 0o755) == 0)
        try await FileStore(unencryptedAt: directory).replace(key, at: nil, with: [1])
        for (owner, mode) in [(eve, 0o700), (0, 0o770), (eve, 0o1777)] as [(uid_t, mode_t)] {
            try #require(chown(data, owner, eve) == 0 && chmod(data, mode) == 0)
            // What the modes let that user do, done by this one.
            try #require(rename(directory, "\(data)/away") == 0)
            let error = #expect(throws: AuthError.self) { try FileStore(unencryptedAt: directory).read(key) }
            #expect(error?.code == .store(.insecurePermissions), "owner \(owner), mode \(mode)")
            #expect(error?.message.hasPrefix("\(data) ") == true)
            try #require(rename("\(data)/away", directory) == 0)
        }
        try #require(chown(data, 0, 0) == 0 && chmod(data, 0o755) == 0)
        #expect(try FileStore(unencryptedAt: directory).read(key)?.bytes == [1])
    }

    @Test("a directory that is put in place between the look and the use is not used")
    func replacedMidway() async throws {
        let disk = SimulatedDisk()
        let directory = "/home/alice/store"
        func store(_ seed: UInt64, _ files: any FileAccess) -> FileStore {
            FileStore(unencryptedAt: directory, context: .testing(seed: seed, files: files))
        }
        let other = store(9, SimulatedFiles(on: disk))
        let version = try await other.replace(key, at: nil, with: [66])
        try disk.move(directory, to: "/home/alice/forged")
        let known = try await store(1, SimulatedFiles(on: disk)).replace(key, at: nil, with: [1])
        let swapping = SwappingFiles(SimulatedFiles(on: disk)) {
            try? disk.move(directory, to: "/home/alice/true")
            try? disk.move("/home/alice/forged", to: directory)
        }
        #expect(try store(2, swapping).read(key)?.bytes == [1])
        #expect(try other.read(key)?.bytes == [66])
        // A writer writes into neither of the two: its own has left its place.
        try disk.move(directory, to: "/home/alice/forged")
        try disk.move("/home/alice/true", to: directory)
        let writing = SwappingFiles(SimulatedFiles(on: disk)) {
            try? disk.move(directory, to: "/home/alice/true")
            try? disk.move("/home/alice/forged", to: directory)
        }
        let error = await #expect(throws: (any Error).self) {
            try await store(3, writing).replace(key, at: known, with: [2])
        }
        #expect(error is StoreConflict || (error as? AuthError)?.code == .store(.unavailable))
        #expect(try other.read(key)?.version == version)
    }

    @Test("what is put in a record's place on the real disk is refused at once, whatever it is")
    func records() async throws {
        let rows: [(String, (String) -> Int32)] = [
            ("a link", { rename($0, "\($0).kept") + symlink("\($0).kept", $0) }),
            ("a second name", { link($0, "\($0).second") }),
            ("a pipe, which nobody writes", { unlink($0) + mkfifo($0, 0o600) }),
            ("a directory", { unlink($0) + mkdir($0, 0o700) }),
            ("open to others", { chmod($0, 0o644) }),
            ("open to a group", { chmod($0, 0o620) }),
            ("another user's", { geteuid() == 0 ? chown($0, 65_534, 65_534) : chmod($0, 0o640) }),
        ]
        for (name, change) in rows {
            let place = try TemporaryDirectory()
            let store = FileStore(unencryptedAt: place.path)
            let version = try await store.replace(key, at: nil, with: [1])
            let file = try #require(try SystemFiles().list(place.path).first { $0.hasSuffix(".record") })
            try #require(change("\(place.path)/\(file)") == 0)
            for use in [
                { _ = try store.read(key) }, { _ = try store.keys(.credential) },
                { try await store.replace(key, at: version, with: [2]) },
                { try await store.replace(key, at: nil, with: [2]) },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: AuthError.self, "\(name)") { try await use() }
                #expect(error?.code == .store(.insecurePermissions), "\(name)")
                #expect(error?.message.contains(file) == true, "\(name)")
            }
        }
    }
}

/// Lets something happen once, when the store's directory has been opened so many times.
private final class SwappingFiles: ForwardingFiles {
    let inner: any FileAccess
    private let once: Once

    private final class Once: Sendable {
        private let state: Locked<(left: Int, body: @Sendable () -> Void)>

        init(at count: Int, _ body: @escaping @Sendable () -> Void) { state = Locked((count, body)) }

        func meet() {
            let body = state.withLock { state -> (@Sendable () -> Void)? in
                state.left -= 1
                return state.left == 0 ? state.body : nil
            }
            body?()
        }
    }

    convenience init(_ inner: any FileAccess, at count: Int = 1, _ body: @escaping @Sendable () -> Void) {
        self.init(inner, Once(at: count, body))
    }

    private init(_ inner: any FileAccess, _ once: Once) { (self.inner, self.once) = (inner, once) }

    func entry(_ path: String) throws -> FileEntry? {
        let found = try inner.entry(path)?.withFiles { SwappingFiles($0, once) }
        if path == "store" { once.meet() }
        return found
    }
}
