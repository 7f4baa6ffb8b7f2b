import FoundationEssentials
import LatchkeyLocked

/// What leaves the lane, and what comes back.
extension Lane {
    /// A request as it was, or will be, sent.
    struct Sent: Sendable {
        /// The record that carries the mark, as stored.
        var record: Found
        /// Whether a mark was open before ours.
        var wasOpen: Bool
        var earlierMark: CredentialRecord.Mark?
        /// When the request must be over.
        var until: MonotonicInstant
        /// Whether the request carries a mark of its own. One that spends nothing carries none.
        var isMarked = true
        /// Whether it was sent without the lane, beside others.
        var isBeside = false

        /// What was sent. A record without one is never sent.
        var credential: Credential {
            record.record.credential
                ?? Credential(
                    id: .init(""), binding: ProviderBinding(provider: "", authority: "", client: ""), sessions: [])
        }
    }

    /// What the service answered well, not stored yet.
    struct Answered: Sendable {
        var change: CredentialChange
        var sent: Sent
        var offset: Duration
        /// The new name of the refresh token, the same in every try to store it.
        var refreshTokenID: String

        /// Whether the answer holds a token of `want`; it may be the same text as before with a new lifetime.
        func brings(_ want: Want) -> Bool {
            let sessions = change.sessions ?? sent.credential.sessions
            guard let session = sessions.first(where: { $0.account == want.account }) else { return false }
            let stated = change.sessions.flatMap { _ in session.tokens[want.audience] }
            return change.minted[session.id]?[want.audience] != nil
                || stated.map { $0.lifetime != sent.credential.session(session.id)?.tokens[want.audience]?.lifetime }
                    ?? false
        }
    }

    enum Reply: Sendable {
        case answered(Answered)
        case notSent(AuthError)
        case unknown(AuthError)
        case refused(Refusal, offset: Duration)

        /// Whether the service said no, or nothing of use.
        func isEmpty(for want: Want) -> Bool {
            switch self {
            case .answered(let answer): !answer.brings(want)
            case .refused(let refusal, _): refusal.kind == .definite
            case .notSent, .unknown: false
            }
        }
    }

    /// Step 4: stores the mark. `failure(nil)`: somebody was first, read again.
    enum Marking {
        case success(Found)
        case failure(AuthError?)
    }

    /// `replay`: what sending the secret again would do to this request; `rule`: to a refresh, at this provider.
    func mark(
        _ found: Found, _ replay: ProviderRules.RefreshRule, at rule: ProviderRules.RefreshRule
    ) async -> Marking {
        var current = found
        // What an earlier request did to the secret is done for good: its care passes on.
        let worst = replay.worse(found.record.mark?.replay)
        // A store that is slower than a quarter of the deadline would leave the request too little of it.
        for _ in 0..<3 {
            var next = current.record
            let stamp = clock.stamp
            if replay == .sameSuccessor, let open = found.record.mark {
                next.notBefore = CredentialRecord.Stamp(boot: clock.boot, at: ending(of: open), wall: stamp.wall)
            }
            let id = fresh()
            next.mark = CredentialRecord.Mark(
                id: id, refreshTokenID: next.refreshTokenID, by: Self.me, sent: stamp,
                deadline: engine.settings.requestDeadline, replay: rule.worse(worst) == rule ? nil : worst)
            next.writeID = fresh()
            // The store may take it and say that it did not.
            noteUnsent(id, inPlaceOf: found.record.mark)
            switch await commit(next, at: current.version) {
            case .stored(let version?): current = Found(record: next, version: version)
            case .stored(nil), .conflict: return .failure(nil)
            case .failed(let trouble): return .failure(trouble)
            }
            if clock.now() - stamp.at <= engine.settings.requestDeadline / 4 {
                unsentMarks.removeAll { $0.id == id }
                return .success(current)
            }
        }
        await unmark(
            Sent(record: current, wasOpen: found.record.mark != nil, earlierMark: found.record.mark, until: clock.now())
        )
        return .failure(AuthError(.store(.unavailable), "The store is too slow to refresh the session safely."))
    }

