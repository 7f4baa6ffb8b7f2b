import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// What the disk and the service say, against what callers were told.
extension History {
    /// Laws 2, 5, 12 and 15: a token reached a caller.
    func check(_ token: AccessToken, of running: Running, since start: (Duration, MonotonicInstant)) {
        let (begun, begunAt) = start
        guard !running.process.isKilled else { return }
        let text = token.value.revealText()
        guard let truth = service.access(text) else { return violate(15, "\(text) is no token of the service") }
        let kept = scenario.kind == .shares ? "s\(truth.family)" : text
        if token.isDurable, !state.withLock({ $0.durable.contains(kept) }) {
            violate(2, "\(text) was handed out as durable, and was never stored for good")
        }
        if let ended = state.withLock({ $0.signedOut[truth.family] }) {
            if truth.minted > ended { violate(5, "\(text) was made after the sign-out of its login, and handed out") }
            if begun > ended, running.started > ended {
                violate(5, "\(text) of a login that was signed out was handed out by a process that began later")
            }
        }
        if let locked = lockedAt(running), begunAt > locked {
            violate(12, "\(text) left process \(running.number), which was locked")
        }
        checkCurrent(running)
    }

    /// Laws 12 and 13: what a client would hand out at this moment is good, and nothing while it is locked.
    func checkCurrent(_ running: Running) {
        let isLocked = lockedAt(running) != nil
        for person in Self.people {
            guard let token = running.client.currentToken(of: account(person)) else { continue }
            let text = token.value.revealText()
            if isLocked { violate(12, "\(text) would leave process \(running.number), which is locked") }
            guard let truth = service.access(text), machine.elapsed > truth.ends + .seconds(20) else { continue }
            // Of another boot, and the wall clock was set between the two: nothing on the machine knows better.
            if token.lifetime?.boot != machine.boot, state.withLock({ $0.hasTurnedWall }) { continue }
            violate(13, "\(text) has ended and would be handed out as good")
        }
        if let gate = running.gate, gate.promptCount > state.withLock({ $0.unlocks[running.number] ?? 0 }) {
            violate(12, "process \(running.number) asked the person for a proof by itself")
        }
        if running.gate?.wasCrowded.withLock({ $0 }) == true {
            violate(12, "process \(running.number) had two prompts up at once")
        }
    }

    /// Law 8: a store that cannot be read is not one in which nobody is.
    func checkFound(_ accounts: [Account], by running: Running, before: [String: String]) {
        guard !running.process.isKilled, !state.withLock({ $0.naming.contains(running.number) }) else { return }
        let now = lives
        for (person, login) in before where now[person] == login {
            guard !state.withLock({ $0.leaving.contains(person) }) else { continue }
            if !accounts.contains(where: { $0.id == account(person) }) {
                violate(8, "\(person) is in the store, and process \(running.number) found nobody and no error")
            }
        }
    }

    /// When all is quiet: no login is lost that the rules allow to keep, and none is alive that was signed out.
    func finalCheck() {
        let (records, families) = (state.withLock { $0.records }, service.families)
        for (person, record) in records {
            if let refresh = secret(of: record) {
                checkKept(refresh, of: person)
            } else if let last = record.ended.last, last.login == record.login {
                checkEnd(last, person)
            }
        }
        let kept = Set(
            records.values.compactMap { secret(of: $0).flatMap { service.family(ofRefreshToken: $0) } })
        for (number, family) in families.enumerated() where family.isKnown && family.death == nil {
            // Where a revocation may end other grants, one that waited is not sent once the person is back.
            let isBack = scenario.reachesFurther && hasReturned(family.subject, after: number)
            // A service that could not be told for seven days is not told any more.
            if state.withLock({ $0.daysDown > 5 }) { continue }
            if !kept.contains(number), !isBack, !network.isLossy(number),
                state.withLock({ $0.signedOut[number] != nil })
            {
                violate(5, "family \(number) of \(family.subject) is signed out and alive at the service")
            }
        }
    }

    /// Whether another login of `subject` was made after the one of `family`, or came into the store after that one was
    /// signed out.
    private func hasReturned(_ subject: String, after family: Int) -> Bool {
        state.withLock { state in
            service.families.enumerated().contains { other, candidate in
                guard candidate.subject == subject, other != family else { return false }
                guard other < family else { return true }
                guard let entered = state.entered[other], let left = state.signedOut[family] else { return false }
                return entered >= left
            }
        }
    }

    /// Law 22: what a process sends to end one session does not end the one that the store holds by then.
    func checkReach(of token: String, by process: SimulatedProcess) {
        guard scenario.sharesSessions, !process.isKilled else { return }
        let reached = service.reach(ofRefreshToken: token)
        for (person, record) in state.withLock({ $0.records }) {
            guard let kept = secret(of: record).flatMap({ service.family(ofRefreshToken: $0) }), reached.contains(kept)
            else { continue }
            violate(
                22, "the revocation of \(token) was sent, and ends family \(kept) of \(person), which the store holds")
        }
    }

    private func checkKept(_ refresh: String, of person: String) {
        guard let number = service.family(ofRefreshToken: refresh) else {
            return violate(15, "the store holds \(refresh), which the service never gave")
        }
        if state.withLock({ $0.signedOut[number] != nil }) {
            violate(5, "the store holds \(refresh) of a login that was signed out")
        }
        // A revocation that was sent before the sign-in may arrive after it.
        let isRevokedBeside = scenario.reachesFurther && service.families[number].death == .revoked
        if !service.takes(refresh), service.families[number].death != .elsewhere, !isRevokedBeside,
            !network.isLossy(number)
        {
            violate(6, "the store holds \(refresh) of \(person), which the service does not take; nothing was lost")
        }
    }

    private func checkEnd(_ ending: CredentialRecord.Ended, _ person: String) {
        guard ending.cause == .interrupted || ending.cause == .revoked,
            let number = state.withLock({ $0.families[ending.login] }), !network.isLossy(number)
        else { return }
        switch service.families[number].death {
        case nil: violate(3, "the login of \(person) ended as \(ending.cause), and family \(number) is alive")
        case .reuse: violate(1, "family \(number) of \(person) died of a reuse, and nothing was lost")
        case .revoked, .elsewhere: break
        }
    }
}
