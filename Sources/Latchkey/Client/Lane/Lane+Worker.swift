/// WORKER of `Documentation/Lane.md`, section 4: settles revocations that the service is owed.
extension Lane {
    /// Puts a revocation on the record's list. An entry of the same login gives way only if it waits for the answer
    /// to `mark`: another one is about a token that is not the caller's. Whether it is on the list.
    ///
    /// - Parameter again: Whether there has to be such an entry: one that a sign-in dropped does not come back.
    func owe(
        _ entry: CredentialRecord.Pending, inPlaceOf mark: CredentialRecord.Mark?, again: Bool = false
    ) async -> Bool {
        for _ in 0..<Self.commitTries {
            guard let found = try? await read() else { return false }
            var next = found.record
            let known = next.pending.first { $0.login == entry.login }
            guard known.map({ $0.mark?.id == mark?.id }) ?? !again else { return false }
            _ = next.owe(entry)
            next.writeID = fresh()
            switch await commit(next, at: found.version) {
            case .stored: return true
            case .conflict: continue
            case .failed: return (try? await read())?.record.writeID == next.writeID
            }
        }
        return false
    }

    /// Revokes what `login` left behind, if nothing of it may be under way.
    @discardableResult
    func settlePending(_ login: String) async -> AuthObservation.RevocationOutcome {
        guard let entry = try? await read()?.record.pending.first(where: { $0.login == login }) else { return .queued }
        guard entry.mark == nil || !replayMatters(engine.providers[entry.credential.binding.provider]) else {
            return .queued
        }
        // A sign-out waits for no lane: what would have to wait is left to the worker.
        let outcome = await revoke(entry, waits: false)
        if outcome != .queued { await strike(entry) }
        return outcome
    }

    /// Works on the list, holding the lane, up to the first entry that fails: the others would hardly fare better, and
    /// whoever refreshes waits meanwhile. Called by the alarm and at launch.
    func work() async {
        await enter()
        defer { leave() }
        // An answer that is not stored keeps the lane: nothing else is done before it is.
        guard unsaved == nil, let hold = try? await hold(deadline: engine.settings.laneDeadline) else {
            return again()
        }
        // What is read here, this process knows: another sign-in or sign-out is shown before the service is waited for.
        _ = try? await look(atNews: true)
        revocationPause = .zero
        var (hasFailed, heldOff) = (false, MonotonicInstant?.none)
        for entry in inTurn((try? await read())?.record.pending ?? []) {
            if let age = clock.age(of: entry.since), age > CredentialRecord.pendingLifetime {
                engine.context.observer.observe(.signOut(entry.credential.binding.provider, .givenUp))
                await strike(entry)
            } else if let mark = entry.mark, replayMatters(engine.providers[entry.credential.binding.provider]) {
                let until = ending(of: mark)
                if clock.now() < until {
                    heldOff = min(heldOff ?? until, until)
                } else {
                    hasFailed = await !chase(entry, mark)
                }
            } else {
                let outcome = await revoke(entry)
                hasFailed = outcome == .queued
                if !hasFailed {
                    await strike(entry)
                    engine.context.observer.observe(.signOut(entry.credential.binding.provider, outcome))
                }
            }
            leftLogin = hasFailed ? entry.login : nil
            if hasFailed { break }
        }
        await hold.release()
        _ = try? await look(atNews: true)
        if hasFailed { return again() }
        revocationFailures = 0
        if let heldOff { engine.alarm.set(.revoke(key), at: heldOff) }
    }

    /// The entries, from the one behind that which failed last; from any where none has, so that one that always fails
    /// keeps no short-lived program from the others.
    private func inTurn(_ entries: [CredentialRecord.Pending]) -> [CredentialRecord.Pending] {
        let drawn = Int(engine.jitter * Double(entries.count))
        let first = entries.firstIndex { $0.login == leftLogin }.map { $0 + 1 } ?? drawn
        return Array(entries[first...] + entries[..<first])
    }

    /// A minute, doubled with each failure, at most an hour, half of it drawn at random; later where the service asks.
    private func again() {
        let most = Duration.seconds(min(3_600, 60 << min(revocationFailures, 6)))
        revocationFailures += 1
        engine.alarm.set(.revoke(key), at: clock.now() + max(most / 2 + most / 2 * engine.jitter, revocationPause))
    }

