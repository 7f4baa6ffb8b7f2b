import Latchkey
import LatchkeySystem

/// Those who reach a page on this machine, and may not answer.
extension PresenterContract.Scene {
    @Sendable func strangers() async throws {
        let stage = try await made()
        try await with(stage) {
            let asked = asking(first, of: stage)
            guard let visit = try await stage.visit(wrong, on: first) else { return asked.task.cancel() }
            try await asked.unmoved("a stranger") {
                for (name, request) in Self.attempts(visit) {
                    // A GET gets the page, which takes nothing.
                    let isTaken = await PresenterStage.isTaken(request) && visit.reply.method == request.method
                    try expect(!isTaken && !asked.isOver.withLock { $0 }, "\(name): it was taken")
                }
                let half = LocalClient.message(visit.reply)
                for count in [half.count - 1, half.count - (visit.reply.body?.count ?? 0)] {
                    let line = try await LocalClient.Line(to: visit.page)
                    await line.write(Array(half.prefix(count)))
                    line.close()
                    // By now the presenter has seen that the stranger left.
                    _ = try? await LocalClient.send(TransportRequest("GET", visit.page))
                    try expect(!asked.isOver.withLock { $0 }, "a request that was cut: it was taken")
                }
            }
            try await asked.expect(.answers(answer), "the answer of a stranger came back")
        }
    }

    private static func attempts(_ visit: PresenterStage.Visit) -> [(String, TransportRequest)] {
        var attempts: [(String, TransportRequest)] = []
        for (number, proof) in visit.proofs.enumerated() {
            let name = "proof \(number + 1)"
            let last = String(proof.dropLast()) + (proof.last == "a" ? "b" : "a")
            let first = (proof.first == "a" ? "b" : "a") + String(proof.dropFirst())
            let others: [(String, String)] = [
                ("none", ""), ("half", String(proof.prefix(proof.count / 2))), ("one letter", String(proof.prefix(1))),
                ("more than it", proof + "a"), ("another last letter", last), ("another first letter", first),
                ("in capitals", proof.uppercased()), ("null", "null"),
            ]
            for (what, other) in others where other != proof {
                attempts.append(("\(name), \(what)", visit.replacing([(proof, with: other)])))
            }
        }
        let port = WebAddress(visit.page)?.port ?? 80
        for host in ["evil.example", "evil.example:\(port)", "127.0.0.1.evil.example:\(port)"] {
            attempts.append(("the host \(host)", visit.with(["Host": host])))
        }
        guard visit.reply.method != "GET" else { return attempts }
        for origin in [
            "https://evil.example", "null", "http://127.0.0.1.evil.example:\(port)",
            "http://127.0.0.1:\(port).evil.example",
            "http://127.0.0.1:1", "http://evil.example/http://127.0.0.1:\(port)",
        ] {
            attempts.append(("the origin \(origin)", visit.with(["Origin": origin])))
        }
        var byAddress = visit.reply
        byAddress.method = "GET"
        attempts.append(("by GET", byAddress))
        let body = String(decoding: visit.reply.body ?? [], as: UTF8.self)
        byAddress.body = nil
        byAddress.url += (byAddress.url.contains("?") ? "&" : "?") + body
        attempts.append(("by GET, in the address", byAddress))
        byAddress.method = "POST"
        attempts.append(("by POST, in the address", byAddress))
        return attempts
    }

    @Sendable func silentVisitors() async throws {
        let stage = try await made()
        try await with(stage) {
            let asked = asking(first, of: stage)
            guard let visit = try await stage.visit(.answers(answer), on: first) else { return asked.task.cancel() }
            var lines: [LocalClient.Line] = []
            for beginning in ["", "", "GET / HT", "POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\nx", ""] {
                let line = try await LocalClient.Line(to: visit.page)
                await line.write(Array(beginning.utf8))
                lines.append(line)
            }
            try await asked.expect(.answers(answer), "another answer came back")
            for line in lines { line.close() }
        }
    }

    @Sendable func otherMachines() async throws {
        let stage = try await made()
        try await with(stage) {
            let asked = asking(first, of: stage)
            defer { asked.task.cancel() }
            guard let page = try await stage.visit(.answers(answer), on: first)?.page else { return }
            // Linux has all of 127.0.0.0/8, of which a page has one address. Elsewhere, nothing is there.
            if let line = try? await LocalClient.Line(to: page, isOther: true) {
                line.close()
                throw Broken("it listens at every address of this machine")
            }
        }
    }

    @Sendable func markup() async throws {
        guard let marked = ask.markedUp else { return }
        let stage = try await made()
        try await with(stage) {
            let asked = asking(PresenterContract.challenge(marked, id: first.id), of: stage)
            defer { asked.task.cancel() }
            guard let page = try await stage.visit(.declines, on: asked.challenge)?.page else { return }
            let shown = String(decoding: try await LocalClient.send(TransportRequest("GET", page)).body, as: UTF8.self)
            try expect(!shown.contains("<contract"), "markup of a service is part of the page")
            try expect(!shown.contains("\"contract"), "a quotation mark of a service is part of the page")
        }
    }
}

extension Ask {
    /// The same question, with markup in what the service says; `nil` if it says nothing.
    fileprivate var markedUp: Ask? {
        let text = "<contract a=\"contract'>&"
        return switch self {
        case .code(let channel, _): .code(over: channel, sentTo: text)
        case .openedLink: .openedLink(sentTo: text)
        case .choose(let options): .choose(options.map { .init(id: $0.id + text, label: text) })
        case .newPassword: .newPassword(rules: [text])
        case .fields(let fields):
            .fields(fields.map { .init(name: $0.name, secret: $0.secret, rules: $0.rules.map { _ in [text] }) })
        default: nil
        }
    }
}

extension PresenterStage.Visit {
    fileprivate func with(_ fields: HeaderFields) -> TransportRequest {
        var request = reply
        for (name, value) in fields.lines { request.fields[name] = value }
        return request
    }
}
