/// SIGN-IN of `Documentation/Lane.md`, section 5: over anything.
extension Lane {
    /// Makes `credential` the one of this lane, under the new `login`. Throws when it could not be stored; it is then
    /// shown as not durable, and tried again.
    func signIn(_ credential: Credential, login: String, contact offset: Duration) async throws(AuthError) {
        if let older = unsavedSignIn, older.login != login {
            forget(older.login)
            await drop(older)
        }
        if !ownLogins.contains(login) { ownLogins = ownLogins.suffix(7) + [login] }
        var failure: AuthError?
        var former: String?
        for _ in 0..<Self.commitTries {
            // 2
            let found: Found?
            do throws(AuthError) { found = try await read() } catch {
                failure = failure ?? error
                break
            }
            if let found, found.record.login == login, found.record.credential != nil {
                return try await accept(found.record, former: former)
            }
            if isForgotten(login) || found?.record.ending(of: login) != nil {
                return try await undo(credential, login: login)
            }
            // Once more would be right only if the store got better meanwhile; the caller is told instead.
            guard failure == nil else { break }
            // 3
            let next = replacing(found?.record, by: credential, login: login, offset)
            former = next.former
            switch await commit(next.record, at: found?.version) {
            case .stored: return try await accept(next.record, former: former)
            case .conflict: continue
            // It may have taken effect, and somebody may have signed it out since: reading tells.
            case .failed(let trouble): failure = trouble
            }
        }
        guard !isForgotten(login) else { return try await undo(credential, login: login) }
        publish(replacing(nil, by: credential, login: login, offset).record, isDurable: false)
        unsavedSignIn = UnsavedSignIn(credential: credential, login: login, offset: offset)
        engine.alarm.set(.save(key), at: clock.now() + .seconds(1))
        throw failure ?? AuthError(StoreConflict())
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
    private func accept(_ record: CredentialRecord, former: String?) async throws(AuthError) {
        if let former { forget(former) }
        if isForgotten(record.login), let credential = record.credential {
            return try await undo(credential, login: record.login)
        }
        publish(record)
        if !record.pending.isEmpty { engine.alarm.set(.revoke(key), at: clock.now()) }
    }

    /// The person signed out before the sign-in was through.
    private func undo(_ credential: Credential, login: String) async throws(AuthError) {
        forget(login)
        for session in credential.sessions {
            engine.withdraw(session.account, login: login, by: .elsewhere)
            _ = try? await signOut(session.account, login: login, scope: .thisSession)
        }
        throw AuthError(.signInRequired(.signedOut), "The person signed out while signing in.")
    }

    /// The record after the sign-in: the former credential, if any, ended and owed to the service, in one commit.
    private func replacing(
        _ record: CredentialRecord?, by credential: Credential, login: String, _ offset: Duration
    ) -> (record: CredentialRecord, former: String?) {
        let stamp = clock.stamp
        var next =
            record ?? CredentialRecord(writeID: fresh(), login: login, renewalID: fresh(), credential: nil)
        var former: String?
        if let old = next.credential {
            former = next.login
            let mark = next.mark
            next.end(.replaced, at: stamp)
            let provider = engine.providers[old.binding.provider]
            // A credential that several people share is the same one before and after.
            if provider is any SessionRevoking, provider?.rules.revocationEndsEveryGrant == false,
                provider?.rules.sharesCredential == false
            {
                _ = next.owe(
                    CredentialRecord.Pending(
                        login: next.login, credential: old, mark: mark, scope: .thisSession, since: stamp))
            }
        }
        if engine.providers[credential.binding.provider]?.rules.revocationEndsEveryGrant == true { next.pending = [] }
        next.login = login
        next.renewalID = fresh()
        next.credential = credential
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
