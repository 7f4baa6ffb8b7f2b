/// What several people who share a credential need beside minting: `Documentation/Lane.md`, section 6.
extension Lane {
    /// Whether the key is the one that they share, and not that of one account.
    nonisolated var sharesKey: Bool { isShared && !engine.isOwn(key) }

    /// The session of `account`, where it is here and not left.
    func session(of account: AccountID) async throws(AuthError) -> AuthSession? {
        guard let record = try await read()?.record, let login = record.login(of: account), !isForgotten(login) else {
            return nil
        }
        _ = try await look()
        return record.credential?.sessions.first { $0.account == account }
    }

    /// Ends the session of `account` here, where it has one: it is signed in elsewhere.
    func giveWay(_ account: AccountID) async {
        guard let record = try? await read()?.record, let login = record.login(of: account) else { return }
        _ = try? await signOut(account, login: login, scope: .thisSession, as: .replaced)
    }

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

    /// A token that came with something else than a mint takes the place of the one that was sent, and of no other. Where
    /// the store does not take it, it waits, and the lane with it: the others' sessions hang on it.
    func replace(_ old: Secret, of id: Credential.ID, by new: Secret) async {
        guard old != new, await !hasReplaced(old, of: id, by: new) else { return }
        keep(new, inPlaceOf: old, of: id)
    }

    /// A token that waits to be stored, in the lane.
    func keep(_ new: Secret, inPlaceOf old: Secret, of id: Credential.ID) {
        unsavedToken = UnsavedToken(old: old, credential: id, new: new)
        engine.alarm.set(.save(key), at: clock.now() + .seconds(1))
    }

    /// Whether the store has it now, or has no place for it.
    private func hasReplaced(_ old: Secret, of id: Credential.ID, by new: Secret) async -> Bool {
        let refreshTokenID = fresh()
        for _ in 0..<Self.commitTries {
            let present: Found?
            do throws(AuthError) { present = try await read() } catch { return false }
            guard let found = present else { return true }
            var next = found.record
            guard next.replace(old, of: id, by: new, refreshTokenID: refreshTokenID) else { return true }
            next.writeID = fresh()
            switch await commit(next, at: found.version) {
            case .stored:
                publish(next)
                return true
            case .conflict: continue
            case .failed: return false
            }
        }
        return false
    }

    /// Tries again to store a token that could not be.
    func retryToken() async {
        guard var waiting = unsavedToken else { return }
        if waiting.hold == nil { waiting.hold = try? await hold(deadline: .zero) }
        if let hold = waiting.hold, await hasReplaced(waiting.old, of: waiting.credential, by: waiting.new) {
            unsavedToken = nil
            await hold.release()
            return
        }
        waiting.failures += 1
        unsavedToken = waiting
        engine.alarm.set(.save(key), at: clock.now() + .seconds(min(60, 1 << min(waiting.failures, 6))))
    }

    /// Whether something of the credential is not stored that every request needs.
    var isUnsaved: Bool { unsaved != nil || unsavedToken != nil }

    /// Releases the lane, unless something that is not stored needs it.
    func letGo(_ hold: any LaneHold) async {
        if unsavedToken != nil, unsavedToken?.hold == nil {
            unsavedToken?.hold = hold
        } else {
            await hold.release()
        }
    }

    /// E: the credential that a sign-in was added to is gone, or another one. What came with it is kept for what is owed,
    /// and the session goes on by itself: whoever left was somebody else.
    func tooLateToJoin(_ answer: Answered, _ want: Want, _ found: Found?) async -> Landing {
        let sent = answer.sent.credential
        if let new = answer.change.refreshToken, let old = sent.refreshToken {
            await replace(old, of: sent.id, by: new)
        }
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
