import LatchkeySystem

/// The way on for a person who can no longer give the proof. It never goes around the gate, which
/// opens only when nothing is left behind it.
extension Gate {
    /// - Parameter endEverySession: Signs out of every account in the store.
    func startOver(_ endEverySession: () async throws(AuthError) -> Void) async throws(AuthError) {
        guard authenticator != nil else { return }
        do {
            if isKeyed {
                guard let store = store as? any ErasableStore else {
                    throw AuthError(
                        .configuration(.unsupported), "The store is opened by a key, and cannot be erased without it.")
                }
                await close()
                try await store.erase()
                accounts.table.removeAll()
                await begunAnew()
                return
            }
            if hasRecord { try await recall() }
            try await endEverySession()
            try await amend { record in (record.provenAt, record.boot) = (nil, nil) }
            // Nothing is behind the gate now, and signing in is a proof by itself.
            change(isProof: true) { $0.proved(at: $1, now: $1) }
            // As after the last sign-out. A switch that cannot be written stays on, and locks at the next launch.
            if policy.enrolment == .offered, isInForce { try? await setEnabled(false) }
            await begunAnew()
        } catch {
            throw AuthError(error)
        }
    }

    /// What was kept for the sessions that are gone, such as the wrong tries of the person who lost the proof, does not
    /// count for the next ones.
    private func begunAnew() async {
        context.observer.observe(.startedOver)
        for authenticator in [authenticator, fallback] {
            try? await (authenticator as? any WithdrawingUnlock)?.withdraw()
        }
    }
}
