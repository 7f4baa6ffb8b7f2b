#if os(Linux)
    import Latchkey
    import LatchkeyTesting
    import Proofs
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// What the kernel says about those who wait for the lock of one file, which no other test uses.
    private struct LockFile {
        let path: String
        private let node: String

        init(in folder: TemporaryFolder) throws {
            path = folder["lock"]
            try SystemFiles().writeNew(path, [])
            var found = stat()
            try #require(stat(path, &found) == 0)
            node = ":\(found.st_ino) "
        }

        /// How many wait in the kernel.
        func waiters() throws -> Int {
            let bytes = try SystemFiles().read("/proc/locks", limit: 1 << 22) ?? []
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .filter { $0.contains("->") && $0.contains(node) }.count
        }

        /// Returns when `count` wait.
        func waitForWaiters(_ count: Int) async throws {
            while try waiters() != count {
                try Task.checkCancellation()
                await Task.yield()
            }
        }

        func take() throws -> (any FileLock)? { try SystemFiles().lock(path, sharing: false) }

        func begin() -> Task<any FileLock, any Error> {
            Task { [path] in try await SystemFiles().lockWhenFree(path) }
        }
    }

    @Suite("Waiting for a lock in the kernel", .timeLimit(.minutes(1)))
    struct LockWaitingTests {
        @Test("one of those who wait gets the lock when it is let go, and then the next") func woken() async throws {
            try await TemporaryFolder.with { folder in
                let file = try LockFile(in: folder)
                let holder = try #require(try file.take())
                let waiters = (0..<3).map { _ in
                    Task {
                        let lock = try await file.begin().value
                        #expect(lock.isInPlace)
                        #expect(try file.take() == nil)
                        lock.release()
                    }
                }
                try await file.waitForWaiters(3)
                holder.release()
                for waiter in waiters { try await waiter.value }
                #expect(try file.take() != nil)
            }
        }

        @Test("a waiter whose task is cancelled stops waiting at once, while the lock is held", .law(7))
        func cancelled()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let file = try LockFile(in: folder)
                let holder = try #require(try file.take())
                let waiter = file.begin()
                try await file.waitForWaiters(1)
                waiter.cancel()
                await withTaskCancellationHandler {
                    _ = await #expect(throws: CancellationError.self) { try await waiter.value }
                } onCancel: {
                    holder.release()
                }
                #expect(try file.waiters() == 0)
                holder.release()
                #expect(try file.take() != nil)
            }
        }

        @Test("a task that was cancelled before holds nothing, of a free lock and of a held one", .law(7)) func early()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let file = try LockFile(in: folder)
                for isHeld in [false, true] {
                    let holder = isHeld ? try file.take() : nil
                    let waiter = Task { [path = file.path] in
                        withUnsafeCurrentTask { $0?.cancel() }
                        return try await SystemFiles().lockWhenFree(path)
                    }
                    _ = await #expect(throws: CancellationError.self) { try await waiter.value }
                    #expect(try file.waiters() == 0)
                    holder?.release()
                    #expect(try file.take() != nil)
                }
            }
        }

        @Test("a lock that comes as its waiter is cancelled is had by the waiter or by nobody", .law(7)) func together()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let file = try LockFile(in: folder)
                for round in 0..<200 {
                    let holder = try #require(try file.take())
                    let waiter = file.begin()
                    if round.isMultiple(of: 2) { try await file.waitForWaiters(1) }
                    async let cancelling: Void = waiter.cancel()
                    holder.release()
                    await cancelling
                    if case .success(let lock) = await waiter.result { lock.release() }
                    try #require(try file.take() != nil, "round \(round)")
                }
            }
        }

        @Test("who waits for a file that is removed, or that is not there, is told so and holds nothing")
        func removed() async throws {
            try await TemporaryFolder.with { folder in
                let file = try LockFile(in: folder)
                let holder = try #require(try file.take())
                let waiter = file.begin()
                try await file.waitForWaiters(1)
                try SystemFiles().remove(file.path)
                holder.release()
                await #expect(throws: FileError.missing) { try await waiter.value }
                await #expect(throws: FileError.missing) { try await SystemFiles().lockWhenFree(file.path) }
                #expect(try SystemFiles().status(file.path) == nil)
            }
        }

        @Test("a file that is made anew in place of the one that was waited for is waited for") func replaced()
            async throws
        {
            try await TemporaryFolder.with { folder in
                let file = try LockFile(in: folder)
                let holder = try #require(try file.take())
                let waiter = file.begin()
                try await file.waitForWaiters(1)
                try SystemFiles().remove(file.path)
                let other = try #require(try file.take())
                holder.release()
                other.release()
                let lock = try await waiter.value
                #expect(lock.isInPlace)
                #expect(try file.take() == nil)
                lock.release()
            }
        }
    }
#endif
