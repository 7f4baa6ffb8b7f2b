import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Proofs
import Testing

@Suite("File store: crashes")
struct FileStoreCrashTests {
    enum Change: String, CaseIterable {
        case create, replace, delete

        var before: [UInt8]? { self == .create ? nil : [1, 2, 3] }
        var after: [UInt8]? { self == .delete ? nil : Array(repeating: 9, count: 100) }
    }

    static let losses: [SimulatedDisk.Loss] = [.nothing, .unsynced] + (1...24).map { .some(seed: $0) }
    let key = StoreKey(.credential, "alice")

    func store(on disk: SimulatedDisk, seed: UInt64 = 1) -> FileStore {
        FileStore(
            unencryptedAt: "/home/alice/data/store", context: .testing(seed: seed, files: SimulatedFiles(on: disk)))
    }

    /// Makes the change on a new disk that crashes at `step` of it; `nil` when the change has fewer steps.
    func crashed(
        _ change: Change, atStep step: Int, losing loss: SimulatedDisk.Loss
    ) async throws -> (disk: SimulatedDisk, acknowledged: Bool)? {
        let disk = SimulatedDisk()
        let store = store(on: disk)
        let version = try await change.before.asyncMap { try await store.replace(key, at: nil, with: $0) } ?? nil
        disk.crash(atStep: disk.steps + step, losing: loss)
        do {
            try await store.replace(key, at: version, with: change.after)
            return disk.crashes == 0 ? nil : (disk, true)
        } catch {
            #expect(disk.crashes == 1)
            return (disk, false)
        }
    }

    @Test(
        "a crash at any step of a commit leaves the old record or the new one, whole", .law(2), .standard(11),
        arguments: Change.allCases)
    func anyStep(change: Change) async throws {
        for loss in Self.losses {
            var step = 1
            while let (disk, acknowledged) = try await crashed(change, atStep: step, losing: loss) {
                let next = store(on: disk, seed: 2)
                let found = try next.read(key)
                #expect(found?.bytes == change.before || found?.bytes == change.after, "step \(step), \(loss)")
                #expect(!acknowledged || found?.bytes == change.after, "step \(step), \(loss)")
                let version = try await next.replace(key, at: found?.version, with: [7])
                #expect(try next.read(key)?.version == version)
                let names = try disk.names("/home/alice/data/store")
                #expect(!names.contains { $0.hasSuffix(".tmp") }, "step \(step), \(loss)")
                step += 1
            }
            #expect(step > 3, "the change takes several steps")
        }
    }

    @Test("what was acknowledged outlasts a power loss right afterwards", .law(2), arguments: Change.allCases)
    func acknowledged(change: Change) async throws {
        for loss in Self.losses {
            let disk = SimulatedDisk()
            let first = store(on: disk)
            let version = try await change.before.asyncMap { try await first.replace(key, at: nil, with: $0) } ?? nil
            let new = try await first.replace(key, at: version, with: change.after)
            disk.crash(losing: loss)
            let found = try store(on: disk, seed: 2).read(key)
            #expect(found?.bytes == change.after && found?.version == new, "\(loss)")
        }
    }

    @Test("what the first process of a directory acknowledged outlasts a power loss when another had made it")
    func inherited() async throws {
        let disk = SimulatedDisk()
        try SimulatedFiles(on: disk).makeDirectory("/home/alice/data/store")
        try await store(on: disk).replace(key, at: nil, with: [1])
        disk.crash(losing: .unsynced)
        #expect(try store(on: disk, seed: 2).read(key)?.bytes == [1])
    }

    @Test("a dead process changes nothing any more, and its lock is free") func fenced() async throws {
        let disk = SimulatedDisk()
        let files = SimulatedFiles(on: disk)
        let dead = FileStore(unencryptedAt: "/home/alice/store", context: .testing(files: files))
        _ = try await dead.lock(key, deadline: .zero)
        files.kill()
        await #expect(throws: AuthError.self) { try await dead.replace(key, at: nil, with: [1]) }
        let next = FileStore(
            unencryptedAt: "/home/alice/store", context: .testing(seed: 2, files: SimulatedFiles(on: disk)))
        #expect(try next.read(key) == nil)
        await (try next.lock(key, deadline: .zero)).release()
    }

