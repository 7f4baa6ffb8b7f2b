import Latchkey

/// A request that was checked: what libcurl is told of it cannot hold another line, request or scheme.
struct CurlRequestHead: Sendable {
    let method: String
    let url: String
    let origin: String
    let isTLS: Bool
    /// Whether the host is this machine, to which no proxy leads.
    let isLocal: Bool
    /// Header lines in libcurl's spelling, where `Name;` is a field without a value and `Name:` takes one away.
    let lines: [String]

    /// - Throws: ``TransportError`` `invalidRequest`.
    init(_ request: HTTPRequest) throws(TransportError) {
        guard let address = WebAddress(request.url), address.scheme == "https" || address.scheme == "http",
            request.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), Self.isToken(request.method),
            !["CONNECT", "TRACE"].contains(request.method),
            request.method != "HEAD" || request.body == nil
        else { throw Self.refusal }
        method = request.method
        url = request.url
        origin = address.origin
        isTLS = address.scheme == "https"
        isLocal = address.isLoopback || address.host.hasPrefix("127.") || address.host.hasSuffix(".localhost")
        isRepeatable = request.mayBeRepeated && ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].contains(method)
        lines = try Self.lines(request)
    }

    /// Whether sending it twice does no more than sending it once (RFC 9110, section 9.2.2).
    let isRepeatable: Bool

    /// Whether it has a body, and says `Content-Length: 0` when that is empty (RFC 9110, section 8.6).
    var expectsBody: Bool { ["POST", "PUT", "PATCH"].contains(method) }

    private static let refusal = TransportError(.invalidRequest, wasSent: false)

    private static func lines(_ request: HTTPRequest) throws(TransportError) -> [String] {
        // libcurl would wait for `100 Continue` with large bodies, and name a type of its own for any.
        var lines = ["Expect:"]
        if request.fields["Content-Type"] == nil { lines.append("Content-Type:") }
        for (name, value) in request.fields.lines {
            guard isToken(name), value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
                throw refusal
            }
            switch name.lowercased() {
            case "content-length":
                // libcurl counts by itself, and two counts could disagree.
                guard value == String(request.body?.count ?? 0) else { throw refusal }
            case "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect": throw refusal
            default: lines.append(value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)")
            }
        }
        return lines
    }

    /// A token of RFC 9110, section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
