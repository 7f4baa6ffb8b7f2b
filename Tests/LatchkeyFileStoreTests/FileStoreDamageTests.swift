import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Proofs
import Testing

@Suite("File store: damage")
struct FileStoreDamageTests {
    let disk = SimulatedDisk()
    let key = StoreKey(.credential, "alice")
    let directory = "/home/alice/store"
    let store: FileStore

    init() {
        store = FileStore(unencryptedAt: directory, context: .testing(files: SimulatedFiles(on: disk)))
    }

    /// Writes a record and gives its file's path and content.
    func written(_ key: StoreKey) async throws -> (path: String, bytes: [UInt8]) {
        let before = Set(try disk.names(directory))
        try await store.replace(key, at: nil, with: Array("secret-payload".utf8))
        let name = try #require(try disk.names(directory).first { $0.hasSuffix(".record") && !before.contains($0) })
        return ("\(directory)/\(name)", try #require(try disk.content("\(directory)/\(name)")))
    }

    func expectDamaged(_ what: String) async throws {
        var messages: [String] = []
        for use in [
            { _ = try store.read(key) }, { try await store.replace(key, at: nil, with: [2]) },
            { try await store.replace(key, at: nil, with: nil) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: AuthError.self, "\(what)") { try await use() }
            #expect(error?.code == .store(.damaged), "\(what)")
            messages.append(error?.message ?? "")
        }
        #expect(messages.allSatisfy { $0.contains(directory) && !$0.contains("secret-payload") }, "\(what)")
    }

    @Test("a file cut short at any length is damaged, not absent, and is never written over", .law(8)) func truncated()
        async throws
    {
        let (path, bytes) = try await written(key)
        for count in 0..<bytes.count {
            try disk.put(path, Array(bytes.prefix(count)))
            try await expectDamaged("cut to \(count)")
            #expect(try disk.content(path)?.count == count)
        }
        try disk.put(path, bytes)
        #expect(try store.read(key)?.bytes == Array("secret-payload".utf8))
    }

    @Test("of two records, the damaged one hides the other's key from nobody who asks for what can be read")
    func listed() async throws {
        let other = StoreKey(.credential, "bob")
        let (path, bytes) = try await written(key)
        _ = try await written(other)
        #expect(Set(try store.readableKeys(.credential)) == [key, other])
        try disk.put(path, Array(bytes.dropLast()))
        #expect(Set(try store.keys(.credential)) == [key, other], "The header tells whose it is.")
        #expect(Set(try store.readableKeys(.credential)) == [key, other])
        for bad in [[], [0x0A], Array("{}\n".utf8), bytes.map { $0 ^ 0x80 }, Array(bytes.prefix(20))] as [[UInt8]] {
            try disk.put(path, bad)
            #expect(throws: AuthError.self) { try store.keys(.credential) }
            #expect(try store.readableKeys(.credential) == [other])
            #expect(try store.readableKeys(.challenge).isEmpty)
        }
        // Only damage is passed over.
        try SimulatedFiles(on: disk).setMode(path, 0o644)
        let error = #expect(throws: AuthError.self) { try store.readableKeys(.credential) }
        #expect(error?.code == .store(.insecurePermissions))
    }

    @Test("a flipped byte in the content, or a byte more, is damage") func flipped() async throws {
        let (path, bytes) = try await written(key)
        let start = try #require(bytes.firstIndex(of: 0x0A)) + 1
        for index in start..<bytes.count {
            var flipped = bytes
            flipped[index] ^= 0x20
            try disk.put(path, flipped)
            try await expectDamaged("byte \(index) flipped")
        }
        try disk.put(path, bytes + [0])
        try await expectDamaged("a byte more")
    }

    @Test(
        "a header of another form is damage",
        arguments: [
            "", "\n", "{}\n", "[]\n", "no json\n", "{\"format\":0}\n", "{\"format\":\"1\"}\n",
            "{\"format\":1,\"kind\":\"pet\",\"name\":\"alice\",\"version\":\"x\",\"size\":0,\"sha256\":\"\"}\n",
            "{\"format\":1,\"format\":1}\n", String(repeating: " ", count: 40_000) + "{}\n",
        ])
    func header(text: String) async throws {
        let (path, _) = try await written(key)
        try disk.put(path, Array(text.utf8))
        try await expectDamaged(String(text.prefix(60)))
        #expect(throws: AuthError.self) { try store.keys(.credential) }
        #expect(try store.damagedFiles().count == 1)
    }

    @Test("a record under another key's name is damage") func swapped() async throws {
        let (path, _) = try await written(key)
        let (_, bytes) = try await written(StoreKey(.credential, "mallory"))
        try disk.put(path, bytes)
        try await expectDamaged("swapped")
    }

    @Test("a newer format is read-only, and not damage") func newer() async throws {
        let (path, bytes) = try await written(key)
        let text = String(decoding: bytes, as: UTF8.self).replacing("\"format\":1", with: "\"format\":2")
        try disk.put(path, Array(text.utf8))
        for use in [
            { _ = try store.read(key) }, { try await store.replace(key, at: nil, with: [2]) },
            { _ = try await store.setDamagedAside(key) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: AuthError.self) { try await use() }
            #expect(error?.code == .store(.newerVersion))
        }
    }

    @Test("unknown members of a header are ignored") func unknown() async throws {
        let (path, bytes) = try await written(key)
        let text = String(decoding: bytes, as: UTF8.self).replacing("\"format\":1", with: "\"aaa\":[1],\"format\":1")
        try disk.put(path, Array(text.utf8))
        #expect(try store.read(key)?.bytes == Array("secret-payload".utf8))
    }

    @Test("a damaged record is moved aside only when asked to, and then the key is absent") func aside() async throws {
        let (path, bytes) = try await written(key)
        await #expect(throws: AuthError.self) { try await store.setDamagedAside(key) }
        try disk.put(path, Array(bytes.dropLast()))
        let (first, name) = (try await store.setDamagedAside(key), String(path.dropFirst(directory.count + 1)))
        #expect(first.hasPrefix("\(name).damaged-"))
        #expect(try disk.content("\(directory)/\(first)") == bytes.dropLast())
        #expect(try store.read(key) == nil)
        #expect(try store.keys(.credential).isEmpty)
        try await store.replace(key, at: nil, with: [1])
        try disk.put(path, [])
        let second = try await store.setDamagedAside(file: name)
        #expect(second != first)
        await #expect(throws: AuthError.self) { try await store.setDamagedAside(file: "../\(name)") }
    }

    @Test("what is set aside is bounded in number and age: the newest are kept")
    func bounded() async throws {
        let clock = ManualClock()
        let store = FileStore(
            unencryptedAt: directory, context: .testing(clock: clock, files: SimulatedFiles(on: disk)))
        for _ in 0..<(FileStore.mostSetAside + 3) {
            try await store.replace(key, at: nil, with: [1])
            let name = try #require(try disk.names(directory).first { $0.hasSuffix(".record") })
            try disk.put("\(directory)/\(name)", [])
            _ = try await store.setDamagedAside(key)
            clock.advance(by: .seconds(1))
        }
        let kept = try store.setAsideFiles()
        #expect(kept.count == FileStore.mostSetAside)
        clock.advance(by: .seconds(FileStore.longestSetAside))
        try await store.replace(key, at: nil, with: [1])
        let name = try #require(try disk.names(directory).first { $0.hasSuffix(".record") })
        try disk.put("\(directory)/\(name)", [])
        let last = try await store.setDamagedAside(key)
        #expect(try store.setAsideFiles() == [last])
    }

    @Test("what is set aside is removed when asked to, or only where its key has no record again")
    func removed() async throws {
        let other = StoreKey(.credential, "bob")
        for key in [key, other] {
            let (path, bytes) = try await written(key)
            try disk.put(path, Array(bytes.dropLast()))
            _ = try await store.setDamagedAside(key)
        }
        try await store.replace(other, at: nil, with: [1])
        #expect(try store.setAsideFiles().count == 2)
        #expect(try await store.removeSetAside(ofAbsent: true) == 1)
        #expect(try store.setAsideFiles().count == 1)
        #expect(try await store.removeSetAside() == 1)
        #expect(try store.setAsideFiles().isEmpty && store.read(other)?.bytes == [1])
        #expect(try await store.removeSetAside() == 0)
    }
}
