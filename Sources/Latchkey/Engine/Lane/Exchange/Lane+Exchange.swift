/// One exchange with the service, for a refresh and for an operation of the provider: steps 1 to 9 of
/// `Documentation/Internals/Lane.md`, section 2. At most one request is sent, or two that mint.
extension Lane {
    /// Runs `request`, in its turn.
    func exchange(_ request: LaneRequest) async -> Ending {
        let giveUp = clock.now() + settings.lockDeadline + settings.requestDeadline + settings.requestDeadline
        let open = services.exchanges.begin(key: key, isQueued: true)
        defer { services.exchanges.end(open) }
        var losses = 0
        while true {
            // 1
            let hold: any HeldLock
            do {
                hold = try await self.hold(deadline: min(settings.lockDeadline, giveUp - clock.now()))
            } catch {
                return .late(AuthError(error))
            }
            open.noteHeld(true)
            let ending = await attempt(request, open, under: hold)
            await letGo(hold)
            open.noteHeld(false)
            guard let ending else {
                losses += 1
                guard losses < Self.lockTries, clock.now() < giveUp else {
                    return .late(AuthError(.busy, "The store loses the session's lock before a request can leave."))
                }
                continue
            }
            // Wait without the lane, then begin again.
            guard case .heldOff(let waiting) = ending, waiting.until < giveUp else { return ending }
            context.observer.observe(.heldOff(waiting.provider, wait: waiting.until - clock.now()))
            // Engine tasks are not cancelled; if the clock fails, the loop is bounded by `giveUp`.
            try? await clock.sleep(until: waiting.until)
            guard clock.now() < giveUp else {
                return .late(AuthError(.busy, "The session is kept busy by \(waiting.holder)."))
            }
        }
    }

    /// How often the lock is taken again that the store has lost.
    private static let lockTries = 3

    /// Steps 2 to 9, the lane being held.
    ///
    /// - Returns: `nil` if the store has lost the lock, which keeps no other process out any more, and nothing was sent.
    private func attempt(
        _ request: LaneRequest, _ open: OpenExchange, under hold: any HeldLock
    ) async -> Ending? {
        if open.isGivenUp { return .trouble(OpenExchange.stopped, .notSent, nil) }
        let (known, got): (Found?, (any Sendable)?)
        switch await provide(for: request, open) {
        case .go(let provided): (known, got) = provided
        case .end(let ending): return ending
        }
        // 2 to 4
        var ready: Ready
        var sent: Sent
        switch await prepare(request, from: known) {
        case .go(let prepared): (ready, sent) = prepared
        case .end(let ending):
            await giveRoomBack()
            return ending
        }
        ready.take(got)
        // 5
        guard hold.isHeld else {
            await note(nil, sent, isUnsent: true)
            await giveRoomBack()
            return nil
        }
        open.noteSpending(ready.replay != .fixed)
        var reply = await send(
            &sent, ready.provider, request.demand, open, ready.work, meanwhile: Meanwhile(ready, sent))
        // Minting, step 4: after a refusal, or an answer without a session, ask once more before believing it.
        if ready.mints, reply.isEmpty(for: ready.want), !request.doubts(sent.record), await isUnchanged(sent) {
            guard hold.isHeld else {
                await giveRoomBack()
                return nil
            }
            reply = await send(&sent, ready.provider, request.demand, open, ready.work)
        }
        let ending = await settle(reply, of: sent, ready, request)
        await giveRoomBack()
        // What was fetched for an answer is kept only if that was good.
        if case .answered(let answer) = reply, answer.trouble == nil {
            await services.documents?.store(ready.provider.rules.binding)
        }
        return ending
    }

    /// Steps 6 to 9: does what the reply asks for.
    private func settle(_ reply: Reply, of sent: Sent, _ ready: Ready, _ request: LaneRequest) async -> Ending {
        switch reply {
        case .answered where ready.mints && reply.isEmpty(for: ready.want):
            let trouble = AuthError(.untrusted(.malformed), "The service's answer brought no session; it is not kept.")
            return .trouble(trouble, .unexplained, sent.record)
        case .answered(let answer) where !sent.isMarked && answer.change.isEmpty && answer.trouble == nil:
            return .unchanged
        case .answered(let answer):
            let joined = answer.change.joining.map { Want(account: $0.account) }
            var demand = request.demand ?? Demand(want: ready.want)
            demand.want = joined ?? demand.want
            return .answered(await save(answer, demand), isJoined: joined != nil)
        case .notSent(let trouble):
            await note(request.pause(trouble, at: clock.stamp), sent, isUnsent: true)
            return .trouble(trouble, .notSent, sent.record)
        case .unknown(let trouble):
            await note(request.pause(trouble, at: clock.stamp), sent)
            return .trouble(trouble, .unknown, sent.record)
        case .refused(let refusal, _) where refusal.kind == .definite:
            return .refused(refusal, await confirm(refusal, request.demand ?? Demand(want: ready.want), sent))
        case .refused(let refusal, let offset):
            guard request.demand != nil else {
                await note(nil, sent, isUnsent: refusal.issuedNothing)
                return .refused(refusal, nil)
            }
            // If several people share the credential, the refusal says nothing about the others.
            if !isShared { await remember(refusal, sent, offset) }
            return .trouble(
                AuthError(refusal, provider: ready.provider.rules.binding.provider), .unexplained, sent.record)
        }
    }

    /// Whether the store still holds what was sent.
    private func isUnchanged(_ sent: Sent) async -> Bool {
        guard let record = try? await read()?.record else { return false }
        return record.isLive(sent.record)
    }
}

extension LaneRequest {
    /// Whether the refresh token of `record` was refused a moment ago.
    fileprivate func doubts(_ record: CredentialRecord) -> Bool {
        if case .refresh(_, let doubted) = self { doubted == record.refreshTokenID } else { false }
    }
}

extension CredentialRecord {
    /// Whether somebody is signed in by the login of `sent`, on the refresh token that was sent.
    func isLive(_ sent: CredentialRecord) -> Bool {
        live != nil && login == sent.login && refreshTokenID == sent.refreshTokenID
    }
}
