/// WORKER of `Documentation/Lane.md`, section 4: settles revocations that the service is owed.
extension Lane {
    /// Puts a revocation on the record's list.
    func owe(_ entry: CredentialRecord.Pending) async {
        for _ in 0..<Self.commitTries {
            guard let found = try? await read() else { return }
            var next = found.record
            _ = next.owe(entry)
            next.writeID = fresh()
            guard case .conflict = await commit(next, at: found.version) else { return }
        }
    }

    /// Revokes what `login` left behind, if nothing of it may be under way.
    @discardableResult
    func settlePending(_ login: String) async -> Observation.RevocationOutcome {
        guard let entry = try? await read()?.record.pending.first(where: { $0.login == login }) else { return .queued }
        guard entry.mark == nil || !replayMatters(engine.providers[entry.credential.binding.provider]) else {
            return .queued
        }
        let outcome = await revoke(entry)
        if outcome != .queued { await strike(entry) }
        return outcome
    }

    /// Works on every entry of the list, holding the lane. Called by the alarm and at launch.
    func work() async {
        await enter()
        defer { leave() }
        // An answer that is not stored keeps the lane: nothing else is done before it is.
        guard unsaved == nil else { return again() }
        guard let hold = try? await hold(deadline: engine.settings.laneDeadline) else { return again() }
        var isLeft = false
        for entry in (try? await read())?.record.pending ?? [] {
            if let age = clock.age(of: entry.since), age > CredentialRecord.pendingLifetime {
                engine.context.observer.observe(.signOut(entry.credential.binding.provider, .givenUp))
                await strike(entry)
            } else if let mark = entry.mark, replayMatters(engine.providers[entry.credential.binding.provider]) {
                if await !chase(entry, mark) { isLeft = true }
            } else {
                let outcome = await revoke(entry)
                if outcome == .queued {
                    isLeft = true
                } else {
                    await strike(entry)
                    engine.context.observer.observe(.signOut(entry.credential.binding.provider, outcome))
                }
            }
        }
        await hold.release()
        if isLeft { again() }
    }

    private func again() { engine.alarm.set(.revoke(key), at: clock.now() + .seconds(60)) }

    /// Step 2: the entry's token may have been spent by a request whose answer is lost. It is sent again when that
    /// request can no longer arrive, and what comes back is revoked. Whether the entry is settled.
    private func chase(_ entry: CredentialRecord.Pending, _ mark: CredentialRecord.Mark) async -> Bool {
        guard clock.now() >= ending(of: mark), let provider = try? engine.provider(for: entry.credential.binding),
            let session = entry.credential.sessions.first
        else { return false }
        let (context, measured) = engine.providerContext(
            entry.credential.binding, until: clock.now() + engine.settings.requestDeadline)
        do {
            let renewal = try await provider.renew(
                entry.credential, for: TokenWant(session: session.id), in: context)
            engine.learn(measured, of: entry.credential.binding)
            var settled = entry
            settled.credential.apply(renewal)
            settled.mark = nil
            await owe(settled)
            guard await revoke(settled) != .queued else { return false }
            await strike(settled)
            return true
        } catch let refusal as Refusal where refusal.kind == .definite {
            await strike(entry)
            return true
        } catch {
            return false
        }
    }

    /// Tells the service. `notOffered`: it says that it cannot, and asking again would not change that.
    func revoke(_ entry: CredentialRecord.Pending) async -> Observation.RevocationOutcome {
        let binding = entry.credential.binding
        guard let provider = try? engine.provider(for: binding) as? any SessionRevoking else { return .queued }
        let (context, measured) = engine.providerContext(
            binding, until: clock.now() + engine.settings.requestDeadline)
        do {
            try await provider.revoke(Revocation(entry.credential, scope: entry.scope), in: context)
            engine.learn(measured, of: binding)
            return .done
        } catch let error as AuthError where error.code == .configuration(.unsupported) {
            return .notOffered
        } catch {
            return .queued
        }
    }

    /// Takes the entry off the list.
    private func strike(_ entry: CredentialRecord.Pending) async {
        for _ in 0..<Self.commitTries {
            guard let found = try? await read() else { return }
            var next = found.record
            next.pending.removeAll { $0.login == entry.login }
            next.writeID = fresh()
            guard case .conflict = await commit(next, at: found.version) else { return }
        }
    }
}
