import Latchkey

/// What a process asks the store to take: each is one of the protocol's steps, or none.
extension LaneTrace {
    mutating func write(
        _ next: LaneRecord?, over version: String?, _ lane: String, _ process: Int
    ) throws(Violation) {
        guard view(process, lane).versions.contains(version ?? "-"),
            let base = lanes[lane]?.versions[version ?? "-"]
        else {
            throw Violation(
                rule: .staleBase, message: "P\(process) writes over \(version ?? "nothing"), which it has not seen")
        }
        guard let next else {
            guard let base, base.token == nil, base.pending.isEmpty else {
                throw Violation(rule: .unowed, message: "P\(process) deletes a record that still says something")
            }
            return
        }
        let change = Change(base: base, next: next, lane: lane, process: process)
        try checkEnded(change)
        try checkPending(change)
        switch (base?.token, next.token) {
        case (_?, _?) where base?.login == next.login: try checkSame(change)
        case (_, _?): try checkSignIn(change)
        case (_?, nil): try checkEnd(change)
        case (nil, nil):
            guard base?.login == next.login, next.mark == nil else {
                throw foreign(change, "changes a tombstone")
            }
        }
        lanes[lane, default: Shared()].writes[next.write] = (next, by: process)
        edit(process, lane) { $0.tried = next.write }
    }

    struct Change {
        var base: LaneRecord?
        var next: LaneRecord
        var lane: String
        var process: Int

        var mark: LaneRecord.Mark? { base?.mark }
    }

    private func foreign(_ change: Change, _ what: String) -> Violation {
        Violation(rule: .foreignRecord, message: "P\(change.process) \(what) as no step does")
    }

    /// Section 1: ends are kept until as many came after them.
    private func checkEnded(_ change: Change) throws(Violation) {
        let kept = Set(change.next.ended.map(\.login))
        for entry in change.base?.ended ?? [] where !kept.contains(entry.login) && change.next.ended.count < 8 {
            throw Violation(rule: .forgotten, message: "P\(change.process) forgets that \(entry.login) ended")
        }
    }

    /// Sections 3 and 4: nothing is owed for a login that lasts, and nothing owed goes unpaid.
    private mutating func checkPending(_ change: Change) throws(Violation) {
        let (before, after) = (change.base?.pending ?? [], change.next.pending)
        let view = view(change.process, change.lane)
        for entry in after where !before.contains(entry) {
            guard change.next.token == nil || entry.login != change.next.login else {
                throw Violation(
                    rule: .revokedLive, message: "P\(change.process) owes \(entry.token) of a login that lasts")
            }
            noteOwed(entry, inPlaceOf: before.first { $0.login == entry.login }, change.lane)
        }
        for entry in before where !after.contains(entry) {
            if let again = after.first(where: { $0.login == entry.login && $0.token == entry.token }) {
                if let mark = again.mark, let former = entry.mark, mark.id == former.id {
                    try checkRenewal(change, of: former, to: mark)
                } else {
                    try checkMarkedAgain(change, entry, again)
                }
                continue
            }
            guard after.count < 16, !isOld(entry, change.lane) else { continue }
            let isPaid =
                view.revoked.contains(entry.token) || view.refused[entry.token] != nil
                || after.contains { new in
                    new.login == entry.login
                        && view.answers.contains {
                            $0.sent == entry.token && $0.token == new.token && $0.mark == entry.mark?.id
                        }
                }
            guard isPaid else {
                throw Violation(rule: .unpaid, message: "P\(change.process) forgets to revoke \(entry.token)")
            }
        }
    }

