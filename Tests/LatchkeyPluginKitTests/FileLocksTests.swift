import Latchkey
import LatchkeyPluginKit
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

@Suite("Locks from lock files")
struct FileLocksTests {
    let key = StoreKey(.credential, "alice")

    @Test("two instances over one folder keep the contract of locks, on the real disk") func real() async throws {
        try await TemporaryFolder.with { folder in
            try await CrossProcessStoreContract(rounds: 5) { context in
                let (data, place) = (MemoryStore(context: context), folder[context.randomName()])
                return (LockingStore(data, place, context), LockingStore(data, place, context))
            }.run()
        }
    }

    @Test("and on a disk in memory") func simulated() async throws {
        try await CrossProcessStoreContract(rounds: 5) { context in
            let (data, disk) = (MemoryStore(context: context), SimulatedDisk())
            let stores = [1, 2].map { _ in
                var context = context
                context.files = SimulatedFiles(on: disk)
                return LockingStore(data, "/home/alice/locks", context)
            }
            return (stores[0], stores[1])
        }.run()
    }

    @Test("who waits in vain is told which process holds the lock") func busy() async throws {
        try await TemporaryFolder.with { folder in
            let (first, second) = (FileLocks(in: folder["locks"]), FileLocks(in: folder["locks"]))
            let hold = try await first.lock(key, deadline: .zero)
            let error = await #expect(throws: AuthError.self) { try await second.lock(key, deadline: .zero) }
            #expect(error?.code == .busy)
            #expect(error?.message.hasPrefix("the lock is held by pid ") == true)
            await hold.release()
        }
    }

    @Test("a lock file that is removed lets nobody in beside its holder, where it was made")
    func removed() async throws {
        try await TemporaryFolder.with { folder in
            let (first, second) = (FileLocks(in: folder["locks"]), FileLocks(in: folder["locks"]))
            for locks in [first, second] { try locks.made(key) }
            let hold = try await first.lock(key, deadline: .zero)
            try SystemFiles().remove(folder["locks/\(FileLocks.name(of: key))"])
            let error = await #expect(throws: AuthError.self) { try await second.lock(key, deadline: .zero) }
            #expect(error?.code == .busy)
            await hold.release()
            await (try second.lock(key, deadline: .seconds(5))).release()
        }
    }

