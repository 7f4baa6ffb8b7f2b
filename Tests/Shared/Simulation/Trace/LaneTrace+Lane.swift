import Latchkey

/// The lane itself, what is read in it, and what callers are shown.
extension LaneTrace {
    mutating func acquire(_ lane: String, _ process: Int) throws(Violation) {
        if let holder = lanes[lane]?.holder, holder != process {
            throw Violation(rule: .exclusion, message: "P\(process) has the lane that P\(holder) holds")
        }
        lanes[lane, default: Shared()].holder = process
        edit(process, lane) { ($0.marked, $0.seen) = (nil, []) }
    }

    mutating func release(_ lane: String, _ process: Int) throws(Violation) {
        let view = view(process, lane)
        if let answer = view.answers.first(where: { !$0.isSettled }) {
            let what = answer.mustRevoke ? "owed to the service" : "stored"
            throw Violation(
                rule: .unstored, message: "P\(process) lets the lane go, and \(answer.token) is not \(what)")
        }
        if lanes[lane]?.holder == process { lanes[lane]?.holder = nil }
        edit(process, lane) { ($0.marked, $0.seen, $0.answers, $0.refused) = (nil, [], [], [:]) }
    }

    mutating func read(
        _ record: LaneRecord?, _ version: String?, _ lane: String, _ process: Int
    ) throws(Violation) {
        if let record {
            let known = lanes[lane]?.writes[record.write]?.0
            // Of what was there before the first look, nobody saw the writer.
            let isFirst = lanes[lane]?.versions.isEmpty ?? true
            guard isFirst || known == record else {
                throw Violation(
                    rule: .foreignRecord, message: "P\(process) reads the write \(record.write), which nobody made")
            }
        }
        see(record, version, lane, process, isStored: false)
        // Its own write, which the store took, and said it had not.
        if let record, view(process, lane).tried == record.write { mayAct(under: record, lane, process) }
    }

    mutating func stored(_ write: String, _ version: String?, _ lane: String, _ process: Int) {
        let record = lanes[lane]?.writes[write]?.0
        see(record, version, lane, process, isStored: true)
        if let record { mayAct(under: record, lane, process) }
    }

    /// What was sent under the mark is under way for as long as it says.
    private mutating func cover(_ mark: LaneRecord.Mark, _ process: Int) {
        let until = mark.sent.at + mark.deadline
        for token in requests.keys {
            guard let index = requests[token]?.firstIndex(where: { $0.mark == mark.id && $0.process == process }),
                let former = requests[token]?[index].until, former < until
            else { continue }
            requests[token]?[index].until = until
        }
    }

    /// The process knows its own write to be in the store: what it marked in it, it may send.
    private mutating func mayAct(under record: LaneRecord, _ lane: String, _ process: Int) {
        let own = view(process, lane).own
        edit(process, lane) { $0.tried = nil }
        for mark in [record.mark] + record.pending.map(\.mark) {
            if let mark, let known = own[mark.id], known.sends > 0 { cover(mark, process) }
        }
        if let mark = record.mark, own[mark.id] != nil {
            edit(process, lane) { $0.marked = (mark.id, record.token ?? "") }
        }
        // A sign-out takes the mark along; only who made it anew, and just now, sends under it.
        for entry in record.pending {
            guard let mark = entry.mark, let known = own[mark.id], known.write == record.write, record.mark != mark
            else { continue }
            edit(process, lane) { $0.marked = (mark.id, entry.token) }
        }
    }

    /// What everybody learns from a record that is in the store, and what `process` does.
    private mutating func see(
        _ record: LaneRecord?, _ version: String?, _ lane: String, _ process: Int, isStored: Bool
    ) {
        let over = Set(record?.ended.map(\.login) ?? [])
        let time = LaneRecord.Instant(boot: boot, at: elapsed)
        change(lane) { shared in
            shared.versions[version ?? "-"] = .some(record)
            shared.seenOver.formUnion(over)
            if isStored { shared.over.formUnion(over) }
            for entry in record?.pending ?? [] where shared.owed[entry] == nil { shared.owed[entry] = time }
        }
        let instant = now
        edit(process, lane) { view in
            view.versions.insert(version ?? "-")
            view.over.formUnion(over)
            if let record { view.seen.append(record) }
            for mark in ([record?.mark] + (record?.pending.map(\.mark) ?? [])).compactMap(\.self)
            where view.firstSeen[mark] == nil {
                view.firstSeen[mark] = instant
            }
            for index in view.answers.indices { view.answers[index].meet(record) }
        }
        guard let record else { return }
        if let token = record.token { tokens[token] = tokens[token] ?? Issued(lane: lane, login: record.login) }
        for entry in record.pending {
            tokens[entry.token] = tokens[entry.token] ?? Issued(lane: lane, login: entry.login)
        }
        for text in record.access { access[text, default: Issued(lane: lane, login: record.login)].isStored = true }
    }

    mutating func show(_ text: String, _ call: Int, _ isDurable: Bool, _ process: Int) throws(Violation) {
        let over = processes[process]?.asked.removeValue(forKey: call) ?? []
        let issued = access[text]
        if isDurable, issued?.isStored != true {
            throw Violation(rule: .early, message: "P\(process) shows \(text) as durable, and no record held it")
        }
        guard let issued else { return }
        if issued.isLate {
            throw Violation(
                rule: .shownEnded, message: "P\(process) shows \(text), which came after the end of \(issued.login)")
        }
        if over.contains(issued.login) {
            throw Violation(
                rule: .shownEnded, message: "P\(process) shows \(text) of \(issued.login), which it knew to be over")
        }
    }
}

extension LaneTrace.Answer {
    /// What the answer's fate is, after its holder saw this in the store.
    fileprivate mutating func meet(_ record: LaneRecord?) {
        guard !isSettled else { return }
        if let record, record.pending.contains(where: { $0.login == login && $0.token == token }) {
            isSettled = true
        } else if let record, record.token != nil, record.login == login {
            isSettled = record.access.contains(access) || record.refresh != refresh
        } else {
            mustRevoke = true
        }
    }
}
