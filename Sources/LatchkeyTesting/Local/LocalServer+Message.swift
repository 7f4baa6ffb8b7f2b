public import Latchkey

extension LocalServer {
    /// What a client sent. Prints its method and path only.
    public struct Request: Sendable {
        /// `GET`, `POST` …
        public let method: String
        /// As sent: `/token`.
        public let path: String
        /// As sent, without `?`; `nil` when absent.
        public let query: String?
        /// The header fields.
        public let fields: HeaderFields
        /// The content.
        public let body: [UInt8]
    }

    /// What becomes of a request.
    public enum Reply: Sendable {
        /// This answer, with a `Content-Length` if it has none. `Connection: close` among its fields hangs up after it.
        case answer(TransportResponse)
        /// The head of this answer and half of its content, and then the server hangs up.
        case half(TransportResponse)
        /// These bytes, whatever they are, and then the server hangs up.
        case bytes([UInt8])
        /// No byte.
        case hangUp
        /// Nothing, until the client goes away or the server is stopped.
        case silence
    }
}

extension LocalServer.Request: CustomStringConvertible, CustomReflectable {
    /// Method and path.
    public var description: String { "\(method) \(path)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LocalServer.Request {
    /// The head of a request, and how much content it announces.
    ///
    /// - Parameter head: All that stands before the empty line.
    /// - Returns: `nil` for what is no head, and for content of an unknown length.
    static func head(_ head: ArraySlice<UInt8>) -> (method: String, target: String, fields: HeaderFields, length: Int)?
    {
        var lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)[...]
        let words = lines.popFirst()?.split(separator: " ", omittingEmptySubsequences: false).map(String.init) ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else { return nil }
        var fields = HeaderFields()
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = line[line.utf8.index(after: colon)...]
            fields.add(
                String(line[..<colon]), String(value.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()))
        }
        guard fields["Transfer-Encoding"] == nil, let length = Int(fields["Content-Length"] ?? "0"), length >= 0 else {
            return nil
        }
        return (words[0], words[1], fields, length)
    }

    init(method: String, target: String, fields: HeaderFields, body: [UInt8]) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        self.init(
            method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil, fields: fields, body: body)
    }
}

extension TransportResponse {
    /// As it goes over the wire.
    func message(to method: String) -> (head: [UInt8], body: [UInt8]) {
        var head = "HTTP/1.1 \(status) -\r\n"
        for line in fields.lines { head += "\(line.name): \(line.value)\r\n" }
        let hasNone = status == 204 || status == 304 || (100...199).contains(status)
        if fields["Content-Length"] == nil, !hasNone { head += "Content-Length: \(body.count)\r\n" }
        return (Array((head + "\r\n").utf8), hasNone || method == "HEAD" ? [] : body)
    }
}
