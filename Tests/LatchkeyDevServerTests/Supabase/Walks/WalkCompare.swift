import LatchkeyHTTPServer
import LatchkeyJSON
import RecordedGoTrue

@testable import LatchkeyDevServer

extension Walk {
    /// Names of members whose values are the instance's own.
    private static let masked: Set = [
        "secret", "qr_code", "iss", "picture", "aud", "x", "y", "kid", "jwks_uri", "issuer", "error_id", "client_id",
        "redirect_uri", "challenge", "last_webauthn_challenge_data",
    ]
    /// Seconds since 1970, which may differ by the time between the server's clock and the recorder's.
    private static let times: Set = ["expires_at", "exp", "iat", "timestamp"]

    /// Compares an answer with the recorded one, and learns what stands for what.
    func compare(_ exchange: RecordedExchange, _ answer: Answer) {
        let before = differences.count
        func differ(_ what: String) { differences.append("\(exchange.topic)/\(exchange.name): \(what)") }
        if answer.status != exchange.status { differ("status \(answer.status), recorded \(exchange.status)") }
        compareFields(exchange, answer, differ)
        noteOptions(answer.json)
        let isJSON = exchange.answerField("Content-Type") == "application/json"
        if isJSON, let recorded = exchange.answer {
            compare(recorded, answer.json, "$", exchange, differ)
        } else if !isJSON, exchange.answerBody.isEmpty, !answer.response.body.isEmpty {
            differ("a body, recorded none")
        }
        if differences.count > before, answer.status != exchange.status { differ("it said \(answer.text.prefix(200))") }
    }

    private func compareFields(_ exchange: RecordedExchange, _ answer: Answer, _ differ: (String) -> Void) {
        func matters(_ name: String) -> Bool {
            let name = name.lowercased()
            return name.hasPrefix("sb-") || name.hasPrefix("x-")
                || ["location", "content-type", "cache-control"].contains(name)
        }
        let recorded = Set(exchange.answerFields.map { $0.name.lowercased() }.filter(matters))
        let given = Set(answer.response.fields.map { $0.name.lowercased() }.filter(matters))
        for name in recorded.symmetricDifference(given).sorted() {
            differ("field \(name) \(recorded.contains(name) ? "is missing" : "was not recorded")")
        }
        for name in recorded.intersection(given).sorted() {
            let (old, new) = (exchange.answerField(name) ?? "", answer.field(name) ?? "")
            if name == "location" {
                compareAddress(old, new, exchange, differ)
            } else {
                compare(text: old, new, name, exchange, differ)
            }
        }
    }

    private func compareAddress(_ old: String, _ new: String, _ exchange: RecordedExchange, _ differ: (String) -> Void)
    {
        func parts(_ url: String) -> (String, [String: String], [String: String]) {
            let halves = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let head = halves[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            func pairs(_ text: Substring?) -> [String: String] {
                let pairs = FormPairs.decode(Array((text ?? "").utf8)) ?? []
                return Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            }
            return (String(head[0]), pairs(head.dropFirst().first), pairs(halves.dropFirst().first))
        }
        let (left, right) = (parts(old), parts(new))
        noteVisit(new)
        let isProvider = left.0.hasSuffix("/authorize") || left.0.hasSuffix("/auth")
        if !isProvider, left.0 != right.0 { differ("it leads to \(right.0), recorded \(left.0)") }
        for (name, pairs) in [("query", (left.1, right.1)), ("fragment", (left.2, right.2))] {
            let (recorded, given) = (
                JSON.object(pairs.0.mapValues(JSON.string)), JSON.object(pairs.1.mapValues(JSON.string))
            )
            compare(recorded, given, "\(name) of the address", exchange, differ)
        }
    }

    private func compare(
        _ old: JSON, _ new: JSON, _ path: String, _ exchange: RecordedExchange, _ differ: (String) -> Void
    ) {
        let name = path.split(separator: ".").last.map(String.init) ?? path
        let isCredential = path.contains("options") || path.contains("publicKey")
        if isCredential, name == "id", !path.hasSuffix("rp.id") { return }
        if Self.masked.contains(name) { return note(old, new, name) }
        if Self.times.contains(name) {
            guard !path.contains("_data") && !path.contains("user_metadata") else { return }
            let (old, new) = (Self.number(old), Self.number(new))
            if abs(old - new) > 1 { differ("\(path) is \(new), recorded \(old)") }
            return
        }
        switch (old, new) {
        case (.object(let old), .object(let new)):
            for key in Set(old.keys).symmetricDifference(new.keys).sorted() {
                differ("\(path).\(key) \(old[key] != nil ? "is missing" : "was not recorded")")
            }
            for (key, value) in old.sorted(by: { $0.key < $1.key }) {
                if let other = new[key] { compare(value, other, "\(path).\(key)", exchange, differ) }
            }
        case (.array(let old), .array(let new)):
            guard old.count == new.count else {
                return differ("\(path) has \(new.count) elements, recorded \(old.count)")
            }
            func ordered(_ list: [JSON]) -> [JSON] {
                name == "amr" ? list.sorted { $0["method"]?.string ?? "" < $1["method"]?.string ?? "" } : list
            }
            for (index, pair) in zip(ordered(old), ordered(new)).enumerated() {
                compare(pair.0, pair.1, "\(path)[\(index)]", exchange, differ)
            }
        case (.string(let old), .string(let new)):
            if name == "url" || name == "uri" {
                compareAddress(old, new, exchange, differ)
            } else {
                compare(text: old, new, path, exchange, differ)
            }
        default: if old != new { differ("\(path) is another value or of another kind") }
        }
    }

    private static func number(_ value: JSON) -> Double { value.number ?? value.string.flatMap(Double.init) ?? 0 }

    private func note(_ old: JSON, _ new: JSON, _ name: String) {
        if name == "secret", let secret = new.string, old.string?.count == secret.count { secrets.append(secret) }
    }

    private func compare(
        text old: String, _ new: String, _ path: String, _ exchange: RecordedExchange, _ differ: (String) -> Void
    ) {
        if let claims = RecordedExchange.claims(old) {
            guard let given = RecordedExchange.claims(new) else { return differ("\(path) is no token") }
            own[old] = new
            if let session = claims["session_id"]?.string { accessTokens[session] = new }
            compare(claims, given, path, exchange, differ)
        } else if let read = SupabaseState.read(counterToken: old) {
            guard let given = SupabaseState.read(counterToken: new) else {
                return differ("\(path) is no refresh token")
            }
            if given.counter != read.counter { differ("\(path) counts \(given.counter), recorded \(read.counter)") }
            if let known = refreshTokens[read.session]?[read.counter], known != new {
                differ("\(path) is another one than before")
            }
            refreshTokens[read.session, default: [:]][read.counter] = new
            own[old] = new
        } else if UUIDText.isValid(old) {
            guard UUIDText.isValid(new) else { return differ("\(path) is no UUID") }
            if let known = own[old], known != new { differ("\(path) is another one than before") }
            own[old] = new
            visits[old] = visits[new]
        } else if old.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil {
            if new.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) == nil { differ("\(path) is no time") }
        } else if old != new {
            differ("\(path) is \"\(new.prefix(120))\", recorded \"\(old.prefix(120))\"")
        }
    }
}
