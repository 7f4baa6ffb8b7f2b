import LatchkeySystem

/// The refreshes that the lane sends while it waits for the answer to an operation.
///
/// The operation may move the token by two steps. From then on the service takes the token that was sent only for its reuse
/// interval, which counts from the last refresh. If the answer is lost and the lane sends no refresh within that interval,
/// the session is lost.
struct Meanwhile: Sendable {
    /// Sends a refresh.
    var provider: any AuthProvider
    var want: TokenWant
    /// The credential that the operation was sent with.
    var before: Credential
    var shown: LaneRequest.Shown
    /// How long after the last refresh the next one follows.
    var pause: Duration

    /// `nil` where the service forgives nothing, does not say for how long, or would not show that it has acted.
    init?(_ ready: Lane.Ready, _ sent: Sent) {
        guard let shown = ready.shown, ready.replay == .killsFamily, ready.provider.rules.replay == .sameSuccessor,
            let interval = ready.provider.rules.reuseInterval, interval > .zero,
            let session = sent.credential.sessions.first(where: { $0.account == ready.want.account })
        else { return nil }
        (self.provider, self.shown, self.before) = (ready.provider, shown, sent.credential)
        want = TokenWant(session: session.id, audience: ready.want.audience, newerThan: nil)
        pause = max(interval / 2, .seconds(1))
    }

    /// How long a refresh may take.
    func deadline(_ settings: EngineSettings) -> Duration { min(pause / 2, settings.requestDeadline / 2) }
}

/// Step 5, at a service that repeats an answer for a known time.
extension Lane {
    /// Refreshes the session under the mark of the operation, until the operation is over. Returns a reply if a refreshed
    /// credential shows what the operation's own answer would say.
    ///
    /// - Parameter latest: The record with the mark, as it was stored last.
    func ask(_ meanwhile: Meanwhile, under mark: String, _ latest: Locked<Found>) async -> Reply? {
        // The last refresh may be up to a quarter of the interval old.
        var next = clock.now() + meanwhile.pause / 2
        while !Task.isCancelled {
            do { try await clock.sleep(until: next) } catch { return nil }
            let known = latest.withLock { $0 }
            guard let credential = known.record.credential else { return nil }
            let begun = clock.now()
            if let rest = known.record.live?.pause?.rest(by: clock) {
                next = begun + rest
                continue
            }
            let sent = Sent(
                found: known, credential: credential, earlierMark: known.record.mark, begun: begun,
                until: begun + meanwhile.deadline(settings), isMarked: false)
            let reply = await deliver(sent, meanwhile.provider, Locked(nil), Locked(nil), nil) {
                [want = meanwhile.want] credential, context in
                try await meanwhile.provider.refresh(credential, for: want, in: context)
            }
            switch reply {
            case .answered(let answer):
                next = clock.now() + meanwhile.pause
                guard let found = await take(answer, under: mark) else { return nil }
                latest.withLock { $0 = found }
                guard answer.trouble == nil, let now = found.record.credential, meanwhile.shown(meanwhile.before, now)
                else { continue }
                return .answered(
                    Answered(change: CredentialChange(), sent: sent, offset: answer.offset, refreshTokenID: fresh()))
            case .notSent(let trouble), .unknown(let trouble):
                await note(ServicePause(trouble, at: clock.stamp), sent)
                next = max(clock.now() + (trouble.retryAfter ?? .zero), begun + meanwhile.pause / 2)
            // What that means is for the operation's own answer to say, or for the next refresh.
            case .refused: return nil
            }
        }
        return nil
    }

    /// Stores the token of such a refresh; the operation is still under way. If the person has signed out meanwhile, what
    /// is owed goes on with it. `nil` if there is nothing left to ask for.
    private func take(_ answer: Answered, under mark: String) async -> Found? {
        var isOwed = false
        let amended = await amend(from: answer.sent.found) { found -> Amendment<Void> in
            guard var next = found?.record else { return .stop(()) }
            if next.mark?.id == mark, next.isLive(answer.sent.record) {
                next.merge(answer.change, refreshTokenID: answer.refreshTokenID)
                (next.contact, next.serverOffset) = (clock.stamp, answer.offset)
                isOwed = false
            } else if let index = next.pending.firstIndex(where: { $0.mark?.id == mark }) {
                next.pending[index].credential.apply(answer.change)
                isOwed = true
            } else {
                return .stop(())
            }
            return .store(next)
        }
        switch amended {
        case .stored(let found) where !isOwed:
            publish(found.record, bringing: answer.change)
            return found
        case .stored, .stopped: return nil
        // The token that the store has is still taken, since it comes before this one.
        case .failed: return answer.sent.found
        }
    }
}