    @Test("a folder that others may use is refused, and so is what is no absolute path") func insecure() async throws {
        try await TemporaryFolder.with { folder in
            try SystemFiles().makeDirectory(folder["open"])
            chmod(folder["open"], 0o755)
            let open = await #expect(throws: AuthError.self) {
                try await FileLocks(in: folder["open"]).lock(key, deadline: .zero)
            }
            #expect(open?.code == .store(.insecurePermissions))
            #expect(throws: AuthError.self) { try FileLocks(in: folder["open"]).made(key) }
            let relative = await #expect(throws: AuthError.self) {
                try await FileLocks(in: "locks").lock(key, deadline: .zero)
            }
            #expect(relative?.code == .configuration(.invalid))
        }
    }

    @Test("a key that no store may keep has no lock", arguments: [String(repeating: "n", count: 4_097), "a\0b"])
    func invalidKeys(name: String) async throws {
        try await TemporaryFolder.with { folder in
            let error = await #expect(throws: AuthError.self) {
                try await FileLocks(in: folder["locks"]).lock(StoreKey(.credential, name), deadline: .zero)
            }
            #expect(error?.code == .configuration(.invalid))
        }
    }

    @Test("a cancelled waiter holds nothing") func cancelled() async throws {
        try await TemporaryFolder.with { folder in
            let locks = FileLocks(in: folder["locks"])
            let hold = try await locks.lock(key, deadline: .zero)
            let waiter = Task { [key] in try await locks.lock(key, deadline: .seconds(60)) }
            await Task.yield()
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            await hold.release()
            await (try locks.lock(key, deadline: .zero)).release()
        }
    }

    #if os(Linux)
        @Test(
            "a waiter is woken when the lock is let go, without trying again by the clock", .law(14),
            .timeLimit(.minutes(1)))
        func woken() async throws {
            try await TemporaryFolder.with { folder in
                // A clock that stands still wakes nobody who sleeps.
                let context = PluginContext.testing(files: SystemFiles())
                let locks = (1...3).map { _ in FileLocks(in: folder["locks"], context: context) }
                let hold = try await locks[0].lock(key, deadline: .zero)
                let waiters = locks.map { locks in
                    Task { [key] in await (try locks.lock(key, deadline: .seconds(20))).release() }
                }
                await Task.yield()
                await hold.release()
                try await withTaskCancellationHandler {
                    for waiter in waiters { try await waiter.value }
                } onCancel: {
                    for waiter in waiters { waiter.cancel() }
                }
            }
        }

        @Test("a waiter in the kernel gives up at its deadline, naming the holder", .law(14), .timeLimit(.minutes(1)))
        func late() async throws {
            try await TemporaryFolder.with { folder in
                let clock = ManualClock()
                let context = PluginContext.testing(clock: clock, files: SystemFiles())
                let locks = (1...2).map { _ in FileLocks(in: folder["locks"], context: context) }
                let hold = try await locks[0].lock(key, deadline: .zero)
                let waiter = Task { [key] in try await locks[1].lock(key, deadline: .seconds(20)) }
                try await clock.waitForSleepers()
                clock.advance(by: .seconds(20))
                let error = await #expect(throws: AuthError.self) { try await waiter.value }
                #expect(error?.code == .busy)
                #expect(error?.message.hasPrefix("the lock is held by pid ") == true)
                await hold.release()
                await (try locks[1].lock(key, deadline: .zero)).release()
            }
        }

        @Test(
            "a lock file that is removed under a waiter lets nobody in beside the holder", .law(14),
            .timeLimit(.minutes(1)))
        func removedUnderWaiter() async throws {
            try await TemporaryFolder.with { folder in
                let locks = (1...3).map { _ in FileLocks(in: folder["locks"]) }
                for locks in locks { try locks.made(key) }
                let hold = try await locks[0].lock(key, deadline: .zero)
                let waiter = Task { [key] in try await locks[1].lock(key, deadline: .seconds(20)) }
                await Task.yield()
                try SystemFiles().remove(folder["locks/\(FileLocks.name(of: key))"])
                let error = await #expect(throws: AuthError.self) { try await locks[2].lock(key, deadline: .zero) }
                #expect(error?.code == .busy)
                await hold.release()
                let next = try await waiter.value
                #expect(throws: Never.self) { try SystemFiles().status(folder["locks/\(FileLocks.name(of: key))"]) }
                await #expect(throws: AuthError.self) { try await locks[2].lock(key, deadline: .zero) }
                await next.release()
            }
        }

        @Test(
            "a writer of the directory is woken when the writer before it has ended", .law(14), .timeLimit(.minutes(1)))
        func commits() async throws {
            try await TemporaryFolder.with { folder in
                let context = PluginContext.testing(files: SystemFiles())
                let place = try TrustedDirectory.make(folder["records"], .own, in: context.files)
                let locks = (1...2).map { _ in CommitLock("store.lock", in: folder["records"], context: context) }
                let (isIn, mayEnd) = (Latch(), Latch())
                let first = Task {
                    try await locks[0].run(in: place, making: { place }) { _, _ in
                        isIn.open()
                        try await mayEnd.wait()
                    }
                }
                try await isIn.wait()
                let second = Task { try await locks[1].run(in: place, making: { place }) { $1.isInPlace } }
                await Task.yield()
                mayEnd.open()
                try await first.value
                #expect(try await second.value)
            }
        }
    #endif

    @Test("whatever a key is called, its lock file's name is one of a file, and nobody else's") func names() {
        let long = String(repeating: "n", count: 4_096)
        let names = ["", "a", "A", "a/b", "..", "日本語", "\u{1}", long, "\(long.dropLast())m", "m\(long.dropFirst())"]
        let files = names.flatMap { name in
            StoreKey.Kind.allCases.map { FileLocks.name(of: StoreKey($0, name)) }
        }
        #expect(Set(files).count == files.count)
        for file in files {
            #expect(file.utf8.count <= 200 && !file.contains("/") && !file.hasPrefix("."))
        }
    }
}

/// Records in memory, and locks in a folder.
struct LockingStore: CrossProcessStore {
    private let data: MemoryStore
    private let locks: FileLocks

    init(_ data: MemoryStore, _ folder: String, _ context: PluginContext) {
        (self.data, locks) = (data, FileLocks(in: folder, context: context))
    }

    func read(_ key: StoreKey) throws -> StoredRecord? { try data.read(key) }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        try data.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) -> [StoreKey] { data.keys(kind) }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await locks.lock(key, deadline: deadline)
    }
}
