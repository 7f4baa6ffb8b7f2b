import Foundation
import Latchkey

/// An answer that a gateway gives in place of a service, with the bytes that it sends.
struct GatewayRow: Sendable {
    let id: String
    let status: Int
    /// What the answer says: `outage`, `blocked`, `busy`, `redirect`, `needs-network-sign-in`, `client-key`, `nothing`.
    let says: String
    let framing: String
    private let head: String
    private let lines: [(name: String, value: String)]
    private let body: [UInt8]
    private let raw: [UInt8]?

    /// Reads an entry of the table.
    init?(_ entry: [String: Any]) {
        func bytes(_ name: String) -> [UInt8]? {
            (entry[name] as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        }
        guard let id = entry["id"] as? String, let status = entry["status"] as? Int,
            let says = entry["says"] as? String, let framing = entry["framing"] as? String,
            let text = entry["body"] as? String
        else { return nil }
        (self.id, self.status, self.says, self.framing) = (id, status, says, framing)
        head = "\(entry["protocol"] as? String ?? "HTTP/1.1") \(status) \(entry["reason"] as? String ?? "")"
        lines = (entry["headers"] as? [[String]] ?? []).filter { $0.count == 2 }.map { (name: $0[0], value: $0[1]) }
        body = entry["body_encoding"] == nil ? Array(text.utf8) : bytes("body") ?? []
        raw = bytes("raw_base64")
    }

    /// Creates an answer in the project's own words.
    init(
        _ id: String, _ status: Int, says: String, _ body: String = "", _ fields: [(String, String)] = [],
        _ framing: String = "content-length"
    ) {
        (self.id, self.status, self.says, self.framing) = (id, status, says, framing)
        head = "HTTP/1.1 \(status) Words"
        let type = body.hasPrefix("{") ? "application/json" : "text/html"
        lines = fields.map { (name: $0.0, value: $0.1) } + (body.isEmpty ? [] : [("Content-Type", type)])
        self.body = Array(body.utf8)
        raw = nil
    }

    /// The seconds that the answer asks to wait; at most a day, as long as the engine waits.
    var wait: Int { min(86_400, asked) }
    private var asked: Int { lines.first { $0.name.lowercased() == "retry-after" }.flatMap { Int($0.value) } ?? 0 }
    /// Whether the answer comes whole, so that it can be read and told.
    var isWhole: Bool {
        ["content-length", "close", "chunked"].contains(framing)
            && !lines.contains { $0.name.lowercased() == "content-encoding" }
    }
    /// Whether it is a success without a page: RFC 7009 says that a client does not read its body.
    var isPlainSuccess: Bool {
        (200...299).contains(status) && !body.contains(UInt8(ascii: "<"))
            && !lines.contains { $0.name.lowercased() == "content-type" && $0.value.hasPrefix("text/html") }
    }

    /// The bytes to send before hanging up; none if nothing is answered.
    ///
    /// - Parameter date: The value of `Date`, so that the answer is of now.
    func bytes(at date: String) -> [UInt8] {
        if let raw { return raw }
        guard framing != "no-answer" else { return [] }
        let isChunked = framing.hasPrefix("chunked")
        let isCut = framing == "cut" || framing == "cut+hang"
        var text = head + "\r\n"
        for line in lines {
            switch line.name.lowercased() {
            case "date": text += "Date: \(date)\r\n"
            case "content-length" where isCut: text += "Content-Length: \(body.count + 500)\r\n"
            case "content-length", "transfer-encoding", "connection": break
            default: text += "\(line.name): \(line.value)\r\n"
            }
        }
        if isChunked { text += "Transfer-Encoding: chunked\r\n" }
        if framing == "content-length" { text += "Content-Length: \(body.count)\r\n" }
        if isCut, !text.contains("Content-Length") { text += "Content-Length: \(body.count + 500)\r\n" }
        text += "Connection: close\r\n\r\n"
        var content = body
        if isChunked {
            let end = framing == "chunked-cut" ? [] : Array("\r\n0\r\n\r\n".utf8)
            content = Array("\(String(body.count + (end.isEmpty ? 9 : 0), radix: 16))\r\n".utf8) + body + end
            if body.isEmpty { content = Array("0\r\n\r\n".utf8) }
        }
        return Array(text.utf8) + content
    }
}

extension GatewayRow {
    /// Each kind once, in the project's own words.
    static let own: [GatewayRow] = [
        GatewayRow("page-200", 200, says: "needs-network-sign-in", "<html><body>Welcome to our guests</body></html>"),
        GatewayRow("page-511", 511, says: "needs-network-sign-in", "<html>Sign in</html>"),
        GatewayRow(
            "proxy-407", 407, says: "needs-network-sign-in", "<html>Proxy</html>", [("Proxy-Authenticate", "Basic")]),
        GatewayRow(
            "portal-302", 302, says: "needs-network-sign-in", "", [("Location", "https://portal.example.test/?x=1")]),
        GatewayRow("moved-308", 308, says: "redirect", "", [("Location", "/token/")]),
        GatewayRow("page-400", 400, says: "nothing", "<html>Bad Request</html>"),
        GatewayRow("empty-400", 400, says: "nothing"),
        GatewayRow("json-400", 400, says: "client-key", #"{"error":"The key has expired"}"#),
        GatewayRow(
            "page-401", 401, says: "blocked", "<html>Staff only</html>", [("WWW-Authenticate", "Basic realm=x")]),
        GatewayRow("json-401", 401, says: "client-key", #"{"message":"No API key"}"#),
        GatewayRow("page-403", 403, says: "blocked", "<html>Forbidden</html>"),
        GatewayRow("json-403", 403, says: "blocked", #"{"error":"forbidden"}"#),
        GatewayRow("quota-403", 403, says: "busy", #"{"message":"Out of quota"}"#),
        GatewayRow("robot-200", 200, says: "blocked", "<html>captcha</html>"),
        GatewayRow("robot-503", 503, says: "blocked", "<html>Just a moment...</html>"),
        GatewayRow("page-404", 404, says: "nothing", "<html>Not Found</html>"),
        GatewayRow("page-405", 405, says: "nothing", "<html>Not Allowed</html>"),
        GatewayRow("page-413", 413, says: "nothing", "<html>Too large</html>"),
        GatewayRow("page-431", 431, says: "nothing", "<html>Header too large</html>"),
        GatewayRow("page-429", 429, says: "busy", "<html>Slow down</html>", [("Retry-After", "7")]),
        GatewayRow("page-502", 502, says: "outage", "<html>Bad Gateway</html>"),
        GatewayRow("text-503", 503, says: "outage", "no healthy upstream", [("Retry-After", "5")]),
        GatewayRow("json-504", 504, says: "outage", #"{"message":"timed out"}"#),
        GatewayRow("json-200", 200, says: "outage", #"{"status":"maintenance"}"#),
        GatewayRow("nothing-200", 200, says: "nothing"),
        GatewayRow("cut-200", 200, says: "outage", #"{"access_token":"a","token_typ"#, [], "cut"),
        GatewayRow("cut-chunked", 200, says: "outage", #"{"access_token":"a","token_typ"#, [], "chunked-cut"),
        GatewayRow("half-200", 200, says: "outage", #"{"access_token":"a","token_typ"#, [], "chunked"),
        GatewayRow("dropped", 0, says: "blocked", "", [], "no-answer"),
    ]

    /// The rows of the file that the environment names, or else the project's own.
    static func all(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> [GatewayRow] {
        guard let file = environment["LATCHKEY_GATEWAYS"], !file.isEmpty else { return own }
        // The bodies hold characters that the package's own reader refuses.
        let table = try JSONSerialization.jsonObject(with: try Data(contentsOf: URL(filePath: file)))
        return (table as? [[String: Any]] ?? []).compactMap { GatewayRow($0) }
    }
}
