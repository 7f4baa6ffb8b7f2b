/// One complete request: the server passes it on only after the last byte of its body.
package struct ServerRequest: Sendable {
    /// The method as sent, mostly `GET` or `POST`. It is case-sensitive.
    package var method: String
    /// The path as sent, percent-encoded, without the query. Begins with a slash.
    package var path: String
    /// The decoded parameters of the query in order, duplicates included.
    package var queryPairs: [(name: String, value: String)]
    /// Path and query as in the request line.
    package var rawTarget: String
    /// The header fields in order, duplicates included.
    package var fields: [(name: String, value: String)]
    /// The body, or no bytes if there is none.
    package var body: [UInt8]
    /// The mark of its connection (``ServerAdmission/marked(_:)``); `nil` if that is served.
    package var mark: String?

    /// Creates a request with a target such as `/token?a=b`; `nil` if the target is not a path or its query does
    /// not decode.
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

    /// Returns the value of the first field called `name`, ignoring case.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Returns the number of fields called `name`, ignoring case.
    package func count(ofField name: String) -> Int {
        fields.count { $0.name.lowercased() == name.lowercased() }
    }

    /// Whether the request's host is a loopback name with `port`. If not, a web page may have pointed its own
    /// domain at 127.0.0.1 (DNS rebinding), and the request must be refused.
    package func isAddressedToLoopback(port: UInt16) -> Bool {
        guard count(ofField: "Host") == 1, let host = field("Host")?.lowercased() else { return false }
        return ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"].contains(host)
    }
}
