/// The store's lane, which keeps the other processes out.
extension Lane {
    /// The store's lane, where it has one.
    func hold(deadline: Duration) async throws -> any LaneHold {
        guard let store = engine.store as? any CrossProcessStore else { return NoHold() }
        let begun = clock.now()
        do {
            let hold = try await store.lane(key, deadline: deadline)
            observe(.lane, .done, since: begun)
            return hold
        } catch {
            observe(.lane, .failed, since: begun)
            throw error
        }
    }

    /// Runs `work` while nobody else, in any process, runs anything in this lane.
    ///
    /// - Parameter waits: Whether to wait until it is free; else it is `busy` at once.
    func alone<Value: Sendable>(
        waits: Bool = true, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard waits || !isBusy else { throw AuthError(.busy, "The lane is held by another task of this process.") }
        await enter()
        defer { leave() }
        let hold = try await hold(deadline: waits ? engine.settings.laneDeadline : .zero)
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        await letGo(hold)
        return try result.get()
    }

    struct NoHold: LaneHold {
        func release() async {}
    }
}
