/// SIGN-OUT of `Documentation/Internals/Lane.md`, section 3: goes around the lane and never waits for it.
extension Lane {
    /// Ends `login` of `account`. If that cannot be stored, the caller is told, and the engine tries again.
    ///
    /// - Parameter kept: A session in whose place this one goes: the service is not told if that may end it.
    func signOut(
        _ account: AccountID, login: String, scope: SignOutScope,
        as cause: CredentialRecord.Ended.Cause = .signedOut, sparing kept: Credential? = nil
    ) async throws(AuthError) -> SignOutResult {
        // 1. An account that replaces its own session is shown until the new one is.
        if cause != .replaced { logins.forget(login, isStored: false) }
        withdraw(account, login, cause)
        let change = UnstoredChanges.Change.signOut(account, login: login, scope: scope, cause: cause)
        do throws(AuthError) {
            let result = try await end(login, of: account, scope: scope, as: cause, sparing: kept)
            unstored.remove(change.id)
            return result
        } catch {
            if error.mayPass, !unstored.contains(change.id) { keep(change) }
            throw error
        }
    }

    /// Hides the login. One that is replaced is shown until the new one is.
    private func withdraw(_ account: AccountID, _ login: String, _ cause: CredentialRecord.Ended.Cause) {
        if cause != .replaced { accounts.withdraw(account, login: login, by: .app) }
    }

    /// Steps 2 to 5.
    func end(
        _ login: String, of account: AccountID, scope: SignOutScope, as cause: CredentialRecord.Ended.Cause,
        sparing kept: Credential? = nil
    ) async throws(AuthError) -> SignOutResult {
        while true {
            let putsBefore = unstored.putsEnded
            var ending = StoredEnd(login: login, account: account, cause: cause)
            let amended = await amend { found -> Amendment<Found?> in
                // 2
                guard var next = found?.record, let credential = next.leaving(login) else { return .stop(found) }
                // 3
                let stamp = clock.stamp
                let entry = CredentialRecord.Pending(
                    login: login, credential: credential, mark: next.mark, scope: scope, since: stamp)
                ending.isSpared = kept.map { services.revoking(credential, mayEnd: $0) } ?? false
                let isOwed = canRevoke(entry) && !ending.isSpared
                next.end(login, cause, at: stamp, isOwed: isOwed)
                ending.owed = entry
                if isOwed { ending.isListed = next.addPending(entry) }
                return .store(next)
            }
            switch amended {
            case .failed(let trouble, _): throw trouble
            case .stored: return await tellService(of: ending)
            case .stopped(let found):
                withdraw(account, login, cause)
                if let result = await absent(login, found, putsBefore) { return result }
            }
        }
    }

    /// An end that is stored.
    private struct StoredEnd {
        let login: String
        let account: AccountID
        let cause: CredentialRecord.Ended.Cause
        var owed: CredentialRecord.Pending?
        /// Whether the list of what is owed had room for it.
        var isListed = true
        /// Whether the service is not told, because that may end another session.
        var isSpared = false
    }

    /// The result if the login is not in the record; `nil` if it may be there by now.
    private func absent(_ login: String, _ found: Found?, _ putsBefore: Int) async -> SignOutResult? {
        if let waiting = unstored.signIn, waiting.login == login {
            // A sign-in that is being stored, or was stored after the reading began, must not be
            // revoked before its end is stored.
            if let put = unstored.put(login) {
                _ = await put.landing()
                return nil
            }
            return putsBefore == unstored.putsEnded ? await drop(waiting) : nil
        }
        if let found { await forgetReason(of: login, in: found) }
        logins.noteStoredEnd(of: login)
        return .nothingToDo
    }

    private func canRevoke(_ entry: CredentialRecord.Pending) -> Bool {
        let binding = entry.credential.binding
        return services.revoking(binding)?.rules.binding == binding
    }

