import LatchkeyLocked

/// Step 5 while it lasts: a service that ends the session at a reuse is waited for longer than its mark says, and the mark
/// is renewed meanwhile.
extension Lane {
    /// Waits for `request`, renews its mark for as long, and sends callers away whose patience ends.
    ///
    /// - Parameters:
    ///   - sent: What was sent; its record is the one as stored last, if the mark is still in its place.
    ///   - callers: What they demand who are sent away when their patience ends; `nil`: nobody is.
    func attend(
        _ sent: inout Sent, _ callers: Demand?, _ request: @escaping @Sendable () async -> Reply
    ) async -> Reply {
        let begun = clock.now()
        let rest = sent.until - begun
        let renews = sent.isMarked && rest > settings.requestDeadline
        guard renews || (callers != nil && settings.patience < rest) else { return await request() }
        let latest = Locked(sent.found)
        let mark = sent.record.mark?.id
        let answer = await withTaskGroup(of: Reply?.self) { group in
            group.addTask { await request() }
            if let mark, renews { group.addTask { await self.renew(mark, latest) } }
            if let callers {
                group.addTask {
                    await self.dismissImpatient(callers)
                    return nil
                }
            }
            var answer: Reply?
            while let ended = await group.next() {
                guard let ended else { continue }
                answer = ended
                group.cancelAll()
            }
            return answer
        }
        let reply = answer ?? .unknown(AuthError(.cancelled, "The request was given up."))
        // The client goes only now, and the service may act for as long again.
        if case .unknown = reply, let mark, renews, clock.now() - begun > settings.requestDeadline / 2 {
            _ = await renewOnce(mark, latest)
        }
        let stored = latest.withLock { $0 }
        if stored.record.mark?.id == mark { sent.update(stored) }
        return reply
    }

    /// Renews the mark twice in the time that it lasts, until the request is over.
    private func renew(_ mark: String, _ latest: Locked<Found>) async -> Reply? {
        // Counted from each mark's own time: what storing takes is no part of the pause.
        var last = latest.withLock { $0.record.mark?.sent.at } ?? clock.now()
        while !Task.isCancelled {
            do { try await clock.sleep(until: last + settings.requestDeadline / 2) } catch { return nil }
            last = clock.now()
            guard await renewOnce(mark, latest) else { return nil }
        }
        return nil
    }

    /// Stores that the request of `mark` may be under way for as long again from now on. `false`: the record knows the
    /// mark no more, neither in its place nor with what is owed. A store that does not take it is asked again later:
    /// hanging up would cost what the mark is there to save.
    private func renewOnce(_ mark: String, _ latest: Locked<Found>) async -> Bool {
        let amended = await amend(from: latest.withLock { $0 }) { found -> Amendment<Void> in
            guard var next = found?.record, next.renew(mark, at: clock.stamp) else { return .stop(()) }
            return .store(next)
        }
        switch amended {
        case .stored(let found): latest.withLock { $0 = found }
        case .stopped: return false
        case .failed: break
        }
        return true
    }
}

extension CredentialRecord {
    /// Lets the mark `id` begin anew, wherever it is; `false`: it is nowhere.
    fileprivate mutating func renew(_ id: String, at stamp: Stamp) -> Bool {
        if mark?.id == id {
            live?.mark?.sent = stamp
            return true
        }
        guard let index = pending.firstIndex(where: { $0.mark?.id == id }) else { return false }
        pending[index].mark?.sent = stamp
        return true
    }
}