    /// Step 5.
    func send(
        _ sent: inout Sent, _ provider: any AuthProvider, callers: (want: Want, refused: AccessToken?)? = nil,
        _ work: @escaping @Sendable (Credential, ProviderContext) async throws -> CredentialChange
    ) async -> Reply {
        let marked = sent
        let carried = Locked<Secret?>(nil)
        let reply = await attend(&sent, callers) { await self.deliver(marked, provider, carried, work) }
        guard case .answered(var answer) = reply else {
            if provider.rules.replay == .fixed, let token = carried.withLock({ $0 }) { await adopt(token, &sent) }
            return reply
        }
        answer.sent = sent
        return .answered(answer)
    }

    private func deliver(
        _ sent: Sent, _ provider: any AuthProvider, _ carried: Locked<Secret?>,
        _ work: @Sendable (Credential, ProviderContext) async throws -> CredentialChange
    ) async -> Reply {
        let binding = provider.rules.binding
        let (context, measured) = engine.providerContext(
            binding, until: sent.until, deadline: sent.until - clock.now())
        let begun = clock.now()
        defer { carried.withLock { $0 = context.carried.withLock { $0 } } }
        do {
            var change = try await work(sent.credential, context).counted(from: begun, in: clock.boot)
            if provider.rules.replay == .fixed, change.refreshToken == nil {
                change.refreshToken = context.carried.withLock { $0 }
            }
            let offset = engine.learn(measured, of: binding)
            return .answered(Answered(change: change, sent: sent, offset: offset, refreshTokenID: fresh()))
        } catch let refusal as Refusal {
            return .refused(refusal, offset: engine.learn(measured, of: binding))
        } catch {
            engine.learn(measured, of: binding)
            let trouble = AuthError(error, provider: binding.provider)
            // The provider's word alone: it may have a channel of its own.
            let isUnsent = error is NotSent || (error as? TransportError)?.wasSent == false
            return isUnsent ? .notSent(trouble) : .unknown(trouble)
        }
    }

    /// Step 6: the request surely did not leave. A mark that an earlier request had opened stays open.
    func unmark(_ sent: Sent) async {
        guard let mark = sent.record.record.mark else { return }
        noteUnsent(mark.id, inPlaceOf: sent.earlierMark)
        var base = sent.record
        for _ in 0..<Self.commitTries {
            guard base.record.mark?.id == mark.id else { return }
            base.record.mark = sent.earlierMark
            base.record.writeID = fresh()
            guard case .conflict = await commit(base.record, at: base.version) else { return }
            guard let found = try? await read() else { return }
            base = found
        }
    }

    private func noteUnsent(_ id: String, inPlaceOf earlier: CredentialRecord.Mark?) {
        unsentMarks.append((id, earlier))
    }

    /// What was read, as who made its mark knows it: one that no request left under says nothing.
    func known(_ found: Found) -> Found {
        guard let mark = found.record.mark, let unsent = unsentMarks.last(where: { $0.id == mark.id }) else {
            // What was replaced or taken out does not come back.
            if !unsentMarks.isEmpty { unsentMarks = [] }
            return found
        }
        unsentMarks = [unsent]
        var known = found
        known.record.mark = unsent.earlier
        return known
    }

    /// Law 3: an unexplained refusal is written down, so that no process asks again before its time.
    func remember(_ refusal: Refusal, _ sent: Sent, _ offset: Duration) async {
        var base = sent.record
        for _ in 0..<Self.commitTries {
            guard base.record.login == sent.record.record.login, base.record.credential != nil,
                base.record.refreshTokenID == sent.record.record.refreshTokenID
            else { return }
            base.record.unexplained = clock.stamp
            base.record.serverOffset = offset
            // Nothing was issued, so nothing is under way: who comes next shares the answer at once.
            if refusal.issuedNothing, let mark = sent.record.record.mark, base.record.mark?.id == mark.id {
                noteUnsent(mark.id, inPlaceOf: sent.earlierMark)
                base.record.mark = sent.earlierMark
            }
            base.record.writeID = fresh()
            guard case .conflict = await commit(base.record, at: base.version) else { return }
            guard let found = try? await read() else { return }
            base = found
        }
    }

    /// Who holds a mark, for messages.
    static let me = "pid \(ProcessIdentity.number)"
}
