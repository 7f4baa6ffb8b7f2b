/// SIGN-IN of `Documentation/Lane.md`, section 5: over anything.
extension Lane {
    /// Makes `credential` the one of this lane, under the new `login`. Throws when it could not be stored; it is then
    /// shown as not durable, and tried again.
    ///
    /// - Returns: `false` where others are signed in on a credential that they share, which is another one than this: it
    ///   stays, and nothing is stored.
    @discardableResult
    func signIn(_ credential: Credential, login: String, contact offset: Duration) async throws(AuthError) -> Bool {
        // One that still waits to be stored makes room. A try to store it may be under way: it is revoked only when
        // this one is in its place, so that nothing revoked is stored.
        var older: UnsavedSignIn?
        if let waiting = unsavedSignIn, waiting.login != login {
            older = waiting
            unsavedSignIn = nil
            forget(waiting.login)
        }
        do throws(AuthError) {
            let record = try await put(
                credential, login: login, contact: offset,
                over: { found in !sharesKey || found.credential == nil || found.credential?.id == credential.id })
            guard record.has(login) else { return false }
            // In the record, it is owed to the service already.
            if let older, record.ending(of: older.login) == nil, !credential.goesOn(older.credential) {
                await drop(older)
            }
            return true
        } catch {
            if let older, !credential.goesOn(older.credential) { await drop(older) }
            throw error
        }
    }

    /// The record with the credential in it, or the one that it was not to be put over.
    func put(
        _ credential: Credential, login: String, contact offset: Duration, keepsUnstored: Bool = true,
        over mayReplace: (CredentialRecord) throws(AuthError) -> Bool
    ) async throws(AuthError) -> CredentialRecord {
        if !ownLogins.contains(login) { ownLogins = ownLogins.suffix(7) + [login] }
        puts[login] = Flight<Void>()
        defer { endPut(login) }
        var failure: AuthError?
        var former: [String] = []
        for _ in 0..<Self.commitTries {
            // 2
            let found: Found?
            do throws(AuthError) { found = try await read() } catch {
                failure = failure ?? error
                break
            }
            if let found, found.record.has(login) {
                return try await accept(found.record, of: login, former: former, bringing: credential)
            }
            if isForgotten(login) || found?.record.ending(of: login) != nil {
                throw await undo(credential, login: login)
            }
            // Once more would be right only if the store got better meanwhile; the caller is told instead.
            guard failure == nil else { break }
            if let found, try !mayReplace(found.record) { return found.record }
            // 3
            let next = replacing(found?.record, by: credential, login: login, offset)
            former = next.former
            switch await commit(next.record, at: found?.version) {
            case .stored: return try await accept(next.record, of: login, former: former, bringing: credential)
            case .conflict: continue
            // It may have taken effect, and somebody may have signed it out since: reading tells.
            case .failed(let trouble): failure = trouble
            }
        }
        guard !isForgotten(login) else { throw await undo(credential, login: login) }
        guard keepsUnstored else { throw failure ?? AuthError(StoreConflict()) }
        publish(
            replacing(nil, by: credential, login: login, offset).record, isDurable: false,
            bringing: CredentialChange(sessions: credential.sessions))
        unsavedSignIn = UnsavedSignIn(credential: credential, login: login, offset: offset)
        engine.alarm.set(.save(key), at: clock.now() + .seconds(1))
        throw failure ?? AuthError(StoreConflict())
    }

    /// Whether it is in the store is decided now.
    private func endPut(_ login: String) {
        guard let put = puts.removeValue(forKey: login) else { return }
        putsDone += 1
        put.land(.success(()))
    }

    /// Tries again to store a sign-in that could not be.
    func retrySignIn() async {
        guard let waiting = unsavedSignIn else { return }
        var left: UnsavedSignIn?
        do {
            try await signIn(waiting.credential, login: waiting.login, contact: waiting.offset)
        } catch  where error.code != .signInRequired(.signedOut) {
            left = waiting
            left?.failures += 1
            let pause = Duration.seconds(min(60, 1 << min(waiting.failures, 6)))
            engine.alarm.set(.save(key), at: clock.now() + pause)
        } catch {}
        // The person may have left it, or signed in anew, while it was tried.
        if unsavedSignIn?.login == waiting.login { unsavedSignIn = left }
    }

    /// The login is in the record: shows it, unless the person signed out through this process meanwhile.
    private func accept(
        _ record: CredentialRecord, of login: String, former: [String], bringing granted: Credential
    ) async throws(AuthError) -> CredentialRecord {
        endPut(login)
        for login in former { forget(login) }
        if isForgotten(login), let credential = record.leaving(login) {
            throw await undo(credential, login: login)
        }
        publish(record, bringing: CredentialChange(sessions: granted.sessions))
        if !record.pending.isEmpty { engine.alarm.set(.revoke(key), at: clock.now()) }
        return record
    }

    /// The person signed out, or in anew, before the sign-in was through: what its caller is told.
    private func undo(_ credential: Credential, login: String) async -> AuthError {
        endPut(login)
        forget(login)
        for session in credential.sessions {
            engine.withdraw(session.account, login: login, by: .elsewhere)
            _ = try? await signOut(session.account, login: login, scope: .thisSession)
        }
        return AuthError(.signInRequired(.signedOut), "The person signed out while signing in.")
    }

    /// The record after the sign-in: the former credential, if any, ended and owed to the service, in one commit.
    private func replacing(
        _ record: CredentialRecord?, by credential: Credential, login: String, _ offset: Duration
    ) -> (record: CredentialRecord, former: [String]) {
        let stamp = clock.stamp
        var next =
            record ?? CredentialRecord(writeID: fresh(), login: login, refreshTokenID: fresh(), credential: nil)
        let former = next.logins
        for login in former {
            guard let old = next.leaving(login) else { continue }
            let mark = next.mark
            next.end(login, .replaced, at: stamp)
            let provider = engine.providers[old.binding.provider]
            if provider is any SessionRevoking, provider?.rules.revocationEndsEveryGrant == false,
                !credential.goesOn(old)
            {
                _ = next.owe(
                    CredentialRecord.Pending(
                        login: login, credential: old, mark: mark, scope: .thisSession, since: stamp))
            }
        }
        if engine.providers[credential.binding.provider]?.rules.revocationEndsEveryGrant == true { next.pending = [] }
        // What is still owed ends its own session: going further, it would end this sign-in too.
        for index in next.pending.indices { next.pending[index].scope = .thisSession }
        next.login = isShared ? credential.id.value : login
        next.refreshTokenID = fresh()
        next.credential = isShared ? credential.withLogins(login) : credential
        next.mark = nil
        next.notBefore = nil
        next.unexplained = nil
        next.contact = stamp
        next.serverOffset = offset
        next.writeID = fresh()
        next.ended.removeAll { $0.login == login }
        return (next, former)
    }
}

extension Credential {
    /// Its first session as that of `login`, and others that the service had on it as logins of their own. Their tokens
    /// live in memory.
    fileprivate func withLogins(_ login: String) -> Credential {
        var shared = self
        for index in shared.sessions.indices {
            shared.sessions[index].login = index == 0 ? login : "\(login).\(index)"
            shared.sessions[index].tokens = [:]
        }
        return shared
    }

    /// Whether it carries on a session of `other`, such as one that two processes took over from another client at
    /// once: revoking that one would end this one.
    func goesOn(_ other: Credential) -> Bool {
        binding == other.binding && sessions.contains { session in other.sessions.contains { $0.id == session.id } }
    }
}
