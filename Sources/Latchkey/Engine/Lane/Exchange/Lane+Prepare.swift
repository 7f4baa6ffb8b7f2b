/// Steps 2 to 4: the record decides whether a request may leave; if so, its mark is stored.
extension Lane {
    /// What is ready to be sent.
    struct Ready: Sendable {
        var found: Found
        var credential: Credential
        var provider: any AuthProvider
        var want: Want
        /// What sending the secret again would do to this request.
        var replay: ProviderRules.RefreshRule
        /// Whether it mints a token.
        var mints = false
        /// What a refresh asks the provider for.
        var wish: TokenWant?
        var work: LaneRequest.Work
        /// What tells, while the answer is waited for, that the service has acted.
        var shown: LaneRequest.Shown?

        /// ``replay``, or the provider's rule for a refresh if that is worse. A request that spends
        /// nothing stays `fixed`.
        var care: ProviderRules.RefreshRule {
            replay == .fixed ? replay : replay.worse(provider.rules.replay)
        }

        /// Passes what the provider has got before (``RefreshPreparing``) to its call.
        mutating func take(_ got: (any Sendable)?) {
            guard let got else { return }
            work = { [work] credential, context in
                var context = context
                context.prepared = got
                return try await work(credential, context)
            }
        }
    }

    /// - Parameter known: The record, if it was just read.
    func prepare(_ request: LaneRequest, from known: Found? = nil) async -> Step<(ready: Ready, sent: Sent)> {
        var last: Sent?
        // If storing the mark takes more than a quarter of the deadline, the request has too little
        // time left: mark again.
        for _ in 0..<3 {
            var marked: Ready?
            // A request may leave only if its mark is surely stored.
            let found: Found?
            do throws(AuthError) { found = try await setRoomAside(for: request, from: last?.found ?? known) } catch {
                return .end(.trouble(error, .storeFailed, (last?.found ?? known)?.record))
            }
            let amended = await amend(from: found, believesFailure: true) { found -> Amendment<Step<Ready>> in
                let step = judge(request, found.map { marks.known($0) })
                guard case .go(let ready) = step, ready.replay != .fixed else { return .stop(step) }
                marked = ready
                return .store(record(of: ready, markedAt: clock.stamp))
            }
            switch amended {
            case .stopped(.go(let ready)):
                return .go((ready, sent(ready, ready.found, at: clock.now(), isMarked: request.demand != nil)))
            case .stopped(.end(let ending)): return .end(ending)
            case .failed(let trouble, let found):
                let outcome: AuthObservation.RefreshOutcome = trouble.code == .busy ? .busy : .storeFailed
                return .end(.trouble(trouble, outcome, found?.record))
            case .stored(let found):
                guard let ready = marked, let mark = found.record.mark else { continue }
                let sent = sent(ready, found, at: mark.sent.at, isMarked: true)
                if clock.now() - mark.sent.at <= settings.requestDeadline / 4 {
                    marks.noteSent(mark.id)
                    return .go((ready, sent))
                }
                last = sent
            }
        }
        if let last { await unmark(last) }
        let trouble = AuthError(.store(.unavailable), "The store is too slow to refresh the session safely.")
        return .end(.trouble(trouble, .storeFailed, last?.record))
    }

    private func sent(_ ready: Ready, _ found: Found, at instant: MonotonicInstant, isMarked: Bool) -> Sent {
        Sent(
            found: found, credential: ready.credential, earlierMark: ready.found.record.mark,
            begun: instant, until: instant + deadline(of: ready), isMarked: isMarked)
    }

    /// The record with a mark for the request.
    private func record(of ready: Ready, markedAt stamp: CredentialRecord.Stamp) -> CredentialRecord {
        var next = ready.found.record
        let open = next.mark
        if ready.replay == .sameSuccessor, let open {
            next.live?.notBefore = rest(after: open, ready.provider, seen: next.slowestAnswer).map {
                CredentialRecord.Stamp(boot: clock.boot, at: $0, wall: stamp.wall)
            }
        }
        // What an earlier request did to the secret cannot be undone, so its worse rule passes on to this mark.
        let (worst, rule) = (ready.replay.worse(open?.replay), ready.provider.rules.replay)
        let mark = CredentialRecord.Mark(
            id: fresh(), refreshTokenID: next.refreshTokenID, by: Self.me,
            holder: context.processes.current, sent: stamp, deadline: settings.requestDeadline,
            replay: rule.worse(worst) == rule ? nil : worst)
        next.live?.mark = mark
        // The store may take the mark and report that it did not.
        marks.noteUnsent(mark.id, inPlaceOf: open)
        return next
    }

    /// Step 6: the request surely did not leave. A mark that an earlier request had opened stays open.
    func unmark(_ sent: Sent) async { await note(nil, sent, isUnsent: true) }

    /// Step 6: stores what a request without an answer leaves: the pause that the service has asked for, and the mark
    /// that an earlier one had opened, if the request surely did not leave; if it did, that nobody waits for it now.
    func note(_ pause: ServicePause?, _ sent: Sent, isUnsent: Bool = false) async {
        guard let mark = sent.ownMark else { return await note(pause, sent) }
        let left = CredentialRecord.Left(since: clock.stamp, waited: clock.now() - sent.begun)
        if isUnsent { marks.noteUnsent(mark.id, inPlaceOf: sent.earlierMark) } else { marks.noteLeft(mark.id, left) }
        await amend(from: sent.found) { found -> Amendment<Void> in
            guard var next = found?.record else { return .stop(()) }
            let rests = pause != nil && next.isLive(sent.record)
            if rests { next.live?.pause = pause }
            if next.live != nil, next.mark?.id == mark.id {
                if isUnsent { next.live?.mark = sent.earlierMark } else { next.live?.mark?.left = left }
            } else if !isUnsent, let index = next.pending.firstIndex(where: { $0.mark?.id == mark.id }) {
                next.pending[index].mark?.left = left
            } else if !rests {
                return .stop(())
            }
            return .store(next)
        }
    }

    private func note(_ pause: ServicePause?, _ sent: Sent) async {
        guard let pause else { return }
        await amend(from: sent.found) { found -> Amendment<Void> in
            guard var next = found?.record, next.isLive(sent.record) else { return .stop(()) }
            next.live?.pause = pause
            return .store(next)
        }
    }

    /// How long the request may take. An operation may spend a code or a proof, whatever it does to the token. Where the
    /// service repeats its answer to a refresh for a known time, and nothing is under way, the request is given up in time to
    /// ask again.
    private func deadline(of ready: Ready) -> Duration {
        guard ready.wish != nil else { return services.spendingDeadline }
        let longest = deadline(ready.care)
        guard ready.care == .sameSuccessor, ready.found.record.mark == nil, isFirst(ready.want),
            let interval = ready.provider.rules.reuseInterval, interval > .zero
        else { return longest }
        return min(longest, Self.hurry(interval))
    }

    /// How long after it left a refresh without an answer is sent again, if the service repeats its answer for `interval`:
    /// half of that, but no less than a connection may take to be made.
    static func hurry(_ interval: Duration) -> Duration { max(interval / 2, .seconds(3)) }

    /// How long a refresh may take if sending its secret again would do `replay`.
    func deadline(_ replay: ProviderRules.RefreshRule) -> Duration {
        replay == .killsFamily ? services.spendingDeadline : settings.requestDeadline
    }
}
