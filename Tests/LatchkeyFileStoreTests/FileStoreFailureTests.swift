import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Testing

@Suite("File store: a disk that fails")
struct FileStoreFailureTests {
    typealias Operation = SimulatedDisk.Operation

    let disk = SimulatedDisk()
    let clock = ManualClock()
    let key = StoreKey(.credential, "alice")
    let directory = "/home/alice/store"
    let store: FileStore

    init() {
        store = FileStore(
            unencryptedAt: directory, context: .testing(clock: clock, files: SimulatedFiles(on: disk)))
    }

    static let failures: [(Operation, FileError, AuthError.StoreReason)] = [
        (.create, .full, .full), (.write, .full, .full), (.flush, .full, .full), (.rename, .full, .full),
        (.create, .readOnly, .readOnly), (.lock, .readOnly, .readOnly), (.rename, .readOnly, .readOnly),
        (.create, .denied, .readOnly), (.lock, .denied, .readOnly),
        (.lock, .noLocks, .unavailable), (.lock, .unexpectedKind, .insecurePermissions),
        (.flush, .failed(5), .unavailable), (.write, .failed(5), .unavailable), (.read, .failed(5), .unavailable),
        (.status, .denied, .unavailable), (.read, .denied, .unavailable),
    ]

    @Test("a failed commit says why, keeps the old record and leaves nothing", arguments: failures)
    func failed(operation: Operation, fault: FileError, reason: AuthError.StoreReason) async throws {
        let version = try await store.replace(key, at: nil, with: [1])
        disk.inject { called, _ in called == operation ? fault : nil }
        let error = await #expect(throws: AuthError.self) { try await store.replace(key, at: version, with: [2]) }
        #expect(error?.code == .store(reason))
        #expect(error?.message.contains("/home/alice") == true || operation == .status)
        disk.inject(nil)
        #expect(try store.read(key)?.bytes == [1])
        #expect(try !disk.names(directory).contains { $0.hasSuffix(".tmp") })
        try await store.replace(key, at: version, with: [3])
    }

    @Test("a full disk fails the commit and keeps the old record") func full() async throws {
        let version = try await store.replace(key, at: nil, with: [1])
        disk.setCapacity(1_000)
        let error = await #expect(throws: AuthError.self) {
            try await store.replace(key, at: version, with: [UInt8](repeating: 0, count: 1_000))
        }
        #expect(error?.code == .store(.full))
        #expect(try store.read(key)?.bytes == [1])
    }

    @Test("a commit whose last flush failed is a failure, and stays one for readers until the flush succeeds")
    func lastFlush() async throws {
        let version = try await store.replace(key, at: nil, with: [1])
        disk.inject { operation, _ in operation == .syncDirectory ? .failed(5) : nil }
        await #expect(throws: AuthError.self) { try await store.replace(key, at: version, with: [2]) }
        #expect(throws: AuthError.self) { try store.read(key) }
        disk.inject(nil)
        #expect(try store.read(key)?.bytes == [2])
        disk.crash(losing: .unsynced)
        let next = FileStore(
            unencryptedAt: directory, context: .testing(seed: 2, files: SimulatedFiles(on: disk)))
        #expect(try next.read(key)?.bytes == [2])
    }

    @Test("a store that cannot be written can be read") func readOnly() async throws {
        try await store.replace(key, at: nil, with: [1])
        disk.inject { operation, _ in
            [.lock, .create, .makeDirectory, .rename, .remove].contains(operation) ? .readOnly : nil
        }
        #expect(try store.read(key)?.bytes == [1])
        #expect(try store.keys(.credential) == [key])
        let error = await #expect(throws: AuthError.self) {
            try await store.lock(key, deadline: .seconds(1))
        }
        #expect(error?.code == .store(.readOnly))
    }

    @Test("a lock that another process holds is busy at the deadline, naming the process") func busy() async throws {
        let other = SimulatedFiles(on: disk)
        try await store.replace(key, at: nil, with: [1])
        await (try store.lock(key, deadline: .zero)).release()
        let lock = try #require(try disk.names(directory).first { $0.hasSuffix(".lane") })
        let held = try #require(try other.lock("\(directory)/\(lock)", sharing: false))
        held.note("pid 4711")
        let task = Task { [store, key] in try await store.lock(key, deadline: .seconds(5)) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: AuthError.self) { try await task.value }
        #expect(error?.code == .busy)
        #expect(error?.message == "the lock is held by pid 4711")
        held.release()
        await (try store.lock(key, deadline: .zero)).release()
    }

    @Test("a note that is no note is not repeated") func strangeNote() async throws {
        let other = SimulatedFiles(on: disk)
        await (try store.lock(key, deadline: .zero)).release()
        let lock = try #require(try disk.names(directory).first { $0.hasSuffix(".lane") })
        let held = try #require(try other.lock("\(directory)/\(lock)", sharing: false))
        held.note("pid 1\u{1B}[2J")
        let error = await #expect(throws: AuthError.self) {
            try await store.lock(key, deadline: .zero)
        }
        #expect(error?.message == "the lock is held by another process")
    }

    @Test("a writer that never lets go ends in lockTimeout, naming the process") func commitTimeout() async throws {
        let version = try await store.replace(key, at: nil, with: [1])
        let held = try #require(try SimulatedFiles(on: disk).lock("\(directory)/store.lock", sharing: false))
        held.note("pid 4711")
        let task = Task { [store, key] in try await store.replace(key, at: version, with: [2]) }
        try await clock.waitForSleepers()
        clock.advance(by: FileStore.commitDeadline)
        let error = await #expect(throws: AuthError.self) { try await task.value }
        #expect(error?.code == .store(.lockTimeout))
        #expect(error?.message.contains("pid 4711") == true)
        #expect(try store.read(key)?.bytes == [1])
    }

    @Test("records over 16 MiB are refused before anything is written") func tooLarge() async throws {
        let bytes = [UInt8](repeating: 0, count: FileStore.recordLimit + 1)
        let error = await #expect(throws: AuthError.self) { try await store.replace(key, at: nil, with: bytes) }
        #expect(error?.code == .configuration(.invalid))
        #expect(try disk.names(directory).isEmpty)
    }
}
