/// One request, whole: the server hands it over only after the last byte of its body arrived.
package struct ServerRequest: Sendable {
    /// The method as sent, `GET` or `POST` mostly; names are case-sensitive.
    package var method: String
    /// The path as sent, percent-encoded, without the query. Begins with a slash.
    package var path: String
    /// The parameters of the query in order, decoded; duplicates are kept.
    package var queryPairs: [(name: String, value: String)]
    /// Path and query as they stood in the request line.
    package var rawTarget: String
    /// The header fields in order; duplicates are kept.
    package var fields: [(name: String, value: String)]
    /// The body, empty when there is none.
    package var body: [UInt8]

    /// A request with a target such as `/token?a=b`; `nil` when the target is no path, or its query does not decode.
    package init?(
        _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let pairs = FormPairs.decode(parts.count > 1 ? Array(parts[1].utf8) : []) else { return nil }
        self.method = method
        self.path = String(parts[0])
        self.queryPairs = pairs
        self.rawTarget = target
        self.fields = fields
        self.body = body
    }

    /// The value of the first field called `name`, whatever its case.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// How many fields are called `name`, whatever their case.
    package func count(ofField name: String) -> Int {
        fields.count { $0.name.lowercased() == name.lowercased() }
    }

    /// Whether the request names this machine by a loopback name and `port`, so that a web page which points its own
    /// domain at 127.0.0.1 (DNS rebinding) is refused.
    package func isAddressedToLoopback(port: UInt16) -> Bool {
        guard count(ofField: "Host") == 1, let host = field("Host")?.lowercased() else { return false }
        return ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"].contains(host)
    }
}
