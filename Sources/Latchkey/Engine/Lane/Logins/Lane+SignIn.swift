/// SIGN-IN of `Documentation/Internals/Lane.md`, section 5: replaces whatever is stored.
extension Lane {
    /// Makes `credential` the one of this lane, under the new `login`. Throws if it could not be
    /// stored; it is then shown as not durable, and tried again.
    ///
    /// - Parameter owed: What the service is still owed of the same credential.
    /// - Returns: `false` if others are signed in on another credential that they share, or wait to be stored there:
    ///   theirs stays, and nothing is stored.
    @discardableResult
    func signIn(
        _ credential: Credential, login: String, contact offset: Duration, owing owed: [CredentialRecord.Pending] = []
    ) async throws(AuthError) -> Bool {
        // An earlier sign-in that still waits to be stored makes room. A try to store it may be
        // under way, so it is revoked only when this one is in its place: nothing revoked may be
        // stored.
        var older: UnstoredChanges.UnstoredSignIn?
        if let waiting = unstored.signIn, waiting.login != login {
            if place.sharesKey, waiting.credential.isForOthers(than: credential) { return false }
            older = waiting
            unstored.remove(UnstoredChanges.Change.signIn(waiting).id)
            logins.forget(waiting.login)
        }
        do throws(AuthError) {
            let record = try await put(
                credential, login: login, contact: offset, owing: owed,
                over: { found throws(AuthError) in
                    !place.sharesKey || found.credential == nil || found.credential?.id == credential.id
                })
            guard record.has(login) else { return false }
            // If the earlier one is in the record, it is owed to the service already.
            if let older, record.ending(of: older.login) == nil { await drop(older, sparing: credential) }
            return true
        } catch {
            if let older { await drop(older, sparing: credential) }
            throw error
        }
    }

    private enum NotPut {
        /// The login is in the record already.
        case present(CredentialRecord)
        /// The record must not be replaced; or the error that says why.
        case kept(Result<CredentialRecord, AuthError>)
        /// The login has ended before it was stored.
        case left
    }

    /// Stores the credential. Returns the record that holds it, or the record that must not be replaced.
    func put(
        _ credential: Credential, login: String, contact offset: Duration, owing owed: [CredentialRecord.Pending] = [],
        keepsUnstored: Bool = true, over mayReplace: (CredentialRecord) throws(AuthError) -> Bool
    ) async throws(AuthError) -> CredentialRecord {
        logins.noteOwn(login)
        unstored.beginPut(login)
        defer { unstored.endPut(login) }
        var (former, spared): ([String], [ProviderID]) = ([], [])
        let amended = await amend { found -> Amendment<NotPut> in
            // 2
            if let record = found?.record, record.has(login) { return .stop(.present(record)) }
            if logins.hasEnded(login) || found?.record.ending(of: login) != nil { return .stop(.left) }
            if let record = found?.record {
                do throws(AuthError) {
                    guard try mayReplace(record) else { return .stop(.kept(.success(record))) }
                } catch {
                    return .stop(.kept(.failure(error)))
                }
            }
            // 3
            var next = replacing(found?.record, by: credential, login: login, offset)
            (former, spared) = (next.former, next.spared)
            for entry in owed { _ = next.record.addPending(entry) }
            return .store(next.record)
        }
        switch amended {
        case .stored(let found):
            for provider in spared { context.observer.observe(.signOut(provider, .leftToExpire)) }
            return try await accept(found.record, of: login, former: former, bringing: credential)
        case .stopped(.present(let record)):
            return try await accept(record, of: login, former: former, bringing: credential)
        case .stopped(.kept(let record)): return try record.get()
        case .stopped(.left): throw await undo(credential, login: login)
        // Trying again would help only if the store got better meanwhile; the caller is told instead.
        case .failed(let trouble, _):
            guard !logins.hasEnded(login) else { throw await undo(credential, login: login) }
            if keepsUnstored { keepUnstored(credential, login, offset) }
            throw trouble
        }
    }

    /// Shows the sign-in as not durable, and keeps it until the store takes it.
    private func keepUnstored(_ credential: Credential, _ login: String, _ offset: Duration) {
        publish(
            replacing(nil, by: credential, login: login, offset).record, isDurable: false,
            bringing: CredentialChange(sessions: credential.sessions))
        keep(
            .signIn(
                UnstoredChanges.UnstoredSignIn(
                    credential: credential, login: login, offset: offset, contact: contact(of: login)))
        )
    }

