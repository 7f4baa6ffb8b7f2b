/// Steps 7 to 9 and E: an answer is stored, whatever happened to the record meanwhile.
extension Lane {
    /// Stores `answer` and shows the token. The second value tells that the lane is kept, because it is not stored.
    func save(
        _ answer: Answered, _ want: Want, refused: AccessToken?, _ hold: any LaneHold
    ) async -> (Landing, keepsLane: Bool) {
        var base = answer.sent.record
        var writes: Set<String> = []
        for _ in 0..<Self.commitTries {
            // 7
            let next = merged(answer, into: base.record)
            writes.insert(next.writeID)
            let failure: AuthError?
            switch await commit(next, at: base.version) {
            case .stored: return (published(next, want, answer), false)
            case .conflict: failure = nil
            case .failed(let trouble): failure = trouble
            }
            // 8
            let found: Found?
            do throws(AuthError) { found = try await read() } catch {
                keep(answer, want, hold)
                return (await fallback(want, refused: refused, .storeFailed, failure ?? error), true)
            }
            guard let found, found.record.credential != nil, found.record.login == base.record.login else {  // d
                return (await tooLate(answer, want, found), false)
            }
            if writes.contains(found.record.writeID) { return (published(found.record, want, answer), false) }  // a
            guard found.record.refreshTokenID == answer.sent.record.record.refreshTokenID else {  // c
                publish(found.record)
                return (good(want, in: found.record, refused: refused, .adopted, nil), false)
            }
            if failure != nil {  // 9
                publish(merged(answer, into: found.record), isDurable: false, bringing: answer.change)
                keep(answer, want, hold)
                return (inMemory(want), true)
            }
            base = found  // b
        }
        keep(answer, want, hold)
        return (await fallback(want, refused: refused, .busy, AuthError(StoreConflict())), true)
    }

    private func merged(_ answer: Answered, into record: CredentialRecord) -> CredentialRecord {
        var next = record
        next.merge(answer.change, refreshTokenID: answer.refreshTokenID)
        if let session = answer.change.joining {
            next.join(session, at: clock.stamp, owes: canRevoke(session, in: next))
        }
        // An answer to a request without a mark says nothing about an earlier one that may still be under way.
        if answer.sent.isMarked || answer.change.refreshToken != nil { next.mark = nil }
        next.contact = clock.stamp
        next.serverOffset = answer.offset
        next.writeID = fresh()
        return next
    }

    private func published(_ record: CredentialRecord, _ want: Want, _ answer: Answered) -> Landing {
        // Whoever is not there any more, though others are that share the credential, has left meanwhile.
        guard let login = record.login(of: want.account) else { return lost(want, record) }
        guard !isForgotten(login) else { return lost(want, nil, wasLeft: true) }
        publish(record, bringing: answer.change)
        guard answer.brings(want), let token = snapshot(want, in: record)?.token else {
            let trouble = AuthError(.untrusted(.malformed), "The service's answer brought no token of the wanted kind.")
            return Landing(result: .failure(trouble), outcome: .unknown, trouble: trouble)
        }
        return Landing(result: .success(token), outcome: .refreshed)
    }

    private func inMemory(_ want: Want) -> Landing {
        let trouble = AuthError(
            .store(.notDurable), "The refreshed session could not be stored and lives in memory only, so far.")
        guard let token = engine.table.entry(want.account)?.tokens[want.audience]?.token else {
            return Landing(result: .failure(trouble), outcome: .notDurable, trouble: trouble)
        }
        return Landing(result: .success(token), outcome: .notDurable, trouble: trouble)
    }

    /// Step 9: keeps the answer and the lane until the store takes it.
    private func keep(_ answer: Answered, _ want: Want, _ hold: any LaneHold) {
        unsaved = Unsaved(answer: answer, want: want, hold: hold)
        engine.alarm.set(.save(key), at: clock.now() + .seconds(1))
    }

    /// Tries again, in turn with the exchanges of this process. Called by the alarm.
    func saveAgain() async {
        await enter()
        await retrySave()
        leave()
    }

    /// Tries again to store what could not be stored. Called in turn: by the alarm, and before any further refresh.
    func retrySave() async {
        await retrySignOuts()
        await retrySignIn()
        await retryToken()
        guard var waiting = unsaved else { return }
        // The record has moved on, or not: read, so that the version is the present one.
        let found: Found?
        let isReadable: Bool
        do throws(AuthError) { (found, isReadable) = (try await read(), true) } catch {
            (found, isReadable) = (nil, false)
        }
        if isReadable, await isSettled(waiting, found) {
            unsaved = nil
            await waiting.hold.release()
            return
        }
        waiting.failures += 1
        unsaved = waiting
        engine.alarm.set(.save(key), at: clock.now() + .seconds(min(60, 1 << min(waiting.failures, 6))))
    }

    /// Whether what waited is stored now, or no longer wanted.
    private func isSettled(_ waiting: Unsaved, _ found: Found?) async -> Bool {
        let sent = waiting.answer.sent.record.record
        guard let found, found.record.credential != nil, found.record.login == sent.login else {
            _ = await tooLate(waiting.answer, waiting.want, found)
            return true
        }
        let isJoined = waiting.answer.change.joining.map { found.record.has($0.login ?? "") } ?? false
        guard found.record.refreshTokenID == sent.refreshTokenID,
            found.record.refreshTokenID != waiting.answer.refreshTokenID, !isJoined
        else {
            publish(found.record)
            return true
        }
        let next = merged(waiting.answer, into: found.record)
        if case .stored = await commit(next, at: found.version) {
            publish(next, bringing: waiting.answer.change)
            return true
        }
        // Signed in anew meanwhile, which is not stored either: that one is shown.
        if unsavedSignIn == nil { publish(next, isDurable: false, bringing: waiting.answer.change) }
        return false
    }

    /// What a caller gets while an answer is not stored: no further refresh before it is.
    func unsavedLanding(_ want: Want, newerThan old: AccessToken?, isRefused: Bool) async -> Landing? {
        guard isUnsaved || unsavedSignIn != nil else { return nil }
        await retrySave()
        guard isUnsaved || unsavedSignIn != nil else { return nil }
        return await fallback(
            want, refused: isRefused ? old : nil, .notDurable,
            AuthError(.store(.notDurable), "The refreshed session could not be stored; it is tried again."))
    }

    /// E: the login ended while its answer was under way. What it brought is revoked, never shown.
    private func tooLate(_ answer: Answered, _ want: Want, _ found: Found?) async -> Landing {
        var late = answer.sent.credential
        late.apply(answer.change)
        if isShared { return await tooLateToJoin(answer, want, found) }
        let login = answer.sent.record.record.login
        forget(login)
        let landing = lost(want, found?.record)
        guard let provider = try? engine.provider(for: late.binding), provider is any SessionRevoking,
            !provider.rules.revocationEndsEveryGrant
        else { return landing }
        let entry = CredentialRecord.Pending(
            login: login, credential: late, mark: nil, scope: .thisSession, since: clock.stamp)
        if await owe(entry, inPlaceOf: answer.sent.record.record.mark) {
            await settlePending(login)
        } else {
            // It cannot wait in the record: the service is told now, or never.
            let outcome = await revoke(entry)
            engine.context.observer.observe(
                .signOut(late.binding.provider, outcome == .queued ? .givenUp : outcome))
        }
        return landing
    }
}
