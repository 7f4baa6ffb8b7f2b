import Latchkey

/// What leaves, and what comes back.
extension LaneTrace {
    mutating func sendRefresh(_ token: String, _ process: Int, isWorse: Bool = false) throws(Violation) {
        guard let issued = tokens[token] else {
            throw Violation(rule: .unmarked, message: "P\(process) sends \(token), which no record held")
        }
        let lane = issued.lane
        try needLock(lane, process, for: "sends \(token)")
        let view = view(process, lane)
        var until = now + .seconds(120)
        var mark: String?
        if let marked = view.marked, marked.token == token, let own = view.own[marked.mark] {
            guard own.sends == 0 else {
                throw Violation(rule: .sentTwice, message: "P\(process) sends \(token) a second time under one mark")
            }
            guard !isWorse || own.mark.isWorse || replay == .killsFamily else {
                throw Violation(
                    rule: .unmarked, message: "P\(process) sends \(token) for more than its mark tells of")
            }
            until = own.mark.sent.at + own.mark.deadline
            mark = marked.mark
            edit(process, lane) { $0.own[marked.mark]?.sends += 1 }
        } else if replay != .fixed || !view.seen.contains(where: { $0.token == token }) {
            throw Violation(rule: .unmarked, message: "P\(process) sends \(token) without a stored mark for it")
        }
        let isStrict = replay == .killsFamily || replay == .newSuccessor
        if replay != .fixed,
            let other = requests[token]?.first(where: { now < $0.until && (isStrict || isWorse || $0.isWorse) })
        {
            throw Violation(
                rule: .underWay, message: "P\(process) sends \(token), which P\(other.process) has under way")
        }
        requests[token, default: []].append(Request(process: process, until: until, isWorse: isWorse, mark: mark))
    }

    mutating func sendRevocation(_ token: String, _ process: Int) throws(Violation) {
        // What never was in a record, such as a sign-in that could not be stored, is its holder's to revoke.
        guard let issued = tokens[token] else { return }
        guard lanes[issued.lane]?.seenOver.contains(issued.login) == true else {
            throw Violation(
                rule: .revokedLive, message: "P\(process) revokes \(token) of \(issued.login), which has not ended")
        }
        edit(process, issued.lane) { view in
            for index in view.answers.indices where view.answers[index].token == token {
                view.answers[index].isSettled = true
            }
        }
    }

    mutating func hear(_ reply: LaneEvent.Reply, _ token: String, _ process: Int) {
        guard let issued = tokens[token] else { return }
        let lane = issued.lane
        if reply != .nothing { finish(token, of: process) }
        let before = view(process, lane)
        let marked = before.marked.flatMap { $0.token == token ? $0.mark : nil }
        if reply == .nothing, let marked { leave(marked) }
        let wasOpen = marked.flatMap { before.own[$0]?.earlier } != nil
        switch reply {
        case .granted(let next, let text):
            tokens[next] = tokens[next] ?? Issued(lane: lane, login: issued.login)
            let isLate = lanes[lane]?.over.contains(issued.login) ?? false
            if !text.isEmpty { access[text, default: Issued(lane: lane, login: issued.login)].isLate = isLate }
            let record = before.seen.last { $0.token == token }
            let answer = Answer(
                sent: token, refresh: record?.refresh ?? "", login: issued.login, mark: marked,
                token: next, access: text)
            edit(process, lane) { $0.answers.append(answer) }
        case .carried(let next):
            tokens[next] = tokens[next] ?? Issued(lane: lane, login: issued.login)
            let record = before.seen.last { $0.token == token }
            // Nobody has to keep it: the service goes on without.
            let answer = Answer(
                sent: token, refresh: record?.refresh ?? "", login: issued.login, mark: marked, token: next, access: "",
                isSettled: true)
            edit(process, lane) { $0.answers.append(answer) }
        case .refused: edit(process, lane) { $0.refused[token] = wasOpen }
        case .unsent: if let marked { edit(process, lane) { $0.own[marked]?.sends -= 1 } }
        case .done, .nothing: break
        }
    }

    /// A request with `token` is over: that of `process`, or the earliest.
    mutating func finish(_ token: String, of process: Int? = nil) {
        guard let index = requests[token]?.firstIndex(where: { process == nil || $0.process == process }) else {
            return
        }
        requests[token]?.remove(at: index)
    }
}
