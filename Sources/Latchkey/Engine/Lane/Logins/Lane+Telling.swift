/// Tells the service of what has ended.
extension Lane {
    /// Revokes what `login` left behind, if nothing of it may be under way.
    @discardableResult
    func revokePending(_ login: String) async -> AuthObservation.RevocationOutcome {
        guard let entry = try? await read()?.record.pending.first(where: { $0.login == login }) else { return .queued }
        guard entry.mark == nil || !replayMatters(entry) else {
            return .queued
        }
        // The answer may replace the token that others are signed in with.
        if isShared { return await revokePendingInTurn(entry) }
        // A sign-out waits for no lane: what would have to wait is left to the worker.
        var outcome = AuthObservation.RevocationOutcome.queued
        let open = services.exchanges.begin()
        defer { services.exchanges.end(open) }
        if !needsRefresh(entry) { outcome = await revoke(entry, in: open, waits: false) }
        // If it needs a new access token, take the lane, if that is free.
        if outcome == .queued, needsRefresh(entry) {
            return (try? await alone(waits: false) { await self.refreshAndRevoke(entry, after: nil) }) ?? .queued
        }
        if outcome != .queued { await removePending(entry) }
        return outcome
    }

    /// Tells the service in turn. The caller of the sign-out waits a moment for the turn; after
    /// that, the service is told in the background.
    private func revokePendingInTurn(_ entry: CredentialRecord.Pending) async -> AuthObservation.RevocationOutcome {
        guard !unstored.holdsCredential else { return .queued }
        if let outcome = try? await alone(waits: false, { await self.revokeInTurn(entry) }) { return outcome }
        let (turn, told) = (Flight<Void>(), Flight<AuthObservation.RevocationOutcome>())
        context.start("revoke") { [self] in
            let outcome = try? await alone {
                turn.land(.success(()))
                return await self.revokeInTurn(entry)
            }
            told.land(.success(outcome ?? .queued))
            turn.land(.success(()))
        }
        guard await turn.hasLanded(within: Self.moment, by: clock) else { return .queued }
        return (try? await told.landing().get()) ?? .queued
    }

    /// How long a sign-out waits for its turn to tell the service.
    private static var moment: Duration { .seconds(2) }

    private func revokeInTurn(_ entry: CredentialRecord.Pending) async -> AuthObservation.RevocationOutcome {
        // While this waited for its turn, the entry may have been told of, or have gone to another record.
        guard !unstored.holdsCredential,
            (try? await read())?.record.pending.contains(where: { $0.login == entry.login }) == true
        else { return .queued }
        return await revokeAndRemove(entry)
    }

    func revokeAndRemove(_ entry: CredentialRecord.Pending) async -> AuthObservation.RevocationOutcome {
        let open = services.exchanges.begin()
        defer { services.exchanges.end(open) }
        let outcome = await revoke(entry, in: open)
        if outcome != .queued { await removePending(entry) }
        return outcome
    }

    /// Tells the service, as a part of the exchange `open`. `notOffered` and `refused` mean that the service cannot be
    /// told, and asking again would not change that.
    ///
    /// - Parameter isListed: Whether the record has the entry. What is not on its list must be told now.
    func revoke(
        _ entry: CredentialRecord.Pending, in open: OpenExchange, waits: Bool = true, isListed: Bool = true
    ) async -> AuthObservation.RevocationOutcome {
        guard let provider = try? services.provider(for: entry.credential.binding) as? any SessionRevoking else {
            return .queued
        }
        guard let grants = services.grantsKey(provider) else { return await tell(provider, entry, in: open) }
        // This revocation may end other grants: none may be made before it is told, and none may wait to be stored.
        if let waiting = unstored.signIn?.credential {
            let endsIt = provider.rules.revocationEndsEveryGrant || services.revoking(entry.credential, mayEnd: waiting)
            guard !endsIt else { return .queued }
        }
        let outcome = try? await alone(grants, waits: waits) { [self] in
            let record = try await read()?.record
            if isListed {
                // Another task has told it or given it up meanwhile, or a newer session has dropped it.
                guard let record, record.pending.contains(where: { $0.login == entry.login }) else {
                    return AuthObservation.RevocationOutcome.queued
                }
            } else if let record, await mayEndPresent(entry, record) {
                return .leftToExpire
            }
            return await tell(provider, entry, in: open)
        }
        return outcome ?? .queued
    }

    private func tell(
        _ provider: any SessionRevoking, _ entry: CredentialRecord.Pending, in open: OpenExchange
    ) async -> AuthObservation.RevocationOutcome {
        let binding = entry.credential.binding
        let (plain, measured) = services.callContext(
            binding, until: clock.now() + settings.requestDeadline)
        let context = plain.within(open)
        let credential = await newest(entry)
        let outcome = await tell(provider, Revocation(credential, scope: entry.scope), entry, in: context)
        if outcome == .done { services.learn(measured, of: binding) }
        if isShared, let new = context.carriedToken, let old = credential.refreshToken {
            await replace(old, of: credential.id, by: new)
        }
        return outcome
    }

    private func tell(
        _ provider: any SessionRevoking, _ revocation: Revocation, _ entry: CredentialRecord.Pending,
        in context: ProviderContext
    ) async -> AuthObservation.RevocationOutcome {
        do {
            try await provider.revoke(revocation, in: context)
            return .done
        } catch let error as AuthError where error.code == .configuration(.unsupported) {
            return error.isRevocationRefused ? .refused : .notOffered
        } catch let error as AuthError where error.code == .signInRequired(.notAccepted) {
            // The service refuses the access token, however long it should last by the clock here.
            revocations.untaken.insert(entry.login)
            return .queued
        } catch {
            await rest(entry.login, error)
            return .queued
        }
    }
}
