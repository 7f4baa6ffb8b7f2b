import LatchkeyLocked

/// The way on for whoever cannot give the proof any more: never around the gate, only with nothing left behind it.
extension Gate {
    func startOver(_ engine: Engine) async throws(AuthError) {
        guard authenticator != nil else { return }
        do {
            if isKeyed {
                guard let store = engine.store as? any ErasableStore else {
                    throw AuthError(
                        .configuration(.unsupported), "The store is opened by a key, and cannot be erased without it.")
                }
                await close(engine)
                try await store.erase()
                engine.table.removeAll()
                return
            }
            if hasRecord { try await recall(engine) }
            try await engine.endEverySession()
            try await amend(engine) { record in (record.provenAt, record.boot) = (nil, nil) }
            // Nothing is behind it: whoever signs in now proves who they are by that.
            change(engine, isProof: true) { $0.proved(at: $1, now: $1) }
        } catch {
            throw AuthError(error)
        }
    }
}

extension Engine {
    /// Signs out of every account that the store holds. A record that cannot be read keeps the others from nothing, and
    /// is an error all the same: somebody may be behind it.
    func endEverySession() async throws(AuthError) {
        try await restore(again: true)
        for entry in table.entries {
            do {
                _ = try await withLane(entry.key) { lane in
                    try await lane.signOut(entry.account, login: entry.login, scope: .thisSession)
                }
            } catch {
                throw AuthError(error)
            }
        }
        if let failure = failedRecords.withLock({ $0.values.first }) { throw failure }
    }
}
