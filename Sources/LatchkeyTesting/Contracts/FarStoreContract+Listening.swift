import Latchkey

/// Locks and streams of a store whose server goes away.
extension FarStoreContract {
    func runLocks() async throws {
        try await check("a lock that is lost says so before another has it", lostLock)
        try await check("a lock whose answer is lost frees itself", unansweredLock)
    }

    private func lostLock(_ pair: Pair) async throws {
        guard let store = pair.store as? any CrossProcessStore, let near = pair.near as? any CrossProcessStore else {
            return
        }
        let held = try await store.lock(key, deadline: .zero)
        try expect(held.isHeld, "a lock that was just taken says that it is lost")
        // As long as its server is there, it stays with its holder for longer than a lease.
        let kept = ContinuousClock.now + patience + patience / 4
        while ContinuousClock.now < kept {
            try expect(held.isHeld, "it says that it is lost while its server is there")
            try expect(try await isTaken(near), "another has it while its holder holds it")
            try await Task.sleep(for: patience / 50)
        }
        pair.proxy.set(.closed)
        let end = ContinuousClock.now + patience * 3
        while try await isTaken(near) {
            try expect(ContinuousClock.now < end, "its holder is cut off, and it is not free")
            try await Task.sleep(for: patience / 100)
        }
        try expect(!held.isHeld, "another has it, and its holder is told that it has it")
        pair.proxy.set(.open)
        // What its former holder releases is not another's.
        let other = try await near.lock(key, deadline: patience)
        await held.release()
        try expect(try await isTaken(near), "its former holder has freed another's")
        await other.release()
    }

    /// Whether another has the lock now.
    private func isTaken(_ store: any CrossProcessStore) async throws -> Bool {
        do {
            let lock = try await store.lock(key, deadline: .zero)
            await lock.release()
            return false
        } catch let error as AuthError where error.code == .busy {
            return true
        }
    }

    private func unansweredLock(_ pair: Pair) async throws {
        guard let store = pair.store as? any CrossProcessStore, let near = pair.near as? any CrossProcessStore else {
            return
        }
        for cut in [CuttingProxy.Cut.answer, .half] {
            pair.proxy.cut(every: 1, by: [cut])
            if let held = try? await store.lock(key, deadline: .zero) { await held.release() }
            pair.proxy.cut(every: nil)
            await (try await near.lock(key, deadline: patience * 3)).release()
        }
    }

    func runStreams() async throws {
        for way in [CuttingProxy.Way.closed, .silent] {
            try await check("a stream ends when its server is away") { try await ends($0, way) }
        }
        try await check("nobody listens to a server that is away") { pair in
            guard let store = pair.store as? any WatchableStore else { return }
            try await each(pair) { way in
                try await expectError("store(.unavailable)", where: Self.isAway) { _ = try await store.changes() }
            }
        }
        try await check("it tells again once its server is back", tellsAgain)
    }

    private func ends(_ pair: Pair, _ way: CuttingProxy.Way) async throws {
        guard let store = pair.store as? any WatchableStore else { return }
        let stream = try await store.changes()
        pair.proxy.set(way)
        let hasEnded =
            await within(patience * 2) { () -> Bool in
                for await _ in stream {}
                return true
            } ?? false
        try expect(hasEnded, "its server is \(way), and it goes on")
    }

    private func tellsAgain(_ pair: Pair) async throws {
        guard let store = pair.store as? any WatchableStore else { return }
        var version: RecordVersion?
        try await each(pair) { _ in
            let former = try? await store.changes()
            _ = former
            pair.proxy.set(.open)
            let stream = try await eventually("it listens") { try await store.changes() }
            version = try await pair.near.replace(key, at: version, with: [1])
            let told = await within(patience * 2) { () -> StoreKey? in
                for await told in stream { return told }
                return nil
            }
            try expect(told == .some(.some(key)), "a change after the outage was not told")
        }
    }
}

/// Returns what `work` returns within `limit` of real time; `nil` after that.
func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
        group.addTask { await work() }
        group.addTask {
            try? await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
    }
}