    /// Remembers for how long the service asked to be left alone: at most a day is heeded.
    private func heed(_ error: any Error) {
        guard let asked = (error as? AuthError)?.retryAfter else { return }
        revocationPause = max(revocationPause, min(asked, .seconds(86_400)))
    }

    /// Step 2: the entry's token may have been spent by a request whose answer is lost. It is sent again when that
    /// request can no longer arrive, and what comes back is revoked. Whether the entry is settled.
    private func chase(_ entry: CredentialRecord.Pending, _ mark: CredentialRecord.Mark) async -> Bool {
        guard clock.now() >= ending(of: mark), let provider = try? engine.provider(for: entry.credential.binding),
            let session = entry.credential.sessions.first
        else { return false }
        // Marked anew: who takes over from here, if this process dies, waits for this request too.
        let stamp = clock.stamp
        var marked = entry
        marked.mark = CredentialRecord.Mark(
            id: fresh(), refreshTokenID: mark.refreshTokenID, by: Self.me, sent: stamp,
            deadline: engine.settings.requestDeadline, replay: mark.replay)
        guard await owe(marked, inPlaceOf: mark, again: true) else { return false }
        let (context, measured) = engine.providerContext(
            entry.credential.binding, until: stamp.at + engine.settings.requestDeadline)
        do {
            let change = try await provider.refresh(
                entry.credential, for: TokenWant(session: session.id), in: context)
            engine.learn(measured, of: entry.credential.binding)
            var settled = marked
            settled.credential.apply(change)
            settled.mark = nil
            _ = await owe(settled, inPlaceOf: marked.mark, again: true)
            guard await revoke(settled) != .queued else { return false }
            await strike(settled)
            return true
        } catch let refusal as Refusal where refusal.kind == .definite {
            await strike(marked)
            return true
        } catch let refusal as Refusal where refusal.issuedNothing {
            // What is held is all there is: it is revoked, or kept by nobody where revoking is not offered.
            var held = marked
            held.mark = nil
            _ = await owe(held, inPlaceOf: marked.mark, again: true)
            guard await revoke(held) != .queued else { return false }
            await strike(held)
            return true
        } catch {
            heed(error)
            return false
        }
    }

    /// Tells the service. `notOffered`: it says that it cannot, and asking again would not change that.
    func revoke(_ entry: CredentialRecord.Pending, waits: Bool = true) async -> AuthObservation.RevocationOutcome {
        guard let provider = try? engine.provider(for: entry.credential.binding) as? any SessionRevoking else {
            return .queued
        }
        guard let grants = engine.grantsKey(provider.rules) else { return await tell(provider, entry) }
        // Every grant ends with this one: none may be made before it is told, and none may wait to be stored.
        guard unsavedSignIn == nil else { return .queued }
        let work: @Sendable () async throws -> AuthObservation.RevocationOutcome = { [self] in
            guard let found = try await read() else { return .notOffered }
            guard found.record.pending.contains(where: { $0.login == entry.login }) else { return .notOffered }
            return await tell(provider, entry)
        }
        let outcome = try? await engine.withLane(grants) { lane in try await lane.alone(waits: waits, work) }
        return outcome ?? .queued
    }

    private func tell(
        _ provider: any SessionRevoking, _ entry: CredentialRecord.Pending
    ) async -> AuthObservation.RevocationOutcome {
        let binding = entry.credential.binding
        let (context, measured) = engine.providerContext(
            binding, until: clock.now() + engine.settings.requestDeadline)
        do {
            try await provider.revoke(Revocation(entry.credential, scope: entry.scope), in: context)
            engine.learn(measured, of: binding)
            return .done
        } catch let error as AuthError where error.code == .configuration(.unsupported) {
            return .notOffered
        } catch {
            heed(error)
            return .queued
        }
    }

    /// Takes the entry off the list, unless another took its place.
    private func strike(_ entry: CredentialRecord.Pending) async {
        for _ in 0..<Self.commitTries {
            guard let found = try? await read() else { return }
            var next = found.record
            next.pending.removeAll { known in
                known.login == entry.login && known.mark?.id == entry.mark?.id
                    && known.credential.refreshToken == entry.credential.refreshToken
            }
            next.writeID = fresh()
            guard case .conflict = await commit(next, at: found.version) else { return }
        }
    }
}
