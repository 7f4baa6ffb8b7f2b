/// One at a time for a key: in this process by a queue, across processes by the store's lock, if it has one.
final class KeyLocks: Sendable {
    private let queue = LockQueue()
    private let store: any SessionStore
    private let context: PluginContext
    private let deadline: Duration

    /// - Parameter deadline: How long to wait for another process.
    init(_ store: any SessionStore, _ context: PluginContext, deadline: Duration) {
        self.store = store
        self.context = context
        self.deadline = deadline
    }

    /// Whether something in this process has the turn of `key`.
    func isTaken(_ key: StoreKey) -> Bool { queue.isTaken(key) }

    /// Waits for the turn in this process, first come first served. Returns the ticket for ``leave(_:_:)``.
    nonisolated(nonsending) func enter(_ key: StoreKey) async -> UInt64 {
        let begun = context.clock.now()
        let ticket = await queue.acquire(key)
        observe(.queue, .acquired, since: begun)
        return ticket
    }

    /// The same; without `waits`, throws `busy` at once if it is not free.
    nonisolated(nonsending) func enter(_ key: StoreKey, waits: Bool) async throws(AuthError) -> UInt64 {
        if waits { return await enter(key) }
        let begun = context.clock.now()
        guard let ticket = queue.acquireIfFree(key) else {
            observe(.queue, .busy, since: begun)
            throw AuthError(.busy, "The lock is held by another task of this process.")
        }
        observe(.queue, .acquired, since: begun)
        return ticket
    }

    func leave(_ key: StoreKey, _ ticket: UInt64) { queue.release(ticket, of: key) }

    /// The store's lock of `key`, which keeps other processes out.
    func hold(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        guard let store = store as? any CrossProcessStore else { return NoHold() }
        let begun = context.clock.now()
        do {
            let hold = try await store.lock(key, deadline: deadline)
            observe(key, .done, since: begun)
            return hold
        } catch {
            observe(key, .failed, since: begun, AuthError(error).code)
            throw error
        }
    }

    /// - Parameter failure: Why the lane could not be had. That somebody else has it is no failure of the store.
    private func observe(
        _ key: StoreKey, _ outcome: AuthObservation.StoreOutcome, since begun: MonotonicInstant,
        _ failure: AuthError.Code? = nil
    ) {
        context.observer.observe(.store(key.kind, .lock, outcome, took: context.clock.now() - begun))
        observe(.store, failure == nil ? .acquired : failure == .busy ? .busy : .failed, since: begun)
        if let failure, failure != .busy { context.observer.observe(.storeFailure(key.kind, .lock, failure)) }
    }

    private func observe(
        _ lock: AuthObservation.Lock, _ outcome: AuthObservation.LockOutcome, since begun: MonotonicInstant
    ) {
        context.observer.observe(.lockWait(lock, outcome, took: context.clock.now() - begun))
    }

    /// Runs `work` while nothing else, in any process, has the turn of `key`.
    ///
    /// - Parameter waits: Whether to wait until it is free. If not, this throws `busy` at once.
    func alone<Value: Sendable>(
        _ key: StoreKey, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let ticket = try await enter(key, waits: waits)
        defer { leave(key, ticket) }
        let hold = try await hold(key, deadline: waits ? deadline : .zero)
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        await hold.release()
        return try result.get()
    }

    private struct NoHold: HeldLock {
        func release() async {}
    }
}
