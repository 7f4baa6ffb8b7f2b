/// SIGN-OUT of `Documentation/Lane.md`, section 3: goes around the lane and never waits for it.
extension Lane {
    /// Ends `login` of `account`. Where that cannot be stored, the caller is told, and the engine tries again.
    func signOut(
        _ account: AccountID, login: String, scope: SignOutScope, as cause: CredentialRecord.Ended.Cause = .signedOut
    ) async throws(AuthError) -> SignOutResult {
        // 1. Who gives way to themselves is shown until then.
        if cause != .replaced { forget(login, isStored: false) }
        withdraw(account, login, cause)
        do throws(AuthError) {
            let result = try await end(login, of: account, scope: scope, as: cause)
            unsavedSignOuts.removeAll { $0.login == login }
            return result
        } catch {
            if error.mayPass, !unsavedSignOuts.contains(where: { $0.login == login }) {
                unsavedSignOuts.append(UnsavedSignOut(account: account, login: login, scope: scope, cause: cause))
                unsavedSignOuts.removeFirst(max(0, unsavedSignOuts.count - CredentialRecord.endedLimit))
                engine.alarm.set(.save(key), at: clock.now() + .seconds(1))
            }
            throw error
        }
    }

    /// Tries again to store the sign-outs that could not be.
    func retrySignOuts() async {
        for waiting in unsavedSignOuts {
            let result = try? await end(
                waiting.login, of: waiting.account, scope: waiting.scope, as: waiting.cause)
            if result != nil {
                unsavedSignOuts.removeAll { $0.login == waiting.login }
            } else {
                for index in unsavedSignOuts.indices where unsavedSignOuts[index].login == waiting.login {
                    unsavedSignOuts[index].failures += 1
                }
                let pause = Duration.seconds(min(60, 1 << min(waiting.failures, 6)))
                engine.alarm.set(.save(key), at: clock.now() + pause)
            }
        }
    }

    /// What is replaced is shown until the other one is.
    private func withdraw(_ account: AccountID, _ login: String, _ cause: CredentialRecord.Ended.Cause) {
        if cause != .replaced { engine.withdraw(account, login: login, by: .app) }
    }

    private func end(
        _ login: String, of account: AccountID, scope: SignOutScope, as cause: CredentialRecord.Ended.Cause
    ) async throws(AuthError) -> SignOutResult {
        for _ in 0..<Self.commitTries {
            // 2
            let putsBefore = putsDone
            let present = try await read()
            guard var found = present, let credential = found.record.leaving(login) else {
                withdraw(account, login, cause)
                if let unsaved = unsavedSignIn, unsaved.login == login {
                    // What is being stored, or was after this reading began, must not be revoked before its end is
                    // stored.
                    if let put = puts[login] {
                        _ = await put.landing()
                    } else if putsDone == putsBefore {
                        return await drop(unsaved)
                    }
                    continue
                }
                if let present { await farewell(present, login) }
                noteStoredEnd(of: login)
                return .nothingToDo
            }
            // 3
            let provider = engine.providers[credential.binding.provider]
            let canRevoke = provider is any SessionRevoking && provider?.rules.binding == credential.binding
            let mark = found.record.mark
            let stamp = clock.stamp
            found.record.end(login, cause, at: stamp)
            found.record.writeID = fresh()
            var isListed = canRevoke
            if canRevoke {
                isListed = found.record.owe(
                    CredentialRecord.Pending(
                        login: login, credential: credential, mark: mark, scope: scope, since: stamp))
            }
            switch await commit(found.record, at: found.version) {
            case .conflict: continue
            case .failed(let trouble):
                // It may have taken effect; if not, the caller is told and memory stays empty.
                guard let after = try? await read(), after.record.writeID == found.record.writeID else { throw trouble }
            case .stored: break
            }
            // 4
            forget(login)
            noteStoredEnd(of: login)
            withdraw(account, login, cause)
            // An answer that is not stored is too late now; with it goes the lane that is kept for it.
            if unsaved != nil { engine.alarm.set(.save(key), at: clock.now()) }
            guard canRevoke else {
                engine.context.observer.observe(.signOut(credential.binding.provider, .notOffered))
                return .localOnly
            }
            if !isListed { engine.context.observer.observe(.signOut(credential.binding.provider, .givenUp)) }
            if cause == .replaced {
                engine.alarm.set(.revoke(key), at: clock.now())
                return .revocationQueued
            }
            // 5
            if replayMatters(provider), mark != nil {
                engine.alarm.set(.revoke(key), at: clock.now() + engine.settings.requestDeadline)
                engine.context.observer.observe(.signOut(credential.binding.provider, .queued))
                return .revocationQueued
            }
            let outcome = await settlePending(login)
            engine.context.observer.observe(.signOut(credential.binding.provider, outcome))
            switch outcome {
            case .done: return .revoked
            case .notOffered: return .localOnly
            case .queued, .givenUp:
                engine.alarm.set(.revoke(key), at: clock.now() + max(.seconds(30), revocationPause))
                return .revocationQueued
            }
        }
        throw AuthError(StoreConflict())
    }

    /// A session that the service had ended is left by the person too: its reason is not shown again.
    private func farewell(_ found: Found, _ login: String) async {
        let last = isShared ? found.record.ending(of: login) : found.record.ended.last
        guard let ending = last, ending.login == login, ending.cause.reason != .signedOut else { return }
        var next = found.record
        var left = ending
        (left.cause, left.label) = (.signedOut, nil)
        next.note(left)
        next.writeID = fresh()
        // Lost to somebody else, or to the disk, it costs a sentence in a list.
        _ = await commit(next, at: found.version)
    }

    /// A sign-in that never reached the store is revoked at once; nothing can wait in a record that is not there.
    @discardableResult
    func drop(_ unsaved: UnsavedSignIn) async -> SignOutResult {
        if unsavedSignIn?.login == unsaved.login { unsavedSignIn = nil }
        let provider = unsaved.credential.binding.provider
        guard let revoking = engine.providers[provider] as? any SessionRevoking,
            !revoking.rules.revocationEndsEveryGrant
        else { return .localOnly }
        var entry = CredentialRecord.Pending(
            login: unsaved.login, credential: unsaved.credential, mark: nil, scope: .thisSession, since: clock.stamp)
        if needsRefresh(entry), let session = entry.credential.sessions.first {
            // Nobody else has this token, and nobody will want it again.
            let (context, _) = engine.providerContext(
                entry.credential.binding, until: clock.now() + engine.settings.requestDeadline)
            let change = try? await revoking.refresh(entry.credential, for: TokenWant(session: session.id), in: context)
            if let change { entry.credential.apply(change) }
        }
        let outcome = await revoke(entry)
        engine.context.observer.observe(.signOut(provider, outcome == .queued ? .givenUp : outcome))
        return outcome == .done ? .revoked : .localOnly
    }

    func replayMatters(_ provider: (any AuthProvider)?) -> Bool {
        provider.map { $0.rules.replay != .fixed } ?? true
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
