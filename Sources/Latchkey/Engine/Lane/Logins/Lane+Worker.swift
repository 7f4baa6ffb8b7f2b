/// WORKER of `Documentation/Internals/Lane.md`, section 4: settles revocations that the service is owed.
extension Lane {
    /// Works on the list, holding the lane, up to the first entry that fails: the others would
    /// hardly fare better, and refreshes wait meanwhile. Called by the alarm and at launch.
    func work() async {
        let ticket = await enter()
        defer { leave(ticket) }
        // An answer that is not stored keeps the lane: nothing else is done before it is stored.
        guard !unstored.holdsCredential, let hold = try? await hold(deadline: settings.lockDeadline) else {
            return tryAgainLater()
        }
        // Show what the store says before waiting for the service: there may be another sign-in or sign-out.
        _ = try? await look(atNews: true)
        revocations.beginRound()
        var (hasFailed, heldOff) = (false, MonotonicInstant?.none)
        for entry in inTurn((try? await read())?.record.pending ?? []) {
            guard hold.isHeld else {
                hasFailed = true
                break
            }
            switch await pay(entry) {
            case .told(let outcome): hasFailed = outcome == .queued
            case .heldOff(let until): heldOff = min(heldOff ?? until, until)
            }
            revocations.lastFailed = hasFailed ? entry.login : nil
            // The next request would need what is not stored.
            if hasFailed || unstored.holdsCredential { break }
        }
        await letGo(hold)
        _ = try? await look(atNews: true)
        if hasFailed { return tryAgainLater() }
        revocations.failures = 0
        if let heldOff { accounts.alarm.set(.revoke(key), at: heldOff) }
    }

    /// Notes how long the service wants to be left alone with the revocation of `login`, for every process.
    func rest(_ login: String, _ error: any Error) async {
        revocations.notePause(error)
        guard let pause = ServicePause(error, at: clock.stamp) else { return }
        await amend { found -> Amendment<Void> in
            guard var next = found?.record, let index = next.pending.firstIndex(where: { $0.login == login }) else {
                return .stop(())
            }
            next.pending[index].pause = pause
            return .store(next)
        }
    }

    private enum Payment {
        case told(AuthObservation.RevocationOutcome)
        /// An earlier request may be under way until then.
        case heldOff(until: MonotonicInstant)
    }

    /// Revokes what `entry` holds, and gives it up if it has waited too long. It is tried before: the store may have been
    /// locked, or no process have run, all the time. The caller holds the lane.
    private func pay(_ entry: CredentialRecord.Pending) async -> Payment {
        let isOld = clock.age(of: entry.since).map { $0 > CredentialRecord.pendingLifetime } ?? false
        let payment = await tried(entry)
        let provider = entry.credential.binding.provider
        if case .told(let outcome) = payment, outcome != .queued {
            context.observer.observe(.signOut(provider, outcome))
            return payment
        }
        guard isOld else { return payment }
        context.observer.observe(.signOut(provider, .givenUp))
        // The try may have marked it, or replaced its token.
        let left = (try? await read())?.record.pending.first { $0.login == entry.login }
        await removePending(left ?? entry)
        return .told(.givenUp)
    }

    private func tried(_ entry: CredentialRecord.Pending) async -> Payment {
        if let rest = entry.pause?.rest(by: clock) { return .heldOff(until: clock.now() + rest) }
        if let mark = entry.mark, replayMatters(entry) {
            let until = end(of: mark, inEntryOf: entry)
            guard clock.now() >= until else { return .heldOff(until: until) }
            return .told(await refreshAndRevoke(entry, after: mark))
        }
        if needsRefresh(entry) { return .told(await refreshAndRevoke(entry, after: entry.mark)) }
        return .told(await revokeAndRemove(entry))
    }

    /// The entries, beginning behind the one that failed last, or at a random one if none has. So
    /// an entry that always fails does not keep a short-lived program from the others.
    private func inTurn(_ entries: [CredentialRecord.Pending]) -> [CredentialRecord.Pending] {
        let drawn = Int(context.jitter * Double(entries.count))
        let first = entries.firstIndex { $0.login == revocations.lastFailed }.map { $0 + 1 } ?? drawn
        return Array(entries[first...] + entries[..<first])
    }

