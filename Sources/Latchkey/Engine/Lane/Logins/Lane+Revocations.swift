/// The list of revocations that the service is owed, in the record.
extension Lane {
    /// Puts a revocation on the record's list, and returns whether it is there. An entry of the
    /// same login gives way only if it waits for the answer to `mark`: any other is about a token
    /// that is not the caller's.
    ///
    /// It is not put there if the revocation may end who is signed in by now.
    ///
    /// - Parameter again: Whether such an entry must be there already: one that a sign-in dropped
    ///   must not come back.
    func addPending(
        _ entry: CredentialRecord.Pending, inPlaceOf mark: CredentialRecord.Mark?, again: Bool = false
    ) async -> Bool {
        let amended = await amend { found -> Amendment<Void> in
            guard var next = found?.record else { return .stop(()) }
            let known = next.pending.first { $0.login == entry.login }
            guard known.map({ $0.mark?.id == mark?.id }) ?? !again, !mayEndPresent(entry, next) else {
                return .stop(())
            }
            _ = next.addPending(entry)
            return .store(next)
        }
        if case .stored = amended { return true }
        return false
    }

    /// Whether telling the service of `entry` may end the session that `record` holds.
    func mayEndPresent(_ entry: CredentialRecord.Pending, _ record: CredentialRecord) -> Bool {
        record.credential.map { services.revoking(entry.credential, mayEnd: $0) } ?? false
    }

    /// Takes what may end `kept`, a new session of another record, off the list.
    func dropPending(sparing kept: Credential) async {
        var spared: [ProviderID] = []
        let amended = await amend { found -> Amendment<Void> in
            guard var next = found?.record else { return .stop(()) }
            spared = next.dropPending { services.revoking($0, mayEnd: kept) }
            return spared.isEmpty ? .stop(()) : .store(next)
        }
        guard case .stored = amended else { return }
        for provider in spared { context.observer.observe(.signOut(provider, .leftToExpire)) }
    }

    /// Takes the entry off the list, unless another took its place.
    func removePending(_ entry: CredentialRecord.Pending) async {
        await amend { found -> Amendment<Void> in
            guard var next = found?.record else { return .stop(()) }
            let before = next.pending.count
            next.pending.removeAll { known in
                known.login == entry.login && known.mark?.id == entry.mark?.id
                    && (isShared || known.credential.refreshToken == entry.credential.refreshToken)
            }
            return next.pending.count == before ? .stop(()) : .store(next)
        }
    }

    /// Whether the service ends a session by a live access token only, and the entry has none.
    func needsRefresh(_ entry: CredentialRecord.Pending) -> Bool {
        let binding = entry.credential.binding
        switch services.named(in: binding)?.rules.revocation {
        case .liveAccessToken: break
        case .liveAccessTokenForOthers where entry.scope != .thisSession: break
        case .liveAccessTokenForOthers, .anyToken, nil: return false
        }
        guard !revocations.untaken.contains(entry.login), let token = entry.credential.sessions.first?.tokens[.standard]
        else {
            return true
        }
        let snapshot = TokenSnapshot(token, leeway: .zero, clock: clock, by: .offset(services.offset(of: binding)))
        return clock.now() + .seconds(2) >= snapshot.endsAt
    }
}