    @Test(
        "a writer that is killed between two changes leaves a whole record, no lock, and nothing to lose what was read",
        .law(2))
    func killedMidway() async throws {
        var step = 0
        while step < 100 {
            step += 1
            let disk = SimulatedDisk()
            let version = try await store(on: disk).replace(key, at: nil, with: [1])
            let files = SimulatedFiles(on: disk)
            let bystander = SimulatedFiles(on: disk)
            let hasStruck = Latch()
            disk.strike(beforeStep: step, of: files) {
                files.kill()
                hasStruck.open()
            }
            // Another process's steps do not count.
            try bystander.makeDirectory("/home/alice/other")
            #expect(!hasStruck.isOpen)
            let dying = FileStore(unencryptedAt: "/home/alice/data/store", context: .testing(seed: 3, files: files))
            let new = try? await dying.replace(key, at: version, with: [2])
            let next = store(on: disk, seed: 2)
            let found = try next.read(key)
            #expect(found?.bytes == [1] || found?.bytes == [2], "step \(step)")
            #expect(new == nil || found?.version == new, "step \(step)")
            // What one reader was given, no power loss takes from the next.
            disk.crash(losing: .unsynced)
            let later = store(on: disk, seed: 4)
            #expect(try later.read(key)?.version == found?.version, "step \(step)")
            try await later.replace(key, at: found?.version, with: [7])
            guard hasStruck.isOpen else { break }
        }
        #expect((6..<100).contains(step), "a commit takes several changes: \(step)")
    }

    @Test("a record that is not flushed yet is not handed out where it cannot be flushed", .law(2))
    func unflushable() async throws {
        let disk = SimulatedDisk()
        let files = SimulatedFiles(on: disk)
        let writer = FileStore(unencryptedAt: "/home/alice/data/store", context: .testing(seed: 1, files: files))
        try await writer.replace(key, at: nil, with: [1])
        let record = try #require(
            disk.names("/home/alice/data/store").first { $0.hasSuffix(".record") })
        let path = "/home/alice/data/store/\(record)"
        #expect(try files.status(path)?.mode == 0o600)
        // As its writer leaves it when it dies between the rename and the flush.
        try disk.change(path, mode: 0o400)
        disk.inject { operation, _ in operation == .syncDirectory ? .failed(5) : nil }
        let reader = store(on: disk, seed: 2)
        #expect(throws: AuthError.self) { try reader.read(key) }
        disk.inject(nil)
        #expect(try reader.read(key)?.bytes == [1])
    }

    @Test("a file system that keeps no modes takes records all the same")
    func noModes() async throws {
        let disk = SimulatedDisk()
        disk.inject { operation, _ in operation == .setMode ? .denied : nil }
        try await store(on: disk).replace(key, at: nil, with: [1])
        #expect(try store(on: disk, seed: 2).read(key)?.bytes == [1])
        disk.inject { operation, _ in operation == .setMode ? .failed(5) : nil }
        let version = try store(on: disk, seed: 3).read(key)?.version
        await #expect(throws: AuthError.self) {
            try await store(on: disk, seed: 3).replace(key, at: version, with: [2])
        }
        #expect(try store(on: disk, seed: 4).read(key)?.bytes == [1])
    }

    @Test("a temporary file that a dead writer left is swept by the next one") func sweeping() async throws {
        let disk = SimulatedDisk()
        try await store(on: disk).replace(key, at: nil, with: [1])
        let leftover = "/home/alice/data/store/.credential-00.record.0123456789abcdef.tmp"
        try disk.put(leftover, [1])
        try await store(on: disk, seed: 2).replace(StoreKey(.settings, ""), at: nil, with: [1])
        #expect(try disk.content(leftover) == nil)
        #expect(try disk.names("/home/alice/data/store").count { $0.hasSuffix(".record") } == 2)
    }
}

extension Optional {
    func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async throws -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}
