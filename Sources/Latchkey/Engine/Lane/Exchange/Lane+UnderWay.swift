import LatchkeySystem

/// Step 5, while the request is under way: if the service ends the session at a reuse, the engine
/// waits for longer than the mark says, and renews the mark meanwhile.
extension Lane {
    /// Waits for `request`, renews its mark meanwhile, and sends callers away when their patience ends.
    ///
    /// - Parameters:
    ///   - sent: What was sent. Afterwards its record is the one stored last, if the mark is still
    ///     in its place.
    ///   - callers: What the waiting callers demand, who are sent away when their patience ends;
    ///     `nil` if none are.
    ///   - meanwhile: What is asked meanwhile; `nil` if nothing is.
    func attend(
        _ sent: inout Sent, _ callers: Demand?, _ meanwhile: Meanwhile?,
        _ request: @escaping @Sendable () async -> Reply
    ) async -> Reply {
        let begun = clock.now()
        let rest = sent.until - begun
        let renews = sent.isMarked && rest > settings.requestDeadline
        guard renews || (callers != nil && settings.patience < rest) else { return await request() }
        let latest = Locked(sent.found)
        let mark = sent.record.mark?.id
        let answer = await withTaskGroup(of: Reply?.self) { group in
            group.addTask { await request() }
            if let mark, renews {
                group.addTask { await self.renew(mark, latest) }
                if let meanwhile { group.addTask { await self.ask(meanwhile, under: mark, latest) } }
            }
            if let callers {
                group.addTask {
                    await self.dismissImpatient(callers)
                    return nil
                }
            }
            var answer: Reply?
            while let ended = await group.next() {
                guard let ended else { continue }
                answer = answer ?? ended
                group.cancelAll()
            }
            return answer
        }
        let reply = answer ?? .unknown(AuthError(.cancelled, "The request was given up."))
        // The client hangs up only now, and the service may still act for as long again.
        if case .unknown = reply, let mark, renews, clock.now() - begun > settings.requestDeadline / 2 {
            _ = await renewOnce(mark, latest)
        }
        let stored = latest.withLock { $0 }
        if stored.record.mark?.id == mark { sent.update(stored) }
        return reply
    }

    /// Renews the mark after every half of its time, until the request is over.
    private func renew(_ mark: String, _ latest: Locked<Found>) async -> Reply? {
        // Counted from each mark's own time, so that the time for storing does not add to the pause.
        var last = latest.withLock { $0.record.mark?.sent.at } ?? clock.now()
        while !Task.isCancelled {
            do { try await clock.sleep(until: last + settings.requestDeadline / 2) } catch { return nil }
            last = clock.now()
            guard await renewOnce(mark, latest) else { return nil }
        }
        return nil
    }

    /// Stores that the request of `mark` may be under way for as long again from now on. Returns
    /// `false` if the record no longer has the mark, neither in its place nor in what is owed. If
    /// the store does not take it, this returns `true` and is tried again later: hanging up would
    /// cost the login that the mark protects.
    private func renewOnce(_ mark: String, _ latest: Locked<Found>) async -> Bool {
        let amended = await amend(from: latest.withLock { $0 }) { found -> Amendment<Void> in
            guard var next = found?.record, next.renew(mark, at: clock.stamp) else { return .stop(()) }
            return .store(next)
        }
        switch amended {
        case .stored(let found):
            // If not, what was asked meanwhile has stored a newer token, and notes that itself.
            latest.withLock { if $0.record.refreshTokenID == found.record.refreshTokenID { $0 = found } }
        case .stopped: return false
        case .failed: break
        }
        return true
    }
}

extension CredentialRecord {
    /// Restarts the time of the mark `id`, wherever it is. Returns `false` if it is nowhere.
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
