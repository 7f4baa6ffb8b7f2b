/// What several people who share a credential need beside minting: `Documentation/Internals/Lane.md`, section 6.
extension Lane {
    /// The session of `account`, if it is here and has not ended.
    func session(of account: AccountID) async throws(AuthError) -> AuthSession? {
        guard let record = try await read()?.record, let login = record.login(of: account), !logins.hasEnded(login)
        else {
            return nil
        }
        _ = try await look()
        return record.credential?.sessions.first { $0.account == account }
    }

    /// Ends the session of `account` here, if it has one, because it is signed in under another key, on `successor` if
    /// that one is still there.
    func giveWay(_ account: AccountID, to successor: Credential?) async {
        guard let record = try? await read()?.record, let login = record.login(of: account),
            let leaving = record.leaving(login)
        else { return }
        guard let successor, services.revoking(leaving, mayEnd: successor) else {
            _ = try? await signOut(account, login: login, scope: .thisSession, as: .replaced)
            return
        }
        // Two processes took the same session over: revoking it would end the one that stays.
        let amended = await amend { found -> Amendment<Void> in
            guard var next = found?.record, next.has(login) else { return .stop(()) }
            next.end(login, .replaced, at: clock.stamp)
            return .store(next)
        }
        if case .stored = amended { logins.forget(login) }
    }

    /// Whether the service can be told that the session of `record` that `session` replaces is over.
    func canRevoke(_ session: AuthSession, in record: CredentialRecord) -> Bool {
        record.credential.flatMap { services.named(in: $0.binding) } is any SessionRevoking
    }

    /// The credential of `entry`, with the newest refresh token.
    func newest(_ entry: CredentialRecord.Pending) async -> Credential {
        guard isShared, let record = try? await read()?.record else { return entry.credential }
        let known = record.pending.first { $0.login == entry.login }?.credential ?? entry.credential
        guard let present = record.credential, present.id == known.id else { return known }
        var newest = known
        newest.refreshToken = present.refreshToken
        return newest
    }

    /// Puts a token that came with something other than a mint in place of the one that was sent,
    /// and of no other. If the store does not take it, it waits and the lane is kept, since the
    /// others' sessions depend on it.
    func replace(_ old: Secret, of id: Credential.ID, by new: Secret) async {
        guard old != new, await !hasReplaced(old, of: id, by: new) else { return }
        keep(.token(old: old, of: id, new: new))
    }

    /// Whether the store has it now, or has no place for it.
    func hasReplaced(_ old: Secret, of id: Credential.ID, by new: Secret) async -> Bool {
        let refreshTokenID = fresh()
        let amended = await amend { found -> Amendment<Void> in
            guard var next = found?.record,
                next.replace(old, of: id, by: new, refreshTokenID: refreshTokenID)
            else { return .stop(()) }
            return .store(next)
        }
        switch amended {
        case .stored(let found): publish(found.record)
        case .stopped: break
        case .failed: return false
        }
        return true
    }

    /// Minting, step 5: keeps a token that came with an error or a question. It takes the place of
    /// the one that was sent, and of no other. If the store does not take it now, it is let go,
    /// unless several people share it.
    func adopt(_ token: Secret, _ sent: inout Sent) async {
        guard let old = sent.credential.refreshToken, token != old else { return }
        guard isShared else { return await adoptAlone(token, &sent) }
        let id = sent.credential.id
        if sent.isWithoutLock {
            await replaceInTurn(old, of: id, by: token)
        } else {
            await replace(old, of: id, by: token)
        }
        if !unstored.holdsToken, let found = try? await read() { sent.update(found) }
    }

    private func adoptAlone(_ token: Secret, _ sent: inout Sent) async {
        enum Stop { case over(Credential?), moved }
        let known = sent.record
        let amended = await amend(from: sent.found) { found -> Amendment<Stop> in
            guard var next = found?.record, next.live != nil, next.login == known.login else {
                return .stop(.over(found?.record.credential))
            }
            guard next.isLive(known) else { return .stop(.moved) }
            next.merge(CredentialChange(refreshToken: token), refreshTokenID: fresh())
            next.live?.unexplained = found?.record.unexplained
            return .store(next)
        }
        switch amended {
        case .stored(let found):
            sent.update(found)
            publish(found.record)
        case .stopped(.over(let present)):
            // The person has signed out. The service was told with the token that was sent, which may be worth nothing.
            var late = sent.credential
            late.refreshToken = token
            if present?.goesOn(late) == true { return }
            await revokeLate(late, of: known.login, inPlaceOf: nil)
        case .stopped(.moved), .failed: break
        }
    }

    /// A caller that has the lane may have sent the same token after this one. Its answer is then
    /// newer, and goes first.
    private func replaceInTurn(_ old: Secret, of id: Credential.ID, by new: Secret) async {
        let work: @Sendable () async -> Void = { [self] in
            // What waits to be stored came in the lane, so it is the newer one.
            if await !unstored.holdsCredential { await replace(old, of: id, by: new) }
        }
        guard !unstored.holdsCredential else { return }
        do { try await alone(work) } catch {
            // The lane was not free in time, so the token waits.
            if !unstored.holdsCredential { keep(.token(old: old, of: id, new: new)) }
        }
    }

    /// E: the credential that a sign-in was added to is gone, or another one. A refresh token that
    /// came with the answer is kept for what is owed. The session goes on by itself, since it was
    /// others who signed out.
    func tooLateToJoin(_ answer: Answered, _ want: Want, _ found: Found?) async -> TokenResult {
        let sent = answer.sent.credential
        if let new = answer.change.refreshToken, let old = sent.refreshToken {
            await replace(old, of: sent.id, by: new)
        }
        // A session that was there before is one that the person has signed out meanwhile.
        guard let session = answer.change.joining, let login = session.login, answer.foundAgain == nil else {
            return lost(want, found?.record)
        }
        var own = sent
        own.refreshToken = answer.change.refreshToken ?? sent.refreshToken
        own.sessions = [session]
        own.sessions[0].login = nil
        do throws(AuthError) {
            // What the same credential still owes goes with it, since each answer may replace the token for all.
            let owed = (try? await read())??.record.pending.filter { $0.credential.id == sent.id } ?? []
            let key = try await placeElsewhere(
                own, of: session.account, login: login, contact: answer.offset, owing: owed)
            if key != self.key { await handOver(owed) }
        } catch {
            return .failed(error, .notDurable)
        }
        return session.tokens[want.audience].map { .token($0, .refreshed) } ?? .tokenless
    }

    /// Takes off the list what another record owes by now.
    private func handOver(_ owed: [CredentialRecord.Pending]) async {
        let logins = owed.map(\.login)
        await amend { found -> Amendment<Void> in
            guard var next = found?.record, !logins.isEmpty else { return .stop(()) }
            next.pending.removeAll { logins.contains($0.login) }
            return .store(next)
        }
    }
}
