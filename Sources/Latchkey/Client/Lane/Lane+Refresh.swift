import FoundationEssentials

extension Lane {
    /// How a refresh ended.
    struct Landing: Sendable {
        var result: Result<AccessToken, AuthError>
        var outcome: AuthObservation.RefreshOutcome
        /// What went wrong, also where a token that is still good could be handed out all the same.
        var trouble: AuthError?
    }

    private enum Attempt {
        case landed(Landing)
        /// The same, and the lane is kept, because something is not stored yet.
        case landedKeepingLane(Landing)
        /// Wait without the lane, then begin again.
        case wait(until: MonotonicInstant, for: String)
    }

    /// REFRESH of `Documentation/Lane.md`, section 2. At most one request is sent.
    ///
    /// - Parameter doubted: Names the refresh token that was refused a moment ago, in minting beside others.
    func refresh(
        _ want: Want, newerThan old: AccessToken?, isRefused: Bool, doubted: String? = nil
    ) async -> Landing {
        if let landing = await unsavedLanding(want, newerThan: old, isRefused: isRefused) { return landing }
        let request = engine.settings.requestDeadline
        let giveUp = clock.now() + engine.settings.laneDeadline + request + request
        let refused = isRefused ? old : nil
        while true {
            // 1
            let hold: any LaneHold
            do {
                hold = try await self.hold(deadline: min(engine.settings.laneDeadline, giveUp - clock.now()))
            } catch {
                return await pastDeadline(want, newerThan: old, refused: refused, AuthError(error))
            }
            switch await attempt(want, newerThan: old, refused: refused, hold, doubted) {
            case .landed(let landing):
                await letGo(hold)
                return landing
            case .landedKeepingLane(let landing):
                return landing
            case .wait(let until, let holder):
                await hold.release()
                guard until < giveUp else {
                    let trouble = AuthError(
                        .offline(.unreachable), "A request of \(holder) may still be under way.",
                        retryAfter: until - clock.now())
                    return await fallback(want, refused: refused, .heldOff, trouble)
                }
                // Engine tasks are not cancelled; if the clock fails, the loop is bounded by `giveUp`.
                try? await clock.sleep(until: until)
                guard clock.now() < giveUp else {
                    let late = AuthError(.busy, "The session is kept busy by \(holder).")
                    return await pastDeadline(want, newerThan: old, refused: refused, late)
                }
            }
        }
    }

    /// Steps 2 to 5, the lane being held.
    private func attempt(
        _ want: Want, newerThan old: AccessToken?, refused: AccessToken?, _ hold: any LaneHold, _ doubted: String?
    ) async -> Attempt {
        for _ in 0..<Self.commitTries {
            // 2
            let found: Found?
            do throws(AuthError) { found = try await read().map(known) } catch {
                return .landed(await fallback(want, refused: refused, .storeFailed, error))
            }
            guard let found, let credential = found.record.credential,
                let session = credential.sessions.first(where: { $0.account == want.account })
            else { return .landed(lost(want, found?.record)) }
            // Signed out through this process since the record was read, or in vain for now: either way it is over.
            let login = found.record.login(of: session)
            guard !isForgotten(login) else { return .landed(lost(want, nil, wasLeft: true)) }
            fly(for: login)
            publish(found.record)
            if let token = fresh(want, in: found.record), token != old {
                return .landed(Landing(result: .success(token), outcome: .adopted))
            }
            let provider: any AuthProvider
            switch usable(found.record, credential) {
            case .success(let usable): provider = usable
            case .failure(let trouble):
                return .landed(good(want, in: found.record, refused: refused, .unexplained, trouble))
            }
            // 3
            let replay = provider.rules.replay
            if case .rest(let until, let keepsToken) = holdOff(found.record, replay) {
                let holder = found.record.mark?.by ?? "another process"
                if keepsToken, let token = unexpired(want, in: found.record), token != refused {
                    // The trouble keeps the one sleeping task from asking again at once.
                    let rest = (until ?? snapshot(want, in: found.record)?.endsAt ?? clock.now()) - clock.now()
                    let trouble = AuthError(
                        .busy, "A request of \(holder) may still be under way.", retryAfter: rest)
                    return .landed(Landing(result: .success(token), outcome: .heldOff, trouble: trouble))
                }
                if let until { return .wait(until: until, for: holder) }
            }
            // 4
            var marked = found
            if replay != .fixed {
                switch await mark(found, replay, at: replay) {
                case .success(let stored): marked = stored
                case .failure(nil): continue
                case .failure(let trouble?):
                    return .landed(good(want, in: found.record, refused: refused, .storeFailed, trouble))
                }
            }
            // 5
            let sent = Sent(
                record: marked, wasOpen: found.record.mark != nil, earlierMark: found.record.mark,
                until: (marked.record.mark.map(\.sent.at) ?? clock.now()) + deadline(replay))
            let wish = TokenWant(session: session.id, audience: want.audience, newerThan: old)
            return await exchange(want, refused: refused, sent, provider, hold, doubted) { credential, context in
                try await provider.refresh(credential, for: wish, in: context)
            }
        }
        return .landed(await fallback(want, refused: refused, .busy, AuthError(StoreConflict())))
    }

