/// REFRESH of `Documentation/Internals/Lane.md`, section 2: adopts what is fresh, else exchanges.
extension Lane {
    /// Refreshes as `demand` asks for.
    ///
    /// - Parameter doubted: Names the refresh token that was refused a moment ago, in minting beside others.
    func refresh(_ demand: Demand, doubted: String? = nil) async -> TokenResult {
        // No further refresh until everything is stored.
        if await owesCredential() {
            return fallback(
                demand, .notDurable,
                AuthError(.store(.notDurable), "The refreshed session could not be stored; it is tried again."))
        }
        var ending = await exchange(.refresh(demand, doubted: doubted))
        if asksAgain(after: ending, demand) { ending = await exchange(.refresh(demand, doubted: doubted)) }
        return await result(of: ending, demand)
    }

    /// Whether a refresh that got no answer is sent again at once: the service repeats its answer, but only for a known
    /// time, and this process may not be asked for a token again before that is over. In an outage that lasts, each call
    /// sends one request.
    private func asksAgain(after ending: Ending, _ demand: Demand) -> Bool {
        guard case .trouble(let trouble, let outcome, let record?) = ending,
            isFirst(demand.want), let binding = record.credential?.binding,
            let provider = try? services.provider(for: binding), provider.rules.replay == .sameSuccessor,
            let interval = provider.rules.reuseInterval, interval > .zero
        else { return false }
        switch outcome {
        case .unknown:
            guard let mark = record.mark, trouble.mayHaveActed else { return false }
            return clock.now() - mark.sent.at <= Self.hurry(interval)
        // A connection that is slow to be made has not had the time that it has elsewhere.
        case .notSent: return trouble.transport?.code == .timedOut && Self.hurry(interval) < settings.requestDeadline
        default: return false
        }
    }

    /// Whether the last refresh of `want` did not fail.
    func isFirst(_ want: Want) -> Bool { accounts.entry(want.account)?.trouble.failing == nil }

    /// Whether the credential, or a sign-in, still waits to be stored, though it was just tried again.
    private func owesCredential() async -> Bool {
        guard unstored.holdsCredential || unstored.signIn != nil else { return false }
        await storeUnstored()
        return unstored.holdsCredential || unstored.signIn != nil
    }

    /// What a caller with `demand` gets from `ending`.
    func result(of ending: Ending, _ demand: Demand) async -> TokenResult {
        switch ending {
        case .nobody(let record, let wasLeft): lost(demand.want, record, wasLeft: wasLeft)
        case .adopted(let token): .token(token, .adopted)
        case .heldOff(let waiting): fallback(demand, .heldOff, waiting.trouble(by: clock))
        case .late(let trouble): await pastDeadline(demand, trouble)
        case .trouble(let trouble, let outcome, let record?): good(demand, in: record, outcome, trouble)
        case .trouble(let trouble, let outcome, nil): fallback(demand, outcome, trouble)
        case .answered(let result, _): result
        case .unchanged: .tokenless
        case .refused(_, let result?): result
        case .refused(let refusal, nil): .failed(AuthError(refusal), .unexplained)
        }
    }

    /// T: the lane was not to be had in time. No request, no write.
    private func pastDeadline(_ demand: Demand, _ trouble: AuthError) async -> TokenResult {
        guard trouble.code == .busy else { return fallback(demand, .storeFailed, trouble) }
        let found: Found?
        do throws(AuthError) { found = try await read() } catch { return fallback(demand, .storeFailed, error) }
        switch consider(demand, found) {
        case .end(.adopted(let token)): return .token(token, .adopted)
        case .end(.nobody(let record, let wasLeft)): return lost(demand.want, record, wasLeft: wasLeft)
        case .end, .go:
            guard let record = found?.record else { return fallback(demand, .busy, trouble) }
            return good(demand, in: record, .busy, trouble)
        }
    }

