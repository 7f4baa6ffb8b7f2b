import Latchkey

/// A request as it goes over the wire.
struct RaftMessage {
    let host: String
    let port: UInt16
    let bytes: [UInt8]

    init(_ request: TransportRequest) throws(TransportError) {
        let lines = request.fields.lines
        guard let address = WebAddress(request.url), address.scheme == "http", let port = address.port,
            Self.isToken(request.method), lines.allSatisfy({ Self.isToken($0.name) && Self.isValue($0.value) })
        else { throw TransportError(.invalidRequest, wasSent: false) }
        (host, self.port) = (address.host, port)
        let path = address.path.isEmpty ? "/" : address.path
        var head = "\(request.method) \(path)\(address.query.map { "?\($0)" } ?? "") HTTP/1.1\r\n"
        head += "Host: \(address.origin.dropFirst("http://".count))\r\nConnection: close\r\n"
        if request.fields["User-Agent"] == nil { head += "User-Agent: raft/1.0 \(UserAgent.latchkey)\r\n" }
        for line in lines { head += "\(line.name): \(line.value)\r\n" }
        if let body = request.body { head += "Content-Length: \(body.count)\r\n" }
        bytes = Array((head + "\r\n").utf8) + (request.body ?? [])
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
    }

    private static func isValue(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 } }
}

/// The head of an answer.
struct RaftHead {
    let status: Int
    private(set) var fields = HeaderFields()

    var isChunked: Bool { fields["Transfer-Encoding"]?.lowercased() == "chunked" }
    var length: Int? { fields["Content-Length"].flatMap { Int($0) } }

    init(_ bytes: [UInt8]) throws(TransportError) {
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)[...]
        let words = (lines.popFirst() ?? "").split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw TransportError(.interrupted, wasSent: true)
        }
        self.status = status
        var found: [(name: String, value: String)] = []
        for line in lines {
            if line.first == " " || line.first == "\t", let last = found.indices.last {
                found[last].value += " " + Self.trimmed(line[...])
                continue
            }
            guard let colon = line.firstIndex(of: ":") else { continue }
            found.append((String(line[..<colon]), Self.trimmed(line[line.index(after: colon)...])))
        }
        fields = HeaderFields(found)
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (letter: Character) in letter == " " || letter == "\t" }
        return String(text.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
