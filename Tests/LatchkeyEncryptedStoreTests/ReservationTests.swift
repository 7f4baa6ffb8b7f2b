import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyEncryptedStore

/// Room that is set aside before a request, for the answer.
@Suite("Room that a store sets aside") struct ReservationTests {
    /// The stores on a disk.
    enum Kind: CaseIterable, Sendable { case file, vault, sealedFiles }

    private static let directory = "/home/alice/store"
    private let key = StoreKey(.credential, "alice")

    private typealias Store = ReservingStore & CrossProcessStore

    private func store(_ kind: Kind, on disk: SimulatedDisk, seed: UInt64 = 1) async throws -> any Store {
        try await Self.store(kind, on: disk, in: .testing(seed: seed, files: SimulatedFiles(on: disk)))
    }

    /// An open store on `disk`, which is made if there is none.
    static func store(
        _ kind: Kind, on disk: SimulatedDisk, in context: PluginContext
    ) async throws -> any ReservingStore & CrossProcessStore {
        let isNew = try disk.names(directory).isEmpty
        let options = VaultOptions(cost: VaultBench.cheap)
        switch kind {
        case .file: return FileStore(unencryptedAt: directory, context: context)
        case .vault:
            let store = EncryptedFileStore(
                at: directory, keptBy: VaultBench.keeper(context), options: options, context: context)
            if isNew {
                try await store.initialise(with: [NewSlot(VaultBench.passphrase, cost: VaultBench.cheap)])
            } else {
                try await store.open(with: VaultBench.passphrase)
            }
            return store
        case .sealedFiles:
            let inner = FileStore(unencryptedAt: directory, context: context)
            let store = EncryptedStore(
                wrapping: inner, namespace: "", keptBy: VaultBench.keeper(context), options: options, context: context)
            if isNew {
                try await store.initialise(with: [NewSlot(VaultBench.passphrase, cost: VaultBench.cheap)])
            } else {
                try await store.open(with: VaultBench.passphrase)
            }
            return store
        }
    }

    private func rooms(_ disk: SimulatedDisk) throws -> [String] {
        try disk.names(Self.directory).filter { $0.hasSuffix(".room") }
    }

    /// Nothing can be created or grow any more.
    private func fill(_ disk: SimulatedDisk) {
        disk.inject { operation, _ in [.create, .write, .makeDirectory].contains(operation) ? .full : nil }
    }

    @Test("a change of the reserved size is stored though the disk is full by then", .law(2), arguments: Kind.allCases)
    func full(_ kind: Kind) async throws {
        let disk = SimulatedDisk()
        let store = try await store(kind, on: disk)
        let version = try await store.replace(key, at: nil, with: [1])
        let room = try #require(try await store.reserve(key, bytes: 1_000))
        #expect(try rooms(disk).count == 1)
        fill(disk)
        let code = await code { try await store.replace(key, at: version, with: [2]) }
        #expect(code == .store(.full))
        let answer = [UInt8](repeating: 7, count: 1_000)
        let next = try await room.replace(at: version, with: answer)
        #expect(try await store.read(key)?.version == next)
        #expect(try await store.read(key)?.bytes == answer)
        await room.release()
        #expect(try rooms(disk).isEmpty)
        disk.inject(nil)
        #expect(try await self.store(kind, on: disk, seed: 2).read(key)?.bytes == answer)
    }

    @Test("what is larger than what was reserved, or comes too late, changes nothing", arguments: Kind.allCases)
    func refused(_ kind: Kind) async throws {
        let disk = SimulatedDisk()
        let store = try await store(kind, on: disk)
        let version = try await store.replace(key, at: nil, with: [1])
        let room = try #require(try await store.reserve(key, bytes: 10))
        fill(disk)
        let large = [UInt8](repeating: 7, count: 100_000)
        #expect(await code { try await room.replace(at: version, with: large) } == .store(.full))
        #expect(try await store.read(key)?.bytes == [1])
        disk.inject(nil)
        let newer = try await store.replace(key, at: version, with: [2])
        fill(disk)
        await #expect(throws: StoreConflict.self) { try await room.replace(at: version, with: [3]) }
        #expect(try await store.read(key)?.bytes == [2])
        disk.inject(nil)
        let again = try #require(try await store.reserve(key, bytes: 10))
        fill(disk)
        _ = try await again.replace(at: newer, with: [4])
        #expect(try await store.read(key)?.bytes == [4])
    }

    @Test("where there is no room, it is said before anything is sent", arguments: Kind.allCases)
    func none(_ kind: Kind) async throws {
        let disk = SimulatedDisk()
        let store = try await store(kind, on: disk)
        _ = try await store.replace(key, at: nil, with: [1])
        disk.inject { operation, path in operation == .write && path.hasSuffix(".room") ? .full : nil }
        #expect(await code { _ = try await store.reserve(key, bytes: 10) } == .store(.full))
        #expect(try rooms(disk).isEmpty)
    }

    @Test("the room of a dead process is replaced, and goes with the record", arguments: Kind.allCases)
    func leftover(_ kind: Kind) async throws {
        let disk = SimulatedDisk()
        let first = try await store(kind, on: disk)
        let version = try await first.replace(key, at: nil, with: [1])
        _ = try await first.reserve(key, bytes: 10)
        let second = try await store(kind, on: disk, seed: 2)
        _ = try await second.reserve(key, bytes: 5_000)
        #expect(try rooms(disk).count == 1)
        // Another record has room of its own.
        let bob = StoreKey(.credential, "bob")
        let other = try await second.replace(bob, at: nil, with: [2])
        _ = try await second.reserve(bob, bytes: 10)
        #expect(try rooms(disk).count == 2)
        _ = try await second.replace(key, at: version, with: nil)
        #expect(try rooms(disk).count == 1)
        _ = try await second.replace(bob, at: other, with: nil)
        #expect(try rooms(disk).isEmpty)
    }

    @Test(
        "a power loss at any step of a change in the room leaves the old record or the new one, whole", .law(2),
        arguments: Kind.allCases)
    func powerLoss(_ kind: Kind) async throws {
        var step = 1
        while true {
            let disk = SimulatedDisk()
            let store = try await store(kind, on: disk)
            let version = try await store.replace(key, at: nil, with: [1])
            let room = try #require(try await store.reserve(key, bytes: 1_000))
            let crashes = disk.crashes
            disk.crash(atStep: disk.steps + step, losing: .unsynced)
            let next = [UInt8](repeating: 7, count: 1_000)
            let isDone = (try? await room.replace(at: version, with: next)) != nil
            if disk.crashes == crashes { break }
            let found = try await self.store(kind, on: disk, seed: 2).read(key)?.bytes
            #expect(found == next || (!isDone && found == [1]), "step \(step)")
            step += 1
        }
        #expect(step > 4)
    }
}