    /// Steps 4 and 5.
    private func tellService(of ending: StoredEnd) async -> SignOutResult {
        guard let owed = ending.owed else { return .nothingToDo }
        let name = owed.credential.binding.provider
        // 4
        logins.forget(ending.login)
        logins.noteStoredEnd(of: ending.login)
        withdraw(ending.account, ending.login, ending.cause)
        // An answer that is not stored is too late now. The next try lets it go, with the lane that
        // is kept for it.
        if unstored.answer != nil { accounts.alarm.set(.save(key), at: clock.now()) }
        guard canRevoke(owed), !ending.isSpared else {
            context.observer.observe(.signOut(name, ending.isSpared ? .leftToExpire : .notOffered))
            return .localOnly
        }
        if !ending.isListed { context.observer.observe(.signOut(name, .givenUp)) }
        if ending.cause == .replaced {
            accounts.alarm.set(.revoke(key), at: clock.now())
            return .revocationQueued
        }
        // 5
        if owed.mark != nil, replayMatters(owed) {
            accounts.alarm.set(.revoke(key), at: clock.now() + settings.requestDeadline)
            context.observer.observe(.signOut(name, .queued))
            return .revocationQueued
        }
        let outcome = await revokePending(owed.login)
        context.observer.observe(.signOut(name, outcome))
        switch outcome {
        case .done: return .revoked
        case .notOffered, .leftToExpire: return .localOnly
        case .refused: return .revocationRefused
        case .queued, .givenUp:
            accounts.alarm.set(.revoke(key), at: clock.now() + max(.seconds(30), revocations.pause))
            return .revocationQueued
        }
    }

    /// After a sign-out from a session that the service had ended, its reason is not shown again.
    private func forgetReason(of login: String, in found: Found) async {
        let last = isShared ? found.record.ending(of: login) : found.record.ended.last
        guard var left = last, left.login == login, left.cause.reason != .signedOut else { return }
        (left.cause, left.label) = (.signedOut, nil)
        var next = found
        next.record.note(left)
        // If this is lost to a conflict or a disk error, the reason is shown once more, and that is all.
        await tryOnce(next)
    }

    /// A sign-in that never reached the store is revoked at once; nothing can wait in a record that is not there.
    ///
    /// - Parameter kept: The sign-in in its place, which must not end with it.
    @discardableResult
    func drop(_ signIn: UnstoredChanges.UnstoredSignIn, sparing kept: Credential? = nil) async -> SignOutResult {
        unstored.remove(UnstoredChanges.Change.signIn(signIn).id)
        let binding = signIn.credential.binding
        guard let revoking = services.revoking(binding), !revoking.rules.revocationEndsEveryGrant else {
            return .localOnly
        }
        if let kept, services.revoking(signIn.credential, mayEnd: kept) {
            if !kept.goesOn(signIn.credential) { context.observer.observe(.signOut(binding.provider, .leftToExpire)) }
            return .localOnly
        }
        var entry = CredentialRecord.Pending(
            login: signIn.login, credential: signIn.credential, mark: nil, scope: .thisSession, since: clock.stamp)
        let open = services.exchanges.begin()
        defer { services.exchanges.end(open) }
        if needsRefresh(entry), let session = entry.credential.sessions.first {
            // Nobody else has this token, and nobody will use it again: it needs no mark.
            let (context, _) = services.callContext(binding, until: clock.now() + settings.requestDeadline)
            let change = try? await revoking.refresh(
                entry.credential, for: TokenWant(session: session.id), in: context.within(open))
            if let change { entry.credential.apply(change) }
        }
        // A sign-in in its place has the turn of those that grant, and would wait for itself.
        let outcome = await revoke(entry, in: open, waits: false, isListed: false)
        context.observer.observe(.signOut(binding.provider, outcome == .queued ? .givenUp : outcome))
        switch outcome {
        case .done: return .revoked
        case .refused: return .revocationRefused
        case .queued, .notOffered, .givenUp, .leftToExpire: return .localOnly
        }
    }

    /// Whether it matters that a refresh token is sent again.
    func replayMatters(_ entry: CredentialRecord.Pending) -> Bool {
        services.named(in: entry.credential.binding).map { $0.rules.replay != .fixed } ?? true
    }
}

extension AuthError {
    /// Whether the store may take later what it did not take now.
    fileprivate var mayPass: Bool {
        switch code {
        case .store(.full), .store(.unavailable), .busy: true
        default: false
        }
    }
}
