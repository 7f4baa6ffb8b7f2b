/// What a call brought that came to nothing else: `Documentation/Lane.md`, section 6.
extension Lane {
    /// Minting, step 5: a token that came with an answer that is none. It takes the place of the one that was sent, and of
    /// no other; what the store does not take now is let go.
    func adopt(_ token: Secret, _ sent: inout Sent) async {
        guard let old = sent.credential.refreshToken, token != old else { return }
        if isShared { return await replace(old, of: sent.credential.id, by: token, &sent) }
        var base = sent.record
        for _ in 0..<Self.commitTries {
            guard base.record.login == sent.record.record.login, base.record.credential != nil,
                base.record.refreshTokenID == sent.record.record.refreshTokenID
            else { return }
            var next = base.record
            next.merge(CredentialChange(refreshToken: token), refreshTokenID: fresh())
            next.unexplained = base.record.unexplained
            next.writeID = fresh()
            let result = await commit(next, at: base.version)
            if case .stored(let version) = result {
                guard let version else { return }
                sent.record = Found(record: next, version: version)
                return publish(next)
            }
            guard let found = try? await read() else { return }
            if found.record.writeID == next.writeID {
                // Stored after all.
                sent.record = found
                return publish(next)
            }
            guard case .conflict = result else { return }
            base = found
        }
    }

    private func replace(_ old: Secret, of id: Credential.ID, by new: Secret, _ sent: inout Sent) async {
        if sent.isBeside {
            await replaceInTurn(old, of: id, by: new)
        } else {
            await replace(old, of: id, by: new)
        }
        if unsavedToken == nil, let found = try? await read() { sent.record = found }
    }

    /// Whoever has the lane may have sent the same token after this: then their answer is the newer one, and goes first.
    private func replaceInTurn(_ old: Secret, of id: Credential.ID, by new: Secret) async {
        let work: @Sendable () async -> Void = { [self] in
            // What waits to be stored came in the lane, so it is the newer one.
            if await !isUnsaved { await replace(old, of: id, by: new) }
        }
        guard !isUnsaved else { return }
        do { try await alone(work) } catch {
            // Somebody has had the lane for long.
            if !isUnsaved { keep(new, inPlaceOf: old, of: id) }
        }
    }
}
