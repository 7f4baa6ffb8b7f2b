/// SIGN-IN of `Documentation/Lane.md`, section 5: over anything.
extension Lane {
    /// Makes `credential` the one of this lane, under the new `login`. Throws when it could not be stored; it is then
    /// shown as not durable, and tried again.
    func signIn(_ credential: Credential, login: String, contact offset: Duration) async throws(AuthError) {
        var failure: AuthError?
        for _ in 0..<Self.commitTries {
            // 2
            let found: Found?
            do throws(AuthError) { found = try await read() } catch {
                failure = error
                break
            }
            if let found, found.record.login == login, found.record.credential != nil {
                publish(found.record)
                return
            }
            if let found, found.record.ending(of: login) != nil {
                throw AuthError(.signInRequired(.signedOut), "The person signed out while signing in.")
            }
            // 3
            let (record, former) = replacing(found?.record, by: credential, login: login, offset)
            switch await commit(record, at: found?.version) {
            case .stored:
                if let former { forget(former) }
                publish(record)
                if !record.pending.isEmpty { engine.alarm.set(.revoke(key), at: clock.now()) }
                return
            case .conflict: continue
            case .failed(let trouble):
                if let after = try? await read(), after.record.writeID == record.writeID {
                    publish(record)
                    return
                }
                // Once more would be right only if the store got better meanwhile; the caller is told instead.
                failure = trouble
            }
            if failure != nil { break }
        }
        publish(replacing(nil, by: credential, login: login, offset).record, isDurable: false)
        unsavedSignIn = UnsavedSignIn(credential: credential, login: login, offset: offset)
        engine.alarm.set(.save(key), at: clock.now() + .seconds(1))
        throw failure ?? AuthError(StoreConflict())
    }

    /// Tries again to store a sign-in that could not be.
    func retrySignIn() async {
        guard let waiting = unsavedSignIn else { return }
        guard !isForgotten(waiting.login) else {
            unsavedSignIn = nil
            return
        }
        do {
            try await signIn(waiting.credential, login: waiting.login, contact: waiting.offset)
            unsavedSignIn = nil
        } catch  where error.code == .signInRequired(.signedOut) {
            unsavedSignIn = nil
        } catch {
            unsavedSignIn?.failures = waiting.failures + 1
            let pause = Duration.seconds(min(60, 1 << min(waiting.failures, 6)))
            engine.alarm.set(.save(key), at: clock.now() + pause)
        }
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
