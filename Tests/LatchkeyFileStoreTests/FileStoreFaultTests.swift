import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting
import Testing

@Suite("File store: what people and machines do to it while it runs")
struct FileStoreFaultTests {
    let disk = SimulatedDisk()
    let key = StoreKey(.credential, "alice")
    let directory = "/home/alice/store"

    private func store(_ seed: UInt64 = 1, files: (any FileAccess)? = nil) -> FileStore {
        FileStore(
            unencryptedAt: directory, context: .testing(seed: seed, files: files ?? SimulatedFiles(on: disk)))
    }

    private func file(_ suffix: String) throws -> String {
        let name = try #require(try disk.names(directory).first { $0.hasSuffix(suffix) })
        return "\(directory)/\(name)"
    }

    @Test("a directory that is removed while it runs is unavailable, not empty; where it is back, all is as it was")
    func removed() async throws {
        let (first, second) = (store(1), store(2))
        let version = try await first.replace(key, at: nil, with: [1])
        _ = try second.read(key)
        let kept = try disk.names(directory).map { ($0, try disk.content("\(directory)/\($0)") ?? []) }
        try disk.take(directory)
        for use in [
            { _ = try second.read(key) }, { _ = try second.keys(.credential) }, { _ = try second.damagedFiles() },
            { try await second.replace(key, at: version, with: [2]) },
            { try await second.replace(key, at: nil, with: [2]) },
            { await (try second.lock(key, deadline: .seconds(1))).release() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: AuthError.self) { try await use() }
            #expect(error?.code == .store(.unavailable))
            #expect(error?.message == "\(directory) was removed while it was in use")
        }
        #expect(try disk.names(directory).isEmpty)
        // A process that never saw it finds it absent, as before the first use.
        #expect(try store(3).read(key) == nil)
        try disk.putDirectory(directory)
        for (name, bytes) in kept { try disk.put("\(directory)/\(name)", bytes) }
        #expect(try second.read(key)?.bytes == [1])
        try await second.replace(key, at: version, with: [2])
    }

    @Test("a lock file that is removed lets nobody in beside its holder, however long that takes")
    func lockRemoved() async throws {
        let (first, second, bob) = (store(1), store(2), StoreKey(.credential, "bob"))
        try await first.replace(key, at: nil, with: [1])
        try await first.replace(bob, at: nil, with: [1])
        let hold = try await first.lock(key, deadline: .zero)
        for name in try disk.names(directory) where name.hasSuffix(".lane") { try disk.take("\(directory)/\(name)") }
        let error = await #expect(throws: AuthError.self) { try await second.lock(key, deadline: .zero) }
        #expect(error?.code == .busy)
        // Whether another lock's holder lost its file too cannot be known either.
        await #expect(throws: AuthError.self) { try await second.lock(bob, deadline: .zero) }
        await hold.release()
        let next = try await second.lock(key, deadline: .zero)
        await #expect(throws: AuthError.self) { try await first.lock(key, deadline: .zero) }
        await next.release()
        await (try first.lock(bob, deadline: .zero)).release()
    }

    @Test("the same with real files, and with every file but the records removed")
    func lockRemovedForReal() async throws {
        let place = try TemporaryDirectory()
        let (first, second) = (FileStore(unencryptedAt: place.path), FileStore(unencryptedAt: place.path))
        try await first.replace(key, at: nil, with: [1])
        let hold = try await first.lock(key, deadline: .zero)
        let files = SystemFiles()
        for name in try files.list(place.path) where !name.hasSuffix(".record") {
            try files.remove("\(place.path)/\(name)")
        }
        await #expect(throws: AuthError.self) { try await second.lock(key, deadline: .zero) }
        let version = try second.read(key)?.version
        try await second.replace(key, at: version, with: [2])
        await hold.release()
        await (try second.lock(key, deadline: .seconds(5))).release()
    }

    @Test("a commit whose lock file was removed on the way takes the lock anew, and loses to whoever came between")
    func commitLockRemoved() async throws {
        for isBeaten in [false, true] {
            let first = store(1)
            let old = try first.read(key)
            let known = try await first.replace(key, at: old?.version, with: [1])
            let before = try #require(try disk.content(try file(".record")))
            let version = try await first.replace(key, at: known, with: [2])
            let record = try file(".record")
            let files = MeddledFiles(SimulatedFiles(on: disk)) { [disk, directory] in
                try disk.take("\(directory)/store.lock")
                if isBeaten { try disk.put(record, before) }
            }
            let meddled = store(2, files: files)
            if isBeaten {
                await #expect(throws: StoreConflict.self) { try await meddled.replace(key, at: version, with: [3]) }
                #expect(try first.read(key)?.bytes == [1])
            } else {
                try await meddled.replace(key, at: version, with: [3])
                #expect(try first.read(key)?.bytes == [3])
            }
            #expect(files.isUsed)
            #expect(try !disk.names(directory).contains { $0.hasSuffix(".tmp") })
        }
    }

