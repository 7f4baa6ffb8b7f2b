/// What several people who share a credential need beside minting: `Documentation/Lane.md`, section 6.
extension Lane {
    /// Whether the key is the one that they share, and not that of one account.
    nonisolated var sharesKey: Bool { isShared && engine.sharing(key).map { engine.sharedKey($0.rules) == key } ?? false }

    /// Whether the service can be told that the session of `record` that `session` takes the place of is over.
    func canRevoke(_ session: AuthSession, in record: CredentialRecord) -> Bool {
        record.credential.flatMap { engine.providers[$0.binding.provider] } is any SessionRevoking
    }

    /// What is owed, with the token of the moment.
    func newest(_ entry: CredentialRecord.Pending) async -> Credential {
        guard isShared, let record = try? await read()?.record else { return entry.credential }
        let known = record.pending.first { $0.login == entry.login }?.credential ?? entry.credential
        guard let present = record.credential, present.id == known.id else { return known }
        var newest = known
        newest.refreshToken = present.refreshToken
        return newest
    }

    /// A token that came with something else than a mint takes the place of the one that was sent, and of no other.
    func replace(_ old: Secret, of id: Credential.ID, by new: Secret) async {
        guard old != new else { return }
        let refreshTokenID = fresh()
        for _ in 0..<Self.commitTries {
            guard let found = try? await read() else { return }
            var next = found.record
            guard next.replace(old, of: id, by: new, refreshTokenID: refreshTokenID) else { return }
            next.writeID = fresh()
            guard case .conflict = await commit(next, at: found.version) else { return }
        }
    }

    /// E: the credential that a sign-in was added to is gone, or another one. What came with it is kept for what is owed,
    /// and the session goes on by itself: whoever left was somebody else.
    func tooLateToJoin(_ answer: Answered, _ want: Want, _ found: Found?) async -> Landing {
        let sent = answer.sent.credential
        if let new = answer.change.refreshToken, let old = sent.refreshToken { await replace(old, of: sent.id, by: new) }
        guard let session = answer.change.joining, let login = session.login else { return lost(want, found?.record) }
        var own = sent
        own.refreshToken = answer.change.refreshToken ?? sent.refreshToken
        own.sessions = [session]
        own.sessions[0].login = nil
        do throws(AuthError) {
            try await engine.place(own, of: session.account, login: login, contact: answer.offset)
        } catch {
            return Landing(result: .failure(error), outcome: .notDurable, trouble: error)
        }
        guard let token = session.tokens[want.audience] else {
            let trouble = AuthError(.untrusted(.malformed), "The service's answer brought no token of the wanted kind.")
            return Landing(result: .failure(trouble), outcome: .unknown, trouble: trouble)
        }
        return Landing(result: .success(token), outcome: .refreshed)
    }
}
