public import Latchkey

extension LocalServer {
    /// A client's request. Its description shows only the method and the path.
    public struct Request: Sendable {
        /// The method, such as `GET` or `POST`.
        public let method: String
        /// The path as sent: `/token`.
        public let path: String
        /// The query as sent, without `?`; `nil` when absent.
        public let query: String?
        /// The header fields.
        public let fields: HeaderFields
        /// The body.
        public let body: [UInt8]
    }

    /// How the server reacts to a request.
    public enum Reply: Sendable {
        /// Sends this answer, with a `Content-Length` if it has none. With `Connection: close`
        /// among its fields, the server hangs up after it.
        case answer(TransportResponse)
        /// Sends the head of this answer and half of its body, then hangs up.
        case half(TransportResponse)
        /// Sends these bytes, whatever they are, then hangs up.
        case bytes([UInt8])
        /// Sends these pieces, whatever they are, with a pause before each further one, and keeps the connection.
        case pieces([[UInt8]], pause: Duration = .zero)
        /// Hangs up without sending a byte.
        case hangUp
        /// Sends nothing until the client goes away or the server is stopped.
        case silence
    }
}

extension LocalServer.Request: CustomStringConvertible, CustomReflectable {
    /// The method and the path.
    public var description: String { "\(method) \(path)" }

    /// Empty, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LocalServer.Request {
    /// Reads the head of a request and the length of the body that it announces.
    ///
    /// - Parameter head: Everything before the empty line.
    /// - Returns: `nil` if it is not a head, or if the length of the body is unknown.
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
    /// Returns the answer as it goes over the wire.
    func message(to method: String) -> (head: [UInt8], body: [UInt8]) {
        var head = "HTTP/1.1 \(status) -\r\n"
        for line in fields.lines { head += "\(line.name): \(line.value)\r\n" }
        let hasNone = status == 204 || status == 304 || (100...199).contains(status)
        if fields["Content-Length"] == nil, !hasNone { head += "Content-Length: \(body.count)\r\n" }
        return (Array((head + "\r\n").utf8), hasNone || method == "HEAD" ? [] : body)
    }
}