    @Test("a full disk at any step of a commit is told as full, and leaves the old record or the new one, whole")
    func fullAtAnyStep() async throws {
        for change in [[UInt8](repeating: 9, count: 100), nil] {
            var step = 1
            while true {
                let disk = SimulatedDisk()
                let store = FileStore(
                    unencryptedAt: directory, context: .testing(files: SimulatedFiles(on: disk)))
                let version = try await store.replace(key, at: nil, with: [1])
                let begun = disk.steps
                disk.fail(atStep: begun + step, with: .full)
                do {
                    try await store.replace(key, at: version, with: change)
                    // Behind the last flush only the mode is left, which says no more than that it was the last; or the
                    // room that was set aside for a record that is gone.
                    let isSafe = disk.steps == begun + step
                    #expect(disk.steps < begun + step || isSafe, "step \(step) failed, and nobody was told")
                    break
                } catch let error as AuthError {
                    #expect(error.code == .store(.full), "step \(step)")
                }
                let found = try store.read(key)
                #expect(found?.bytes == [1] || found?.bytes == change, "step \(step)")
                #expect(try !disk.names(directory).contains { $0.hasSuffix(".tmp") }, "step \(step)")
                try await store.replace(key, at: found?.version, with: [3])
                step += 1
            }
            #expect(step > 2)
        }
    }

    @Test("the holder's program is named where it left its name, and nothing else is repeated")
    func holderNames() async throws {
        let (first, other) = (store(), SimulatedFiles(on: disk))
        try await first.replace(key, at: nil, with: [1])
        let held = try #require(try other.lock(try file(".lane"), sharing: false))
        for (note, shown) in [
            ("pid 4711 (latchkey)", "pid 4711 (latchkey)"), ("pid 4711", "pid 4711"),
            ("pid 4711 (latchkey) 1764000000", "pid 4711 (latchkey)"), ("pid 4711 (latchkey) x", "another process"),
            ("pid 4711 (a b)", "another process"), ("pid 4711 (\u{1B}[2J)", "another process"),
            ("pid 4711 (x) y", "another process"), ("pid  4711", "another process"), ("", "another process"),
            ("pid 4711 ()", "another process"), ("pid 47x (latchkey)", "another process"),
        ] {
            held.note(note)
            let error = await #expect(throws: AuthError.self) {
                try await first.lock(key, deadline: .zero)
            }
            #expect(error?.message == "the lock is held by \(shown)", "\(note.debugDescription)")
        }
        held.release()
        let own = try await first.lock(key, deadline: .zero)
        let note = String(decoding: try #require(try disk.content(try file(".lane"))), as: UTF8.self)
        #expect(note.wholeMatch(of: /pid \d+( \([A-Za-z0-9._+-]+\) \d+)?/) != nil, "\(note)")
        await own.release()
    }
}

/// Lets something happen once, when the first new file has been written.
private final class MeddledFiles: ForwardingFiles {
    let inner: any FileAccess
    private let meddle: Shared

    private final class Shared: Sendable {
        let once: Locked<(@Sendable () throws -> Void)?>

        init(_ once: @escaping @Sendable () throws -> Void) { self.once = Locked(once) }
    }

    convenience init(_ inner: SimulatedFiles, _ meddle: @escaping @Sendable () throws -> Void) {
        self.init(inner, Shared(meddle))
    }

    private init(_ inner: any FileAccess, _ meddle: Shared) { (self.inner, self.meddle) = (inner, meddle) }

    func entry(_ path: String) throws -> FileEntry? {
        try inner.entry(path)?.withFiles { MeddledFiles($0, meddle) }
    }

    var isUsed: Bool { meddle.once.withLock { $0 == nil } }

    func writeNew(_ path: String, _ bytes: [UInt8]) throws {
        try inner.writeNew(path, bytes)
        let meddle = meddle.once.withLock { meddle in
            defer { meddle = nil }
            return meddle
        }
        try meddle?()
    }
}
