import LatchkeySystem

/// Step 6, ``ProviderContext/keep(_:)``: the refresh token of an answer is stored while the rest of the answer is still
/// being judged, so that a program which ends meanwhile takes nothing with it.
extension Lane {
    /// A refresh token that is stored already.
    struct Kept: Sendable {
        var token: Secret
        /// The record with it, and without the mark of the request.
        var found: Found
    }

    /// What stores such a token; `nil` where the token that was sent is not spent by the answer.
    func keeper(
        _ sent: Sent, _ provider: any AuthProvider, _ kept: Locked<Kept?>
    ) -> (@Sendable (Secret) async -> Void)? {
        guard provider.rules.replay != .fixed, sent.isMarked, !isShared else { return nil }
        return { token in
            guard kept.withLock({ $0 == nil }), let found = await self.store(token, of: sent) else { return }
            kept.withLock { $0 = Kept(token: token, found: found) }
        }
    }

    /// Swaps the token in and the mark out. `nil` if the token that was sent is not in its place any more, or the store
    /// does not take the new one: then the end of the exchange decides.
    private func store(_ token: Secret, of sent: Sent) async -> Found? {
        guard token != sent.credential.refreshToken else { return nil }
        let id = fresh()
        let amended = await amend(from: sent.found, isAnswer: true) { found -> Amendment<Void> in
            guard var next = found?.record, next.isLive(sent.record) else { return .stop(()) }
            next.merge(CredentialChange(refreshToken: token), refreshTokenID: id)
            next.live?.mark = nil
            next.contact = clock.stamp
            return .store(next)
        }
        guard case .stored(let found) = amended else { return nil }
        publish(found.record)
        return found
    }

    /// The reply of a request whose refresh token is stored: what is left of it is a change of the record as it is now,
    /// and spends nothing.
    func concluding(_ reply: Reply, _ kept: Kept, _ sent: inout Sent) -> Reply {
        sent.update(kept.found)
        sent.isMarked = false
        guard case .answered(var answer) = reply else { return reply }
        if answer.change.refreshToken == kept.token { answer.change.refreshToken = nil }
        answer.sent = sent
        return .answered(answer)
    }
}
