/// Shows callers what the store says: at launch, and whenever it tells of a change.
extension Lane {
    /// What a reading found.
    enum Seen: Sendable {
        /// No record, or one that is shown already, or must not be shown yet.
        case nothing
        /// Somebody is signed in.
        case live(CredentialRecord)
        /// Nobody is signed in; the record is a tombstone.
        case ended(CredentialRecord)
    }

    /// Reads the record and shows what it says. If something was shown meanwhile, that is newer,
    /// and the record is read again.
    ///
    /// - Parameters:
    ///   - atNews: Whether the store told of a change. Then a record that is shown already
    ///     is not shown again, and while the gate is locked the change is kept for later.
    ///   - given: The record as it was read with others, if nobody was in the lane since.
    func look(atNews: Bool = false, given: StoredRecord? = nil) async throws(AuthError) -> Seen {
        var given = shown.epoch == 0 && shown.lastRead == nil ? given : nil
        for _ in 0..<Self.commitTries {
            let before = shown.epoch
            let known = atNews ? shown.version : nil
            guard case .found(let found) = try await read(unless: known, given: given) else { return .nothing }
            given = nil
            guard shown.epoch == before else { continue }
            if atNews {
                if let found, found.version == shown.version { return .nothing }
                guard accounts.isOpen else {
                    accounts.missed.note(key)
                    return .nothing
                }
            }
            shown.version = found?.version
            return show(found?.record)
        }
        return .nothing
    }

    private func show(_ record: CredentialRecord?) -> Seen {
        guard let record else {
            for entry in accounts.entries(under: key) where entry.isDurable {
                shown.epoch += 1
                accounts.withdraw(entry.account, login: entry.login, by: .elsewhere)
            }
            return .nothing
        }
        guard let credential = record.credential else {
            showTombstone(record)
            return .ended(record)
        }
        show(record, credential)
        if isShared { showEnds(record) }
        return .live(record)
    }

    /// Shows the ends in a record. Every reading does this, whatever it was made for: callers get
    /// nothing more of a login that the record calls ended, even if it takes long until the reader
    /// has stored its own change. An earlier reading that comes late does not show such a login
    /// again.
    func adoptEnds(_ record: CredentialRecord) {
        for ended in record.ended where !logins.hasEnded(ended.login) && !record.has(ended.login) {
            logins.forget(ended.login)
        }
        guard !record.ended.isEmpty,
            accounts.entries(under: key).contains(where: { entry in
                !entry.tokens.isEmpty && record.ending(of: entry.login) != nil
            })
        else { return }
        if let credential = record.credential { show(record, credential) } else { showTombstone(record) }
    }

    /// Shows a record that has a credential.
    private func show(_ record: CredentialRecord, _ credential: Credential) {
        // What waits to be stored is newer than the store's record, unless somebody signed out or in meanwhile.
        guard unstored.answer == nil || isOvertaken(by: record), unstored.signIn == nil else { return }
        let former = accounts.entries(under: key)
        publish(record)
        for entry in former where !credential.sessions.contains(where: { $0.account == entry.account }) {
            leave(entry, record.ending(of: entry.login)?.cause.reason ?? .signedOut)
        }
        for session in credential.sessions {
            let login = record.login(of: session)
            guard !logins.own.contains(login), !logins.hasEnded(login),
                !former.contains(where: { $0.account == session.account && $0.login == login })
            else { continue }
            accounts.tellSignedIn(session.account)
        }
    }

    /// Whether an answer that waits to be stored belongs to a login that `record` has ended. If so,
    /// it is let go.
    private func isOvertaken(by record: CredentialRecord) -> Bool {
        guard let login = unstored.answer?.sent.record.login, record.live == nil || record.login != login else {
            return false
        }
        logins.forget(login)
        accounts.alarm.set(.save(key), at: clock.now())
        return true
    }

    /// Takes away the accounts that ended elsewhere. An account that the service ended keeps its
    /// name, so that the person sees why.
    private func showTombstone(_ record: CredentialRecord) {
        _ = isOvertaken(by: record)
        let last = record.ended.last?.cause.reason ?? .signedOut
        for entry in accounts.entries(under: key) {
            let ending = record.ending(of: entry.login)
            // A sign-in that is not stored yet does not end with the record.
            guard ending != nil || entry.isDurable else { continue }
            leave(entry, ending?.cause.reason ?? last)
        }
        if isShared { return showEnds(record) }
        guard last != .signedOut, let ended = record.ended.last else { return }
        accounts.showEnded(ended, of: AccountID(key.name), in: record, under: key)
    }

    /// Shows the names of the people whose sessions the service ended, though others are signed in
    /// on the credential.
    private func showEnds(_ record: CredentialRecord) {
        for (index, ended) in record.ended.enumerated() where ended.cause.reason != .signedOut {
            guard let account = ended.account, record.login(of: account) == nil,
                !record.ended.dropFirst(index + 1).contains(where: { $0.account == account })
            else { continue }
            accounts.showEnded(ended, of: account, in: record, under: key)
        }
    }

    /// Tells that `account`, which signed in here, is signed in, unless another process has signed it out since.
    func tellReturn(of account: AccountID, isSignIn: Bool) { accounts.tellReturn(of: account, isSignIn: isSignIn) }

    private func leave(_ entry: AccountEntry, _ reason: AuthError.SignInRequiredReason) {
        // An exchange that read the record before must not bring it back.
        logins.forget(entry.login)
        shown.epoch += 1
        withdraw(entry, reason)
    }
}