    /// Steps 5 to 9: sends, and does what the answer asks for.
    private func exchange(
        _ want: Want, refused: AccessToken?, _ sent: Sent, _ provider: any AuthProvider, _ hold: any LaneHold,
        _ doubted: String?,
        _ send: @escaping @Sendable (Credential, ProviderContext) async throws -> CredentialChange
    ) async -> Attempt {
        var sent = sent
        var reply = await self.send(&sent, provider, callers: (want, refused), send)
        // Minting, step 4: a refusal, or an answer without a session, is asked for once more before it is believed.
        let isSecondTime = doubted == sent.record.record.refreshTokenID
        if provider.rules.refresh == .mints, reply.isEmpty(for: want), !isSecondTime, await isUnchanged(sent) {
            reply = await self.send(&sent, provider, callers: (want, refused), send)
        }
        switch reply {
        case .answered where provider.rules.refresh == .mints && reply.isEmpty(for: want):
            let trouble = AuthError(.untrusted(.malformed), "The service's answer brought no session; it is not kept.")
            return .landed(good(want, in: sent.record.record, refused: refused, .unexplained, trouble))
        case .answered(let answer):
            let (landing, keepsLane) = await save(answer, want, refused: refused, hold)
            return keepsLane ? .landedKeepingLane(landing) : .landed(landing)
        case .notSent(let trouble):
            await unmark(sent)
            return .landed(good(want, in: sent.record.record, refused: refused, .notSent, trouble))
        case .unknown(let trouble):
            return .landed(good(want, in: sent.record.record, refused: refused, .unknown, trouble))
        case .refused(let refusal, _) where refusal.kind == .definite:
            return .landed(await confirm(refusal, want, refused: refused, sent))
        case .refused(let refusal, let offset):
            // Of what several people share, it says nothing about the others.
            if !isShared { await remember(refusal, sent, offset) }
            let trouble = AuthError(
                .signInRequired(.refusedWithoutReason), "The service refused the session without a reason.",
                provider: provider.rules.binding.provider, requestID: refusal.requestID,
                serviceCode: refusal.code)
            return .landed(good(want, in: sent.record.record, refused: refused, .unexplained, trouble))
        }
    }

    /// R: a definite refusal, believed only if the store still holds what was sent.
    func confirm(
        _ refusal: Refusal, _ want: Want, refused: AccessToken?, _ sent: Sent
    ) async -> Landing {
        let reason = sent.wasOpen && refusal.reason == .refused ? .interrupted : refusal.reason
        let message =
            reason == .interrupted
            ? "A refresh was interrupted, and the service did not accept it again (\(refusal.code))."
            : "The service ended the session (\(refusal.code))."
        let trouble = AuthError(
            .signInRequired(reason), message, provider: sent.credential.binding.provider,
            requestID: refusal.requestID, serviceCode: refusal.code)
        for _ in 0..<Self.commitTries {
            let found: Found?
            do throws(AuthError) { found = try await read() } catch {
                return Landing(result: .failure(error), outcome: .storeFailed, trouble: error)
            }
            guard var next = found, next.record.credential != nil, next.record.login == sent.record.record.login else {
                return lost(want, found?.record)
            }
            guard next.record.refreshTokenID == sent.record.record.refreshTokenID else {
                publish(next.record)
                return good(want, in: next.record, refused: refused, .adopted, nil)
            }
            // Only whoever was asked for: others may share the credential, and be signed in all the same.
            guard let login = sent.record.record.login(of: want.account), next.record.has(login) else {
                return lost(want, next.record)
            }
            next.record.end(login, reason.cause, at: clock.stamp)
            next.record.writeID = fresh()
            switch await commit(next.record, at: next.version) {
            case .stored:
                forget(login)
                engine.require(reason, of: want.account, login: login)
                return Landing(result: .failure(trouble), outcome: .refused, trouble: trouble)
            case .conflict: continue
            case .failed:
                // The refusal stands whether or not it could be written down; the next reader will be refused anew.
                engine.require(reason, of: want.account, login: login)
                return Landing(result: .failure(trouble), outcome: .refused, trouble: trouble)
            }
        }
        return Landing(result: .failure(AuthError(StoreConflict())), outcome: .busy)
    }

    /// Whether the store still holds what was sent.
    private func isUnchanged(_ sent: Sent) async -> Bool {
        guard let found = try? await read() else { return false }
        return found.record.credential != nil && found.record.login == sent.record.record.login
            && found.record.refreshTokenID == sent.record.record.refreshTokenID
    }

    /// T: the lane was not to be had in time. No request, no write.
    private func pastDeadline(
        _ want: Want, newerThan old: AccessToken?, refused: AccessToken?, _ trouble: AuthError
    ) async -> Landing {
        guard trouble.code == .busy else { return await fallback(want, refused: refused, .storeFailed, trouble) }
        let found: Found?
        do throws(AuthError) { found = try await read() } catch {
            return await fallback(want, refused: refused, .storeFailed, error)
        }
        guard let found, let login = found.record.login(of: want.account), !isForgotten(login) else {
            let login = found?.record.login(of: want.account) ?? found?.record.login
            return lost(want, found?.record, wasLeft: login.map { isForgotten($0) } ?? false)
        }
        fly(for: login)
        publish(found.record)
        if let token = fresh(want, in: found.record), token != old {
            return Landing(result: .success(token), outcome: .adopted)
        }
        return good(want, in: found.record, refused: refused, .busy, trouble)
    }

    static var commitTries: Int { 100 }
}