    /// The worker marks what it sends again, once the request before can no longer arrive.
    private mutating func checkMarkedAgain(
        _ change: Change, _ entry: LaneRecord.Pending, _ again: LaneRecord.Pending
    ) throws(Violation) {
        let (process, lane) = (change.process, change.lane)
        try needLock(lane, process, for: "marks \(entry.token)")
        // Under its own mark nothing was issued: the token that is held is all there is to revoke.
        if again.mark == nil, let former = entry.mark, view(process, lane).own[former.id]?.sends == 0 { return }
        guard let mark = again.mark, let open = entry.mark else {
            throw Violation(rule: .unowed, message: "P\(process) takes the mark off \(entry.token), which is owed")
        }
        guard now >= end(of: open, for: process, lane) else {
            throw Violation(
                rule: .heldOff, message: "P\(process) marks over \(open.id) before that request is over")
        }
        edit(process, lane) { $0.own[mark.id] = Own(mark: mark, earlier: open, write: change.next.write) }
    }

    /// It is owed from the first try to store it: the one that makes it may not live to see it stored. One that has got
    /// another mark, or a newer token, is as old as before.
    private mutating func noteOwed(
        _ entry: LaneRecord.Pending, inPlaceOf former: LaneRecord.Pending?, _ lane: String
    ) {
        let time = LaneRecord.Instant(boot: boot, at: elapsed)
        change(lane) { lane in
            if lane.owed[entry] == nil { lane.owed[entry] = former.flatMap { lane.owed[$0] } ?? time }
        }
    }

    /// Seven days; across boots a wall clock that was set may say anything.
    private func isOld(_ entry: LaneRecord.Pending, _ lane: String) -> Bool {
        guard let since = lanes[lane]?.owed[entry] else { return false }
        return elapsed - since.at >= .seconds(7 * 86_400) || isTurned && since.boot != boot
    }

    /// Steps 4, 6 and 7 of refreshing: a mark comes, goes, or gives way to an answer.
    private mutating func checkSame(_ change: Change) throws(Violation) {
        guard let base = change.base else { return }
        let next = change.next
        if base.token != next.token || base.access != next.access || base.refresh != next.refresh {
            try checkAnswer(change, base)
        } else if let former = base.mark, let mark = next.mark, former != mark, former.id == mark.id {
            try checkRenewal(change, of: former, to: mark)
        } else if base.mark != next.mark {
            let own = base.mark.flatMap { view(change.process, change.lane).own[$0.id] }
            if let mark = next.mark, mark != own?.earlier {
                try checkMark(change, mark, own)
            } else {
                guard let own, own.sends == 0, own.earlier == next.mark else {
                    throw Violation(
                        rule: .cleared, message: "P\(change.process) takes out the mark \(base.mark?.id ?? "none")")
                }
            }
        }
    }

    private func checkAnswer(_ change: Change, _ base: LaneRecord) throws(Violation) {
        try needLock(change.lane, change.process, for: "stores an answer")
        let next = change.next
        // The refresh token may be kept before the rest of its answer is judged, and the rest is stored then.
        let isRest = base.token == next.token
        let isHeard = view(change.process, change.lane).answers.contains { answer in
            guard answer.login == base.login, answer.token == next.token else { return false }
            let brings = answer.access.isEmpty || next.access.contains(answer.access)
            return answer.sent == base.token ? brings || next.access == base.access : isRest && brings
        }
        let isMarkOut = next.mark == nil || isRest && next.mark == base.mark
        guard isHeard, isMarkOut, isRest == (base.refresh == next.refresh) else {
            throw Violation(
                rule: .unheard,
                message: "P\(change.process) stores \(next.token ?? ""), no answer to \(base.token ?? "")")
        }
    }

    /// Step 5: who waits for an answer says that its request may be under way for as long again.
    private mutating func checkRenewal(
        _ change: Change, of former: LaneRecord.Mark, to mark: LaneRecord.Mark
    ) throws(Violation) {
        let (process, lane) = (change.process, change.lane)
        try needLock(lane, process, for: "renews \(mark.id)")
        // Its request may not have left yet: the machine may have slept in between.
        guard view(process, lane).own[mark.id] != nil else {
            throw Violation(rule: .cleared, message: "P\(process) renews \(mark.id), which is another's")
        }
        var expected = former
        expected.sent = mark.sent
        guard mark == expected, mark.sent.boot == boot, former.sent.at <= mark.sent.at, mark.sent.at <= now else {
            throw foreign(change, "renews a mark, and changes more than its time,")
        }
        edit(process, lane) { $0.own[mark.id]?.mark = mark }
    }

