extension AuthClient {
    /// Returns how many sign-outs the service has not confirmed yet, including those of accounts
    /// that are gone. Reads the store; a record that cannot be read counts as zero.
    public func owedRevocations() async throws(AuthError) -> Int {
        try await owing().map(\.count).reduce(0, +)
    }

    /// Sends the pending revocations now. For each credential it stops at the first one that fails.
    /// Call it in programs that end before the client would try again by itself.
    public func settleRevocations() async throws(AuthError) {
        for (key, _) in try await owing() { await engine.lanes.with(key) { lane in await lane.work() } }
    }

    private func owing() async throws(AuthError) -> [(key: StoreKey, count: Int)] {
        do {
            var owing: [(key: StoreKey, count: Int)] = []
            for key in try await engine.store.keys(.credential) {
                let record = try? await engine.lanes.with(key) { lane in
                    let record = try await lane.read()?.record
                    // Other callers of this process must see what was read here.
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
