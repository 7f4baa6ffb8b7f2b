/// What a resource refused is handed out no more.
extension Lane {
    /// Notes in the record that a resource refused `token` of `account`.
    ///
    /// It is one commit and no exchange, so it waits for neither turn nor lock: a refresh that is under way brings
    /// another token, whichever of the two is stored first.
    ///
    /// - Returns: Whether it was the account's token. If another one took its place meanwhile, that one is shown.
    func discard(_ token: Secret, of account: AccountID) async throws(AuthError) -> Bool {
        refused.note(token)
        let wasShown = forget(token, of: account)
        // Minted tokens are in no record.
        if isShared { return wasShown }
        let amended = await amend { found -> Amendment<CredentialRecord?> in
            guard var record = found?.record, record.refuse(token, of: account) else { return .stop(found?.record) }
            return .store(record)
        }
        switch amended {
        case .stored(let found):
            show(found.record)
            return true
        case .stopped(let record):
            if let record { show(record) }
            return wasShown
        case .failed(let trouble, _):
            refused.isUnstored = true
            throw trouble
        }
    }

    /// Notes in the record whether `origin` refuses `token` of `account`, which had come because it refused another one.
    ///
    /// It is one commit and no exchange. Minted tokens are in no record.
    func note(_ token: Secret, of account: AccountID, _ isRefused: Bool, at origin: String) async {
        if isShared { return }
        let amended = await amend { found -> Amendment<Void> in
            guard var record = found?.record, record.note(token, of: account, isRefused, at: origin) else {
                return .stop(())
            }
            return .store(record)
        }
        if case .stored(let found) = amended { show(found.record) }
    }

    /// Shows `record`, unless there is something newer than what is stored.
    private func show(_ record: CredentialRecord) {
        guard !unstored.holdsCredential, unstored.signIn == nil else { return }
        publish(record)
    }

    /// Takes `token` from what callers see. Returns whether it was there.
    private func forget(_ token: Secret, of account: AccountID) -> Bool {
        guard let former = accounts.entry(account) else { return false }
        let refused = former.tokens.filter { $0.value.token.value == token }.keys
        guard !refused.isEmpty else { return false }
        let entry = accounts.table.update(account) { entry in
            for audience in refused { entry.dropToken(for: audience) }
        }
        if let entry {
            accounts.schedule(entry)
            accounts.tellState(of: entry, was: former)
        }
        return true
    }
}

extension CredentialRecord {
    /// Notes whether `origin` refuses `token` of `account`. Returns `false` if there is nothing to change.
    fileprivate mutating func note(
        _ token: Secret, of account: AccountID, _ isRefused: Bool, at origin: String
    ) -> Bool {
        guard var credential else { return false }
        var isChanged = false
        for index in credential.sessions.indices where credential.sessions[index].account == account {
            for (audience, known) in credential.sessions[index].tokens
            where known.value == token && known.isRefused(at: origin) != isRefused {
                credential.sessions[index].tokens[audience]?.refuse(isRefused, at: origin)
                isChanged = true
            }
        }
        if isChanged { live?.credential = credential }
        return isChanged
    }

    /// Marks `token` of `account` as refused. Returns `false` if the account has no such token, or it is marked.
    fileprivate mutating func refuse(_ token: Secret, of account: AccountID) -> Bool {
        guard var credential else { return false }
        var isFound = false
        for index in credential.sessions.indices where credential.sessions[index].account == account {
            for (audience, known) in credential.sessions[index].tokens
            where known.value == token && !known.isRefused {
                credential.sessions[index].tokens[audience]?.isRefused = true
                isFound = true
            }
        }
        if isFound { live?.credential = credential }
        return isFound
    }
}