    private mutating func checkMark(_ change: Change, _ mark: LaneRecord.Mark, _ own: Own?) throws(Violation) {
        let (process, lane) = (change.process, change.lane)
        try needLock(lane, process, for: "marks \(change.next.token ?? "")")
        guard mark.refresh == change.next.refresh, mark.sent.boot == boot, mark.sent.at <= now else {
            throw foreign(change, "marks another token than the stored one, or with a time that is not its own,")
        }
        // A mark of its own that nothing was sent under covers nothing, however long ago it was made.
        let open = own.map { $0.sends == 0 ? $0.earlier : change.mark } ?? change.mark
        if let open {
            let end = end(of: open, for: process, lane)
            let isWorse = mark.isWorse || open.isWorse
            guard mark.isWorse || !open.isWorse else {
                throw Violation(rule: .cleared, message: "P\(process) forgets how much \(open.id) may have done")
            }
            switch isWorse ? .killsFamily : replay {
            case .killsFamily, .newSuccessor:
                guard now >= end else {
                    throw Violation(
                        rule: .heldOff, message: "P\(process) marks over \(open.id) before that request is over")
                }
            case .sameSuccessor:
                guard
                    now + (reuseInterval ?? .zero) >= end
                        || change.next.rest.map({ $0.boot == boot && $0.at >= end }) == true
                else {
                    throw Violation(rule: .rest, message: "P\(process) lets the successor of a replay have no rest")
                }
            case .fixed, .mints: break
            }
        } else if replay == .sameSuccessor, let rest = change.base?.rest, rest.boot == boot, now < rest.at {
            throw Violation(rule: .rest, message: "P\(process) marks a successor that should rest")
        }
        edit(process, lane) { $0.own[mark.id] = Own(mark: mark, earlier: open, write: change.next.write) }
    }

    /// Section 5.
    private func checkSignIn(_ change: Change) throws(Violation) {
        let next = change.next
        guard change.base?.ending(of: next.login) == nil, lanes[change.lane]?.over.contains(next.login) != true else {
            throw Violation(rule: .comeback, message: "P\(change.process) brings \(next.login) back")
        }
        guard next.mark == nil, next.rest == nil else { throw foreign(change, "signs in with a mark") }
        guard let base = change.base, base.token != nil else { return }
        try checkOwed(change, base, cause: "replaced")
    }

    /// Section 3, and R.
    private func checkEnd(_ change: Change) throws(Violation) {
        guard let base = change.base, base.login == change.next.login, change.next.mark == nil else {
            throw foreign(change, "ends a login")
        }
        let cause = change.next.ending(of: base.login)
        switch cause {
        case "interrupted", "revoked":
            let (process, lane) = (change.process, change.lane)
            try needLock(lane, process, for: "ends \(base.login)")
            let wasOpen = view(process, lane).refused[base.token ?? ""]
            guard wasOpen == (cause == "interrupted") else {
                throw Violation(
                    rule: .unbelieved,
                    message: "P\(process) ends \(base.login) as \(cause ?? ""), and the service did not say so")
            }
        default: try checkOwed(change, base, cause: "signedOut")
        }
    }

    /// A credential that goes is noted as ended and as owed, with its mark, in one commit.
    private func checkOwed(_ change: Change, _ base: LaneRecord, cause: String) throws(Violation) {
        let entry = LaneRecord.Pending(login: base.login, token: base.token ?? "", mark: base.mark)
        guard change.next.ending(of: base.login) == cause, change.next.pending.contains(entry) else {
            throw Violation(
                rule: .unowed, message: "P\(change.process) drops \(entry.token), and nobody will revoke it")
        }
    }
}

extension LaneRecord {
    /// How `login` ended, as the record says.
    func ending(of login: String) -> String? { ended.last { $0.login == login }?.cause }
}
