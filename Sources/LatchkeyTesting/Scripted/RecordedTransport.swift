public import Latchkey
import LatchkeyJSON
import LatchkeySystem

/// A transport that answers with exchanges recorded from a real service.
///
/// A recording is JSON: `{"exchanges": [{"name", "request": {"method", "url", "form" | "json" | "body"},
/// "response": {"status", "headers": [[name, value]], "body"}}]}`; other members are ignored. A
/// request gets the first unused exchange with its method, address and named members. For a GET,
/// the last one is used again.
public final class RecordedTransport: HTTPTransport {
    private struct State {
        var unused: [RecordedExchange]
        var lastGets: [RecordedExchange] = []
        var requests: [TransportRequest] = []
        var unknown: [String] = []
    }

    private let members: [String]
    private let state: Locked<State>

    /// Reads a recording.
    ///
    /// - Parameters:
    ///   - recording: The recording, as JSON.
    ///   - members: The form or JSON members of a request that must match the recording, for example
    ///     `grant_type`. They are not compared with a recorded request that has none of them.
    ///   - exchanges: The names of the exchanges to answer with; empty means all.
    /// - Throws: `JSONError`, naming the place where the recording is invalid.
    public init(_ recording: [UInt8], matching members: [String] = [], exchanges: [String] = []) throws {
        let limits = JSONLimits(bytes: 64 << 20)
        let document = JSONField(try JSON.parse(recording, limits: limits))
        let all = try document["exchanges"].array().map { try RecordedExchange($0) }
        self.members = members
        state = Locked(State(unused: all.filter { exchanges.isEmpty || exchanges.contains($0.name) }))
    }

    /// The requests, in order.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// The names of the unused exchanges.
    public var unused: [String] { state.withLock { $0.unused.map(\.name) } }

    /// Throws ``ContractViolation`` if there was a request that is not in the recording.
    public func verifyKnown() throws {
        guard let first = state.withLock({ $0.unknown.first }) else { return }
        throw ContractViolation(
            contract: "RecordedTransport", clause: "only what was recorded is sent", detail: "\(first) was sent")
    }

    /// Answers as recorded. A request that is not in the recording throws
    /// ``/Latchkey/TransportError`` `unreachable` (not sent).
    public func send(_ request: TransportRequest, deadline: Duration) throws -> TransportResponse {
        try Task.checkCancellation()
        let found = state.withLock { state -> RecordedExchange? in
            if state.requests.count < 10_000 { state.requests.append(request) }
            let matches = { (exchange: RecordedExchange) in exchange.matches(request, members: self.members) }
            if let index = state.unused.firstIndex(where: matches) {
                let exchange = state.unused.remove(at: index)
                if exchange.method == "GET" { state.lastGets.append(exchange) }
                return exchange
            }
            if let last = state.lastGets.last(where: matches) { return last }
            state.unknown.append("\(request.method) \(request.url.prefix { $0 != "?" })")
            return nil
        }
        guard let found else { throw TransportError(.unreachable, wasSent: false) }
        return found.response
    }
}

/// One exchange of a recording.
struct RecordedExchange: Sendable {
    var name: String
    var method: String
    var url: String
    var sent: [String: JSON]
    var response: TransportResponse

    init(_ exchange: JSONField) throws {
        let (request, response) = (exchange["request"], exchange["response"])
        name = exchange["name"].value?.string ?? ""
        method = try request["method"].string()
        url = try request["url"].string()
        sent = try request["form"].optional?.object() ?? request["json"].value?.object ?? [:]
        let fields = try response["headers"].optional?.array().map { line in
            let pair = try line.array()
            guard pair.count == 2 else { throw JSONError(.wrongType, at: line.path) }
            return (name: try pair[0].string(), value: try pair[1].string())
        }
        let body = try response["body"].optional?.string() ?? ""
        self.response = TransportResponse(
            status: Int(try response["status"].integer()), fields: HeaderFields(fields ?? []), body: Array(body.utf8))
    }

    func matches(_ request: TransportRequest, members: [String]) -> Bool {
        guard request.method == method, request.url == url else { return false }
        let asked = Self.members(of: request.body ?? [])
        return members.allSatisfy { name in sent[name] == nil || sent[name] == asked[name] }
    }

    /// Returns the members of a JSON object or of a form.
    private static func members(of body: [UInt8]) -> [String: JSON] {
        if let members = (try? JSON.parse(body))?.object { return members }
        var members: [String: JSON] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            members[decoded(parts[0])] = .string(parts.count > 1 ? decoded(parts[1]) : "")
        }
        return members
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