    /// When the service granted `login`: when it was to be stored first.
    private func contact(of login: String) -> CredentialRecord.Stamp {
        unstored.signIn.flatMap { $0.login == login ? $0.contact : nil } ?? clock.stamp
    }

    /// The login is in the record: shows it, unless the person signed out through this process meanwhile.
    private func accept(
        _ record: CredentialRecord, of login: String, former: [String], bringing granted: Credential
    ) async throws(AuthError) -> CredentialRecord {
        unstored.endPut(login)
        for login in former { logins.forget(login) }
        if logins.hasEnded(login), let credential = record.leaving(login) {
            throw await undo(credential, login: login)
        }
        publish(record, bringing: CredentialChange(sessions: granted.sessions))
        if !record.pending.isEmpty { accounts.alarm.set(.revoke(key), at: clock.now()) }
        return record
    }

    /// Undoes a sign-in, because the person signed out, or in again, before it was done. Returns
    /// the error for its caller.
    private func undo(_ credential: Credential, login: String) async -> AuthError {
        unstored.endPut(login)
        logins.forget(login)
        for session in credential.sessions {
            accounts.withdraw(session.account, login: login, by: .elsewhere)
            _ = try? await signOut(session.account, login: login, scope: .thisSession)
        }
        return AuthError(.signInRequired(.signedOut), "The person signed out while signing in.")
    }

    /// The record after the sign-in: the former credential, if any, ended and owed to the service, in one commit. What
    /// may end the new session too is not owed, and not any more.
    ///
    /// - Returns: Also the logins that ended, and the provider of each session that is left to expire.
    private func replacing(
        _ record: CredentialRecord?, by credential: Credential, login: String, _ offset: Duration
    ) -> (record: CredentialRecord, former: [String], spared: [ProviderID]) {
        let stamp = clock.stamp
        var next =
            record ?? CredentialRecord(writeID: fresh(), login: login, refreshTokenID: fresh(), credential: nil)
        let former = next.logins
        var spared: [ProviderID] = []
        for login in former {
            guard let old = next.leaving(login) else { continue }
            let mark = next.mark
            let provider = services.named(in: old.binding)
            let canBeTold = provider is any SessionRevoking
            let isOwed =
                canBeTold && provider?.rules.revocationEndsEveryGrant == false
                && !services.revoking(old, mayEnd: credential)
            if canBeTold, !isOwed, !credential.goesOn(old) { spared.append(old.binding.provider) }
            next.end(login, .replaced, at: stamp, isOwed: isOwed)
            if isOwed {
                _ = next.addPending(
                    CredentialRecord.Pending(
                        login: login, credential: old, mark: mark, scope: .thisSession, since: stamp))
            }
        }
        if services.named(in: credential.binding)?.rules.revocationEndsEveryGrant == true { next.pending = [] }
        spared += next.dropPending { services.revoking($0, mayEnd: credential) }
        // What is still owed ends its own session only: with a wider scope, it would end this sign-in too.
        for index in next.pending.indices { next.pending[index].scope = .thisSession }
        next.login = isShared ? credential.id.value : login
        next.refreshTokenID = fresh()
        next.live = CredentialRecord.Live(isShared ? credential.withLogins(login) : credential)
        next.contact = contact(of: login)
        next.serverOffset = offset
        next.slowestAnswer = services.slowestAnswer(of: credential.binding)
        next.ended.removeAll { $0.login == login }
        return (next, former, spared)
    }
}

extension Credential {
    /// Whether somebody is signed in on this one, and not on `other`.
    fileprivate func isForOthers(than other: Credential) -> Bool {
        sessions.contains { session in !other.sessions.contains { $0.account == session.account } }
    }

    /// The same with a login for each session: `login` for the first, logins of their own for
    /// others that the service had on it. Their tokens live in memory.
    fileprivate func withLogins(_ login: String) -> Credential {
        var shared = self
        for index in shared.sessions.indices {
            shared.sessions[index].login = index == 0 ? login : "\(login).\(index)"
            shared.sessions[index].tokens = [:]
        }
        return shared
    }
}
