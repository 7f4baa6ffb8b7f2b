import Latchkey
import LatchkeyFileStore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyEncryptedStore

@Suite("Vault: moving in")
struct MigrationTests {
    private let keys = ["ada", "bob", "eve"].map { StoreKey(.credential, $0) } + [StoreKey(.settings, "current")]

    private func source(_ bench: VaultBench, seed: UInt64 = 1) -> FileStore {
        FileStore(unencryptedAt: "/home/alice/plain", context: bench.context(seed: seed))
    }

    private func filled(_ bench: VaultBench) async throws -> FileStore {
        let source = source(bench)
        for key in keys { try await source.replace(key, at: nil, with: Array(key.name.utf8)) }
        return source
    }

    @Test("every record is in the vault, and none in plain text any more", .need("N7"))
    func moves() async throws {
        let bench = VaultBench()
        let (source, target) = (try await filled(bench), try await bench.made(seed: 2))
        #expect(try await StoreMigration(from: source, to: target).run().moved == 4)
        for key in keys {
            #expect(try await target.read(key)?.bytes == Array(key.name.utf8))
            #expect(try source.read(key) == nil)
        }
        #expect(try await StoreMigration(from: source, to: target).run().moved == 0)
    }

    @Test("killed at any step it goes on, and at no step is a record in neither store", .need("N7"))
    func killed() async throws {
        var step = 1
        var last = false
        while !last {
            let bench = VaultBench()
            let (source, target) = (try await filled(bench), try await bench.made(seed: 2))
            bench.disk.crash(atStep: bench.disk.steps + step, losing: .unsynced)
            _ = try? await StoreMigration(from: source, to: target).run()
            last = bench.disk.crashes == 0
            let (again, next) = (self.source(bench, seed: 3), try await bench.opened(seed: 4))
            for key in keys {
                let found = [try again.read(key)?.bytes, try await next.read(key)?.bytes]
                #expect(found.contains(Array(key.name.utf8)), "step \(step)")
            }
            _ = try await StoreMigration(from: again, to: next).run()
            for key in keys { #expect(try await next.read(key)?.bytes == Array(key.name.utf8), "step \(step)") }
            step += 7
        }
        #expect(step > 50)
    }

    @Test("where both stores were used, nothing is chosen and nothing is lost")
    func both() async throws {
        let bench = VaultBench()
        let (source, target) = (try await filled(bench), try await bench.made(seed: 2))
        _ = try await target.replace(keys[1], at: nil, with: [1])
        #expect(await code { try await StoreMigration(from: source, to: target).run() } == .configuration(.changed))
        #expect(try source.read(keys[1])?.bytes == Array("bob".utf8))
        #expect(try await target.read(keys[1])?.bytes == [1])
    }

    @Test("a record whose lock somebody holds is waited for, and not moved under a refresh")
    func lockHeld() async throws {
        let bench = VaultBench()
        let (source, target) = (try await filled(bench), try await bench.made(seed: 2))
        let held = SourceWithLock(source)
        #expect(await code { try await StoreMigration(from: held, to: target).run() } == .busy)
        #expect(try source.read(keys[0]) != nil)
    }

    @Test("a store that does not keep what it is given loses nothing")
    func forgetful() async throws {
        let bench = VaultBench()
        let source = try await filled(bench)
        #expect(await code { try await StoreMigration(from: source, to: Forgetful()).run() } == .store(.notDurable))
        for key in keys { #expect(try source.read(key)?.bytes == Array(key.name.utf8)) }
    }

    /// A store whose locks are all taken.
    private struct SourceWithLock: CrossProcessStore {
        let inner: FileStore
        init(_ inner: FileStore) { self.inner = inner }
        func read(_ key: StoreKey) async throws -> StoredRecord? { try inner.read(key) }
        func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
            try await inner.replace(key, at: version, with: bytes)
        }
        func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { try inner.keys(kind) }
        func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
            throw AuthError(.busy, "somebody refreshes")
        }
    }

    private struct Forgetful: SessionStore {
        func read(_ key: StoreKey) async throws -> StoredRecord? { nil }
        func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
            RecordVersion([1])
        }
        func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { [] }
    }
}
