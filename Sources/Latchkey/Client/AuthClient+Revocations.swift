public import FoundationEssentials

extension AuthClient {
    /// Returns how many sign-outs the service has not confirmed yet, including those of accounts
    /// that are gone. Reads the store; a record that cannot be read counts as zero.
    public func owedRevocations() async throws(AuthError) -> Int {
        try await owing().map(\.since.count).reduce(0, +)
    }

    /// Sends the pending revocations now. For each credential it stops at the first one that fails.
    /// Call it in programs that end before the client would try again by itself. A caller that is cancelled gets
    /// `cancelled` at once; what is under way goes on.
    public func settleRevocations() async throws(AuthError) {
        for (key, _) in try await owing() {
            let settled = Flight<Void>()
            // A task of its own: waiting for another's turn cannot be cancelled.
            engine.services.context.start("settle") { [lanes = engine.lanes] in
                await lanes.with(key) { lane in await lane.work() }
                settled.land(.success(()))
            }
            try await settled.value()
        }
    }

    /// Returns until when the sign-outs that the service has not confirmed are tried again, by this
    /// machine's wall clock: seven days after the newest of them. `nil` if nothing is owed.
    ///
    /// Any client over the store tries, beginning five seconds after it has read the store, then after
    /// growing pauses of up to an hour. Nothing is sent while no client is running. Reads the store; a
    /// record that cannot be read has no part in this.
    public func owedRevocationsEnd() async throws(AuthError) -> Date? {
        let clock = engine.services.context.clock
        return try await owing().flatMap(\.since).map { since in
            let left = CredentialRecord.pendingLifetime - (clock.age(of: since) ?? .zero)
            return clock.wall() + TimeInterval(left.components.seconds)
        }.max()
    }

    private func owing() async throws(AuthError) -> [(key: StoreKey, since: [CredentialRecord.Stamp])] {
        do {
            var owing: [(key: StoreKey, since: [CredentialRecord.Stamp])] = []
            for key in try await engine.reader.listedKeys() {
                let isFollowed = engine.reader.follows(key)
                let record = try? await engine.lanes.with(key) { lane in
                    let record = try await lane.read()?.record
                    // Other callers of this process must see what was read here.
                    if isFollowed { _ = try await lane.look(atNews: true) }
                    return record
                }
                guard let pending = record?.pending, !pending.isEmpty else { continue }
                owing.append((key, pending.map(\.since)))
            }
            // What the records say of their accounts changes by the clock as well.
            engine.accounts.alarm.start()
            return owing
        } catch {
            throw AuthError(error)
        }
    }
}
