import Latchkey

/// A checked request: nothing in it can smuggle another line, request or scheme into libcurl.
final class CurlRequestHead: Sendable {
    /// How often, and on which connections, libcurl may write the request.
    enum Writing {
        /// On a kept connection, and again by libcurl itself if that connection turns out to be dead.
        case twice
        /// On a kept connection; libcurl may not write it again.
        case once
        /// On a new connection of its own.
        case alone
    }

    let method: String
    let target: CurlTarget
    let writing: Writing
    /// The header lines in libcurl's spelling: `Name;` is a field without a value, and `Name:` removes a field.
    let lines: [String]
    /// Whether a compressed answer is decompressed. A request that names codings of its own, or wants a part of the
    /// bytes, gets them as they are.
    let isDecoded: Bool

    /// - Throws: ``/Latchkey/TransportError`` `invalidRequest`.
    init(_ request: TransportRequest, _ targets: CurlTargets) throws(TransportError) {
        switch request.method {
        case "GET", "POST", "PUT", "DELETE", "OPTIONS": break
        case "HEAD": if request.body != nil { throw Self.refusal }
        case "CONNECT", "TRACE": throw Self.refusal
        default: guard Self.isToken(request.method) else { throw Self.refusal }
        }
        guard let target = targets.target(request.url) else { throw Self.refusal }
        self.target = target
        method = request.method
        writing = Self.writing(request)
        isDecoded =
            request.method != "HEAD" && request.fields[Self.acceptEncoding] == nil && request.fields["Range"] == nil
        let hasBody = request.body != nil || Self.expectsBody(request.method)
        let ownLines = hasBody || !request.fields.lines.isEmpty ? try Self.lines(request, hasBody: hasBody) : []
        // Without this, libcurl would ask for compression.
        lines =
            isDecoded || request.fields[Self.acceptEncoding] != nil ? ownLines : ownLines + ["\(Self.acceptEncoding):"]
    }

    /// Whether the request has a body, so that an empty one is announced by `Content-Length: 0` (RFC 9110,
    /// section 8.6).
    var expectsBody: Bool { Self.expectsBody(method) }

    private static func expectsBody(_ method: String) -> Bool { ["POST", "PUT", "PATCH"].contains(method) }

    /// A request without content is mostly a rare command. It gets a new connection: a dead one would make it fail,
    /// which is worse than a handshake.
    private static func writing(_ request: TransportRequest) -> Writing {
        if request.mayBeWrittenTwice { return .twice }
        guard request.writing == .once, let body = request.body, !body.isEmpty else { return .alone }
        return .once
    }

    private static let acceptEncoding = "Accept-Encoding"
    private static let refusal = TransportError(.invalidRequest, wasSent: false)

    /// Keeps libcurl from waiting for `100 Continue` with large bodies, and from adding a content type of its own.
    private static let bodyLines = ["Expect:", "Content-Type:"]

    private static func lines(_ request: TransportRequest, hasBody: Bool) throws(TransportError) -> [String] {
        var lines = hasBody ? bodyLines : []
        if hasBody, request.fields["Content-Type"] != nil { lines.removeLast() }
        for (name, value) in request.fields.lines {
            guard isToken(name), value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
                throw refusal
            }
            switch name.lowercased() {
            case "content-length":
                // libcurl counts by itself, and two lengths could disagree.
                guard value == String(request.body?.count ?? 0) else { throw refusal }
            case "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect": throw refusal
            default: lines.append(value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)")
            }
        }
        return lines
    }

    /// Whether `text` is a token of RFC 9110, section 5.6.2.
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