    /// Sets the alarm for the next round; later than usual if the service asked for it.
    private func tryAgainLater() {
        revocations.failures += 1
        let pause = Backoff.patient.pause(after: revocations.failures, jitter: context.jitter)
        accounts.alarm.set(.revoke(key), at: clock.now() + max(pause, revocations.pause))
    }

    /// Step 2: gets a newer token for the entry, and revokes with that. A request whose answer is
    /// lost may have spent the entry's own token under `mark`: the token is sent again when that
    /// request can no longer arrive, and what comes back is revoked. Without a mark, only a live
    /// access token is missing. The caller holds the lane.
    func refreshAndRevoke(
        _ entry: CredentialRecord.Pending, after mark: CredentialRecord.Mark?
    ) async -> AuthObservation.RevocationOutcome {
        guard mark.map({ clock.now() >= end(of: $0, inEntryOf: entry) }) ?? true,
            let provider = try? services.provider(for: entry.credential.binding),
            let session = entry.credential.sessions.first
        else { return .queued }
        guard entry.credential.refreshToken != nil || provider.rules.refresh == .fixed else {
            await removePending(entry)
            return .notOffered
        }
        let open = services.exchanges.begin()
        defer { services.exchanges.end(open) }
        let wish = TokenWant(session: session.id)
        let got: (any Sendable)?
        do { got = try await prepared(provider, entry.credential, wish, open) } catch {
            await rest(entry.login, (error as? Unprepared)?.trouble ?? error)
            return .queued
        }
        guard !open.isGivenUp, let marked = await marked(entry, after: mark) else { return .queued }
        let (plain, measured) = services.callContext(
            entry.credential.binding, until: (marked.mark?.sent.at ?? clock.now()) + settings.requestDeadline)
        var context = plain.within(open)
        context.prepared = got
        do {
            let change = try await provider.refresh(entry.credential, for: wish, in: context)
            services.learn(measured, context, of: entry.credential.binding)
            revocations.untaken.remove(entry.login)
            return await revoke(marked, with: change)
        } catch let refusal as Refusal where refusal.kind == .definite {
            // A ban may be lifted, and then the session lives again.
            guard refusal.reason != .banned else { return .queued }
            await removePending(marked)
            // The session is over, which is all that was wanted, unless this was to end other sessions too.
            return entry.scope == .thisSession ? .done : .notOffered
        } catch  where provider.rules.replay != .fixed && context.carriedToken != nil {
            // The token that was sent is spent, and this one is left, whatever is wrong with the rest of the answer.
            services.learn(measured, after: error, of: entry.credential.binding)
            return await revoke(marked, with: CredentialChange(refreshToken: context.carriedToken))
        } catch let refusal as Refusal where refusal.issuedNothing {
            // No newer token exists: the one that is held is revoked, or dropped if revoking is not offered.
            return await revoke(marked, with: CredentialChange())
        } catch {
            await rest(entry.login, error)
            return .queued
        }
    }

    /// When the request can no longer arrive that `entry` waits for.
    private func end(of mark: CredentialRecord.Mark, inEntryOf entry: CredentialRecord.Pending) -> MonotonicInstant {
        guard let provider = services.named(in: entry.credential.binding) else { return marks.end(of: mark, by: clock) }
        return end(of: mark, provider)
    }

    /// Stores the entry with a mark of its own and returns it: if this process dies, the next one
    /// waits for this request too. `nil` if it is not stored.
    private func marked(
        _ entry: CredentialRecord.Pending, after mark: CredentialRecord.Mark?
    ) async -> CredentialRecord.Pending? {
        var marked = entry
        marked.mark = CredentialRecord.Mark(
            id: fresh(), refreshTokenID: mark?.refreshTokenID ?? fresh(), by: Self.me,
            holder: context.processes.current, sent: clock.stamp, deadline: settings.requestDeadline,
            replay: mark?.replay)
        return await addPending(marked, inPlaceOf: mark, again: true) ? marked : nil
    }

    /// Stores `change`, which the request of `marked` brought, and revokes what is held then.
    private func revoke(
        _ marked: CredentialRecord.Pending, with change: CredentialChange
    ) async -> AuthObservation.RevocationOutcome {
        var held = marked
        held.credential.apply(change)
        held.mark = nil
        _ = await addPending(held, inPlaceOf: marked.mark, again: true)
        return await revokeAndRemove(held)
    }
}
