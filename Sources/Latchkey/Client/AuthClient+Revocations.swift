extension AuthClient {
    /// How many sign-outs the service has not been told yet, those of accounts that are gone included. Reads the
    /// store; a record that cannot be read counts as none.
    public func owedRevocations() async throws(AuthError) -> Int {
        try await owing().map(\.count).reduce(0, +)
    }

    /// Tells the service now of the sign-outs that it has not been told, up to the first of each account that fails. For
    /// programs that end before the engine's own next try.
    public func settleRevocations() async throws(AuthError) {
        for (key, _) in try await owing() { await engine.lanes.with(key) { lane in await lane.work() } }
    }

    private func owing() async throws(AuthError) -> [(key: StoreKey, count: Int)] {
        do {
            var owing: [(key: StoreKey, count: Int)] = []
            for key in try await engine.store.keys(.credential) {
                let record = try? await engine.lanes.with(key) { lane in
                    let record = try await lane.read()?.record
                    // What is read here, this process knows.
                    _ = try await lane.look(atNews: true)
                    return record
                }
                guard let count = record?.pending.count, count > 0 else { continue }
                owing.append((key, count))
            }
            return owing
        } catch {
            throw AuthError(error)
        }
    }
}
