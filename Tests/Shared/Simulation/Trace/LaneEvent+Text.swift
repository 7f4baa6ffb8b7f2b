import Latchkey

/// A trace as text, an event a line: milliseconds, who (`P1`, or `-`), what, and then words of the form `name=value`.
///
///     1000 P1 acquire lane=ada
///     1000 P1 read lane=ada v=1 write=w1 login=L1 refresh=n1 token=r1 access=a1
///     1000 P1 write lane=ada over=1 write=w2 login=L1 refresh=n1 token=r1 access=a1 mark=m1:n1:b1:1000:10000
///     1001 P1 stored lane=ada write=w2 v=2
///     1001 P1 send refresh=r1
///     1040 P1 heard refresh=r1 granted=r2 access=a2
extension LaneEvent: LosslessStringConvertible {
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 3, let milliseconds = Int64(words[0]) else { return nil }
        at = MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
        process = words[1].hasPrefix("P") ? Int(words[1].dropFirst()) : nil
        guard (process == nil) == (words[1] == "-"), let fields = LaneFields(words.dropFirst(3)),
            let step = Step(words[2], fields)
        else { return nil }
        self.step = step
    }

    var description: String {
        let who = process.map { "P\($0)" } ?? "-"
        return (["\(at.nanoseconds / 1_000_000)", who] + step.words).joined(separator: " ")
    }

    /// The events of a text; `nil` when a line is none.
    static func parse(_ text: String) -> [LaneEvent]? {
        let lines = text.split(separator: "\n").map { $0.trimmed }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        let events = lines.compactMap(LaneEvent.init)
        return events.count == lines.count ? events : nil
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}

/// The words `name=value` of a line.
struct LaneFields {
    private var values: [String: String] = [:]

