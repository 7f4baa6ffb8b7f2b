import LatchkeyLocked

/// `perform(on:replay:)`: a provider's own operation, run as a refresh is.
extension Lane {
    ///
    /// - Parameter entry: Whose; `nil`: of whoever shares the credential, ``NobodyShares`` where nobody does.
    func perform<Result: Sendable>(
        _ entry: AccountEntry?, _ replay: ProviderRules.RefreshRule,
        _ work: @escaping @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Result)
    ) async throws -> Result {
        await enter()
        defer { leave() }
        if isUnsaved {
            await retrySave()
            guard !isUnsaved else {
                throw AuthError(.store(.notDurable), "The session could not be stored yet; nothing was sent.")
            }
        }
        let giveUp = clock.now() + engine.settings.laneDeadline + engine.settings.requestDeadline
        while true {
            let hold = try await hold(deadline: engine.settings.laneDeadline)
            var keepsLane = false
            do {
                let step = try await performHolding(entry, replay, work, hold, &keepsLane)
                if !keepsLane { await letGo(hold) }
                switch step {
                case .done(let result): return result
                case .wait(let until):
                    guard until < giveUp else {
                        throw AuthError(
                            .busy, "An earlier request may still be under way.", retryAfter: until - clock.now())
                    }
                    try? await clock.sleep(until: until)
                }
            } catch {
                if !keepsLane { await letGo(hold) }
                throw error
            }
        }
    }

    private enum Step<Result> {
        case done(Result)
        case wait(until: MonotonicInstant)
    }

    private func performHolding<Result: Sendable>(
        _ entry: AccountEntry?, _ replay: ProviderRules.RefreshRule,
        _ work: @escaping @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Result),
        _ hold: any LaneHold, _ keepsLane: inout Bool
    ) async throws -> Step<Result> {
        for _ in 0..<Self.commitTries {
            let present = try await read().map(known)
            guard let found = present, let credential = found.record.credential,
                entry.map({ found.record.has($0.login) && !isForgotten($0.login) }) ?? true
            else {
                guard let entry else { throw NobodyShares() }
                let want = Want(account: entry.account, audience: .standard)
                _ = try lost(want, present?.record, wasLeft: isForgotten(entry.login)).result.get()
                throw CancellationError()
            }
            let account = entry?.account ?? credential.sessions[0].account
            let want = Want(account: account, audience: .standard)
            let provider = try engine.provider(for: credential.binding)
            let rule = provider.rules.replay
            let holdOff = holdOff(found.record, replay == .fixed ? replay : replay.worse(rule))
            if case .rest(let until?, _) = holdOff { return .wait(until: until) }
            var marked = found
            if replay != .fixed {
                switch await mark(found, replay, at: rule) {
                case .success(let stored): marked = stored
                case .failure(nil): continue
                case .failure(let trouble?): throw trouble
                }
            }
            var sent = Sent(
                record: marked, wasOpen: found.record.mark != nil, earlierMark: found.record.mark,
                until: (marked.record.mark.map(\.sent.at) ?? clock.now())
                    + deadline(replay == .fixed ? replay : replay.worse(rule)),
                isMarked: replay != .fixed)
            let brought = Locked<Result?>(nil)
            switch await send(
                &sent, provider,
                { credential, context in
                    let (change, result) = try await work(credential, context)
                    brought.withLock { $0 = result }
                    return change
                })
            {
            case .answered(let answer) where !sent.isMarked && answer.change.isEmpty:
                // Nothing changed, so nothing is stored.
                guard entry.map({ !isForgotten($0.login) }) ?? true, let result = brought.withLock({ $0 }) else {
                    _ = try lost(want, nil, wasLeft: true).result.get()
                    throw CancellationError()
                }
                return .done(result)
            case .answered(let answer):
                let landing: Landing
                let joined = answer.change.joining.map { Want(account: $0.account, audience: .standard) }
                (landing, keepsLane) = await save(answer, joined ?? want, refused: nil, hold)
                if landing.outcome == .signedOut, entry != nil || joined != nil { _ = try landing.result.get() }
                if joined != nil, let trouble = landing.trouble, case .store = trouble.code { throw trouble }
                guard let result = brought.withLock({ $0 }) else { throw CancellationError() }
                return .done(result)
            case .notSent(let trouble):
                await unmark(sent)
                throw trouble
            case .unknown(let trouble): throw trouble
            case .refused(let refusal, _) where refusal.kind == .definite:
                _ = try await confirm(refusal, want, refused: nil, sent).result.get()
                throw AuthError(refusal, provider: credential.binding.provider)
            case .refused(let refusal, _):
                if refusal.issuedNothing { await unmark(sent) }
                throw AuthError(refusal, provider: credential.binding.provider)
            }
        }
        throw StoreConflict()
    }
}

/// Nobody is signed in on the credential that people would share.
struct NobodyShares: Error {}