    /// R: a definite refusal, believed only if the store still holds what was sent.
    func confirm(_ refusal: Refusal, _ demand: Demand, _ sent: Sent) async -> TokenResult {
        let want = demand.want
        let reason = sent.earlierMark != nil && refusal.reason == .refused ? .interrupted : refusal.reason
        let trouble = refusal.trouble(reason, of: sent.credential.binding.provider)
        enum Stop { case lost(CredentialRecord?), moved(CredentialRecord) }
        // End only the login that was asked for: others who share the credential may still be signed in.
        let login = sent.record.login(of: want.account)
        var isBelieved = false
        let amended = await amend { found -> Amendment<Stop> in
            guard var next = found?.record, next.live != nil, next.login == sent.record.login else {
                return .stop(.lost(found?.record))
            }
            guard next.refreshTokenID == sent.record.refreshTokenID else { return .stop(.moved(next)) }
            guard let login, next.has(login) else { return .stop(.lost(next)) }
            next.end(login, reason.cause, at: clock.stamp)
            isBelieved = true
            return .store(next)
        }
        switch amended {
        case .stopped(.lost(let record)): return lost(want, record)
        case .stopped(.moved(let record)):
            publish(record)
            return good(demand, in: record, .adopted, nil)
        case .stored: if let login { logins.forget(login) }
        case .failed(let error, _) where error.code == .busy: return .failed(error, .busy)
        case .failed(let error, _) where !isBelieved: return .failed(error, .storeFailed)
        // The refusal stands even if it could not be stored; the next process that asks is refused again.
        case .failed: break
        }
        if let login { accounts.require(reason, of: want.account, login: login) }
        return .failed(trouble, .refused)
    }

    /// Law 3: an unexplained refusal is written down, so that no process asks again before its time.
    func remember(_ refusal: Refusal, _ sent: Sent, _ offset: Duration) async {
        await amend(from: sent.found) { found -> Amendment<Void> in
            guard var next = found?.record, next.isLive(sent.record) else { return .stop(()) }
            next.live?.unexplained = clock.stamp
            next.serverOffset = offset
            // Nothing was issued, so nothing is under way: the next caller gets this answer at once.
            if let mark = sent.ownMark, next.mark?.id == mark.id {
                if refusal.issuedNothing {
                    marks.noteUnsent(mark.id, inPlaceOf: sent.earlierMark)
                    next.live?.mark = sent.earlierMark
                } else {
                    let left = CredentialRecord.Left(since: clock.stamp, waited: clock.now() - sent.begun)
                    marks.noteLeft(mark.id, left)
                    next.live?.mark?.left = left
                }
            }
            return .store(next)
        }
    }
}

extension Waiting {
    /// What a caller is told if an earlier request may be under way for longer than this one can wait.
    fileprivate func trouble(by clock: any AuthClock) -> AuthError {
        AuthError(
            .offline(.unreachable), "A request of \(holder) may still be under way.", retryAfter: until - clock.now())
    }
}

extension Refusal {
    /// What the caller is told.
    fileprivate func trouble(_ reason: AuthError.SignInRequiredReason, of provider: ProviderID) -> AuthError {
        let message =
            reason == .interrupted
            ? "A refresh was interrupted, and the service did not accept it again (\(code))."
            : "The service ended the session (\(code))."
        return AuthError(
            .signInRequired(reason), message, provider: provider, requestID: requestID, serviceCode: code
        ).saying(serviceText)
    }
}

extension AuthError {
    /// Whether the service may have acted on a request that ended so: it got no answer, or a broken one, or a gateway's own
    /// word that it got none. A page that turns the request away says the opposite.
    fileprivate var mayHaveActed: Bool {
        if let transport { return transport.wasSent }
        guard retryAfter == nil else { return false }
        if let foreign { return foreign.kind == .outage || foreign.kind == .unreadable }
        return code == .serviceTrouble
    }
}