    init?(_ words: some Sequence<String>) {
        for word in words {
            guard let equals = word.firstIndex(of: "=") else { return nil }
            values[String(word[..<equals])] = String(word[word.index(after: equals)...])
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    /// What is separated by commas.
    func list(_ name: String) -> [String] { (values[name] ?? "").split(separator: ",").map(String.init) }
}

extension LaneEvent.Step {
    fileprivate init?(_ verb: String, _ fields: LaneFields) {
        switch (verb, fields["lane"]) {
        case ("start", _): self = .start
        case ("crash", _): self = .crash
        case ("turned", _): self = .turned
        case ("quiet", _): self = .quiet
        case ("acquire", let lane?): self = .acquire(lane)
        case ("release", let lane?): self = .release(lane)
        case ("read", let lane?): self = .read(lane, LaneRecord(fields), version: fields["v"])
        case ("write", let lane?): self = .write(lane, LaneRecord(fields), over: fields["over"])
        case ("stored", let lane?):
            guard let write = fields["write"] else { return nil }
            self = .stored(lane, write, version: fields["v"])
        default:
            guard let step = Self.wire(verb, fields) else { return nil }
            self = step
        }
    }

    private static func wire(_ verb: String, _ fields: LaneFields) -> Self? {
        let kind = [LaneEvent.Request.refresh, .verify].first { fields[$0.rawValue] != nil } ?? .revoke
        let token = fields[kind.rawValue]
        switch verb {
        case "boot": return fields["name"].map { .boot($0) }
        case "over": return fields["token"].map { .over($0, of: fields["of"].flatMap { Int($0) }) }
        case "ask": return fields["call"].flatMap { Int($0) }.map { .ask($0) }
        case "show":
            guard let call = fields["call"].flatMap({ Int($0) }), let access = fields["access"] else { return nil }
            return .show(call, access: access, isDurable: fields["durable"] != "no")
        case "send": return token.map { .send(kind, $0) }
        case "heard": return token.flatMap { token in LaneEvent.Reply(fields).map { .heard(kind, token, $0) } }
        default: return nil
        }
    }

    fileprivate var words: [String] {
        switch self {
        case .start: ["start"]
        case .crash: ["crash"]
        case .boot(let name): ["boot", "name=\(name)"]
        case .turned: ["turned"]
        case .quiet: ["quiet"]
        case .acquire(let lane): ["acquire", "lane=\(lane)"]
        case .release(let lane): ["release", "lane=\(lane)"]
        case .read(let lane, let record, let version):
            ["read", "lane=\(lane)"] + word("v", version) + (record?.words ?? [])
        case .write(let lane, let record, let version):
            ["write", "lane=\(lane)"] + word("over", version) + (record?.words ?? [])
        case .stored(let lane, let write, let version):
            ["stored", "lane=\(lane)", "write=\(write)"] + word("v", version)
        case .send(let kind, let token): ["send", "\(kind.rawValue)=\(token)"]
        case .heard(let kind, let token, let reply): ["heard", "\(kind.rawValue)=\(token)"] + reply.words
        case .over(let token, let sender): ["over", "token=\(token)"] + (sender.map { ["of=\($0)"] } ?? [])
        case .ask(let call): ["ask", "call=\(call)"]
        case .show(let call, let access, let isDurable):
            ["show", "call=\(call)", "access=\(access)"] + (isDurable ? [] : ["durable=no"])
        }
    }
}

extension LaneEvent.Reply {
    fileprivate init?(_ fields: LaneFields) {
        if let token = fields["granted"], let access = fields["access"] {
            self = .granted(token: token, access: access)
            return
        }
        if let token = fields["carried"] {
            self = .carried(token: token)
            return
        }
        switch fields["reply"] {
        case "refused": self = .refused
        case "done": self = .done
        case "unsent": self = .unsent
        case "nothing": self = .nothing
        default: return nil
        }
    }

    fileprivate var words: [String] {
        switch self {
        case .granted(let token, let access): ["granted=\(token)", "access=\(access)"]
        case .carried(let token): ["carried=\(token)"]
        case .refused: ["reply=refused"]
        case .done: ["reply=done"]
        case .unsent: ["reply=unsent"]
        case .nothing: ["reply=nothing"]
        }
    }
}

private func word(_ name: String, _ value: String?) -> [String] { value.map { ["\(name)=\($0)"] } ?? [] }

extension LaneRecord {
    fileprivate init?(_ fields: LaneFields) {
        guard let write = fields["write"], let login = fields["login"] else { return nil }
        self.init(write: write, login: login)
        refresh = fields["refresh"] ?? ""
        token = fields["token"]
        access = fields.list("access")
        mark = fields["mark"].flatMap { Mark($0.split(separator: ":").map(String.init)[...]) }
        rest = fields["rest"].flatMap { Instant($0.split(separator: ":").map(String.init)[...]) }
        ended = fields.list("ended").compactMap { text in
            let parts = text.split(separator: ":").map(String.init)
            return parts.count == 2 ? Ended(login: parts[0], cause: parts[1]) : nil
        }
        pending = fields.list("pending").compactMap { text in
            let parts = text.split(separator: ":").map(String.init)
            return parts.count >= 2
                ? Pending(login: parts[0], token: parts[1], mark: Mark(parts.dropFirst(2))) : nil
        }
    }

    fileprivate var words: [String] {
        var words = ["write=\(write)", "login=\(login)"]
        if !refresh.isEmpty { words.append("refresh=\(refresh)") }
        words += word("token", token)
        if !access.isEmpty { words.append("access=\(access.joined(separator: ","))") }
        words += word("mark", mark?.text) + word("rest", rest?.text)
        if !ended.isEmpty {
            words.append("ended=" + ended.map { "\($0.login):\($0.cause)" }.joined(separator: ","))
        }
        if !pending.isEmpty {
            words.append("pending=" + pending.map(\.text).joined(separator: ","))
        }
        return words
    }
}

extension LaneRecord.Instant {
    fileprivate init?(_ parts: ArraySlice<String>) {
        guard parts.count == 2, let boot = parts.first, let at = parts.last.flatMap({ Int64($0) }) else { return nil }
        self.init(boot: boot, at: MonotonicInstant(nanoseconds: at * 1_000_000))
    }

    fileprivate var text: String { "\(boot):\(at.nanoseconds / 1_000_000)" }
}

extension LaneRecord.Mark {
    fileprivate init?(_ parts: ArraySlice<String>) {
        let parts = Array(parts)
        guard parts.count == 5 || parts.dropFirst(5) == ["worse"], let sent = LaneRecord.Instant(parts[2..<4]),
            let deadline = Int(parts[4])
        else { return nil }
        self.init(
            id: parts[0], refresh: parts[1], sent: sent, deadline: .milliseconds(deadline), isWorse: parts.count > 5)
    }

    fileprivate var text: String {
        let (seconds, attoseconds) = deadline.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        return "\(id):\(refresh):\(sent.text):\(milliseconds)\(isWorse ? ":worse" : "")"
    }
}

extension LaneRecord.Pending {
    fileprivate var text: String { "\(login):\(token)" + (mark.map { ":\($0.text)" } ?? "") }
}
