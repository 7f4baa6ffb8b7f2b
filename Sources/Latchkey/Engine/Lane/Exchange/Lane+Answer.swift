/// Steps 7 to 9 and E: an answer is stored, whatever happened to the record meanwhile.
extension Lane {
    private enum Overtaken {
        /// The login has ended, or was replaced.
        case tooLate(Found?)
        /// Another token took the place of the one that was sent.
        case moved(CredentialRecord)
        /// The session that the answer adds is there already: it was stored, and the record changed
        /// again since.
        case joined(CredentialRecord)
    }

    /// Stores `answer` and shows the token. What the store does not take is kept, and the lane with it.
    func save(_ answer: Answered, _ demand: Demand) async -> TokenResult {
        let want = demand.want
        var answer = answer
        answer.contact = clock.stamp
        switch await store(answer, from: answer.sent.found) {
        case .stored(let found): return published(found.record, demand, answer)
        case .stopped(.joined(let record)): return published(record, demand, answer)
        case .stopped(.tooLate(let found)): return await tooLate(answer, want, found)  // 8d
        case .stopped(.moved(let record)):  // 8c
            publish(record)
            return good(demand, in: record, .adopted, nil)
        case .failed(_, let found?):  // 9
            publish(merged(answer, into: found.record), isDurable: false, bringing: answer.change)
            keep(.answer(answer, want))
            return inMemory(want)
        case .failed(let trouble, nil):
            keep(.answer(answer, want))
            return fallback(demand, .storeFailed, trouble)
        }
    }

    /// Steps 7 and 8.
    private func store(_ answer: Answered, from known: Found?) async -> Amended<Overtaken> {
        let sent = answer.sent.record
        return await amend(from: known, isAnswer: true) { found -> Amendment<Overtaken> in
            guard let record = found?.record, record.live != nil, record.login == sent.login else {
                return .stop(.tooLate(found))
            }
            if let login = answer.change.joining?.login, record.has(login) { return .stop(.joined(record)) }
            if let id = answer.foundAgain, record.credential?.session(id) == nil { return .stop(.tooLate(found)) }
            guard record.refreshTokenID == sent.refreshTokenID else { return .stop(.moved(record)) }
            return .store(merged(answer, into: record))
        }
    }

    private func merged(_ answer: Answered, into record: CredentialRecord) -> CredentialRecord {
        var next = record
        let isOfToken = answer.sent.isMarked || answer.change.refreshToken != nil
        next.merge(answer.change, refreshTokenID: answer.refreshTokenID, isOfToken: isOfToken)
        if let session = answer.change.joining {
            next.join(session, at: clock.stamp, owes: canRevoke(session, in: next))
        }
        // An answer to a request without a mark says nothing about an earlier one that may still be under way.
        if isOfToken { next.live?.mark = nil }
        next.contact = answer.contact ?? clock.stamp
        next.serverOffset = answer.offset
        next.slowestAnswer = services.slowestAnswer(of: answer.sent.credential.binding) ?? next.slowestAnswer
        return next
    }

    private func published(_ record: CredentialRecord, _ demand: Demand, _ answer: Answered) -> TokenResult {
        let want = demand.want
        // If the account is gone and others who share the credential are not, the person signed out meanwhile.
        guard let login = record.login(of: want.account) else { return lost(want, record) }
        guard !logins.hasEnded(login) else { return lost(want, nil, wasLeft: true) }
        publish(record, bringing: answer.change)
        if let trouble = answer.trouble { return good(demand, in: record, .unusable, trouble) }
        guard answer.brings(want), let token = snapshot(want, in: record)?.token else { return .tokenless }
        guard !token.isRefused else { return .refusedAgain }
        return .token(token, .refreshed)
    }

    private func inMemory(_ want: Want) -> TokenResult {
        let trouble = AuthError(
            .store(.notDurable), "The refreshed session could not be stored and lives in memory only, so far.")
        guard let token = accounts.entry(want.account)?.tokens[want.audience]?.token else {
            return .failed(trouble, .notDurable)
        }
        guard !token.isRefused else { return .refusedAgain }
        return .token(token, .notDurable, trouble)
    }

    /// Tries again to store an answer that waited. Returns whether it is stored now, or no longer wanted.
    func storeAgain(_ answer: Answered, _ want: Want) async -> Bool {
        switch await store(answer, from: nil) {
        case .stored(let found):
            publish(found.record, bringing: answer.change)
            return true
        case .stopped(.joined(let record)):
            publish(record, bringing: answer.change)
            return true
        case .stopped(.moved(let record)):
            publish(record)
            return true
        case .stopped(.tooLate(let found)):
            _ = await tooLate(answer, want, found)
            return true
        case .failed(_, let found?):
            // A new sign-in that is not stored either stays shown.
            if unstored.signIn == nil {
                publish(merged(answer, into: found.record), isDurable: false, bringing: answer.change)
            }
            return false
        case .failed(_, nil): return false
        }
    }

    /// E: the login ended while its answer was under way. What it brought is revoked, never shown.
    private func tooLate(_ answer: Answered, _ want: Want, _ found: Found?) async -> TokenResult {
        if isShared { return await tooLateToJoin(answer, want, found) }
        var late = answer.sent.credential
        late.apply(answer.change)
        let login = answer.sent.record.login
        logins.forget(login)
        let result = lost(want, found?.record)
        // What the sign-out owes is in the record already.
        guard answer.sent.isMarked || answer.change.bringsSecret(over: answer.sent.credential) else { return result }
        // An answer to a request without a mark says nothing about an earlier one that may still be under way.
        let mark = answer.sent.record.mark
        await revokeLate(late, of: login, inPlaceOf: mark, under: answer.sent.isMarked ? nil : mark)
        return result
    }

    /// Revokes what a late answer brought of `login`, which has ended. If it can wait in the
    /// record, it is first stored there as owed.
    ///
    /// - Parameter open: The mark of an earlier request that may still be under way.
    func revokeLate(
        _ late: Credential, of login: String, inPlaceOf mark: CredentialRecord.Mark?,
        under open: CredentialRecord.Mark? = nil
    ) async {
        guard let provider = try? services.provider(for: late.binding), provider is any SessionRevoking,
            !provider.rules.revocationEndsEveryGrant
        else { return }
        let entry = CredentialRecord.Pending(
            login: login, credential: late, mark: open, scope: .thisSession, since: clock.stamp)
        if await addPending(entry, inPlaceOf: mark) {
            await revokePending(login)
        } else {
            // It cannot wait in the record: the service is told now, or never.
            let exchange = services.exchanges.begin()
            let outcome = await revoke(entry, in: exchange, isListed: false)
            services.exchanges.end(exchange)
            context.observer.observe(.signOut(late.binding.provider, outcome == .queued ? .givenUp : outcome))
        }
    }
}
