import Latchkey
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@Suite("Lock files of a file store") struct FileStoreLockTests {
    private static func locks(_ folder: String) throws -> Set<String> {
        Set(try SystemFiles().list(folder).filter { $0.hasSuffix(".lane") })
    }

    private static func key(_ number: Int) -> StoreKey { StoreKey(.credential, "visitor-\(number)") }

    @Test("they go with their records, by the thousands, and those of records that stay are kept") func removed()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let store = FileStore(unencryptedAt: folder["store"])
            let stays = StoreKey(.credential, "alice")
            try await store.replace(stays, at: nil, with: [1])
            let kept = try Self.locks(store.directory)
            #expect(kept.count == 1)
            for number in 0..<200 {
                let version = try await store.replace(Self.key(number), at: nil, with: [1])
                await (try store.lock(Self.key(number), deadline: .zero)).release()
                // A lock without a record, as the parts of a store take them.
                await (try store.lock(StoreKey(.credential, "part/\(number)"), deadline: .zero)).release()
                try await store.replace(Self.key(number), at: version, with: nil)
            }
            let left = try Self.locks(store.directory)
            #expect(left.isSuperset(of: kept))
            #expect(left.count <= 1 + 2 * 64)
            await (try store.lock(stays, deadline: .zero)).release()
        }
    }

    @Test("while any lock is held none is removed, so that nobody enters beside its holder", .law(1)) func held()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let (store, other) = (FileStore(unencryptedAt: folder["store"]), FileStore(unencryptedAt: folder["store"]))
            // No record has its key, so it would be removed.
            let key = StoreKey(.credential, "part")
            try await store.replace(StoreKey(.settings, "s"), at: nil, with: [1])
            let hold = try await other.lock(key, deadline: .zero)
            let before = try Self.locks(store.directory)
            for number in 0..<130 {
                let version = try await store.replace(Self.key(number), at: nil, with: [1])
                try await store.replace(Self.key(number), at: version, with: nil)
            }
            #expect(try Self.locks(store.directory).isSuperset(of: before))
            let error = await #expect(throws: AuthError.self) { try await store.lock(key, deadline: .zero) }
            #expect(error?.code == .busy)
            await hold.release()
            for number in 0..<64 {
                let version = try await store.replace(Self.key(number), at: nil, with: [1])
                try await store.replace(Self.key(number), at: version, with: nil)
            }
            #expect(try Self.locks(store.directory).count <= 64)
        }
    }

    @Test("two instances never hold one lock at once while a third removes lock files all the time", .law(1))
    func race()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let stores = (0..<3).map { _ in FileStore(unencryptedAt: folder["store"]) }
            let key = StoreKey(.credential, "part")
            let (holders, most) = (Locked(0), Locked(0))
            try await stores[2].replace(StoreKey(.settings, "s"), at: nil, with: [1])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores.prefix(2) {
                    group.addTask {
                        for _ in 0..<150 {
                            let hold = try await store.lock(key, deadline: .seconds(30))
                            let count = holders.withLock { count in
                                count += 1
                                return count
                            }
                            most.withLock { $0 = max($0, count) }
                            await Task.yield()
                            holders.withLock { $0 -= 1 }
                            await hold.release()
                        }
                    }
                }
                group.addTask {
                    for number in 0..<640 {
                        let version = try await stores[2].replace(Self.key(number), at: nil, with: [1])
                        try await stores[2].replace(Self.key(number), at: version, with: nil)
                    }
                }
                try await group.waitForAll()
            }
            #expect(most.withLock { $0 } == 1)
        }
    }
}
