import Latchkey

/// What the contract's own server does with a request for `/fault/KIND/…`: it answers in an unusual but valid way, or
/// breaks off.
enum TransportFaults: String {
    /// Breaks off.
    case hangUp, cutHead, half, cutChunk, noHTTP
    /// Whole answers, after which the connection stays open, but for ``untilClose`` and ``dies``.
    case chunked, untilClose, slices, interim, folded, noContent, unchanged, dies
    /// Answers that do not end.
    case silence, drip, dripHead, endlessChunks, endlessBody
    /// Compressed, if the request asks for that.
    case gzip, halfGzip, bomb
    /// Answers that a browser would remember, or react to.
    case cookie, kept, signIn, moved, busy

    static let body = Array("what the answer says, whole".utf8)
    static let cookieName = "latchkey-contract"

    /// The fault that a request's path asks for, `nil` for another path.
    init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count > 1, parts[0] == "fault" else { return nil }
        self.init(rawValue: String(parts[1]))
    }

    /// Returns what the server does.
    ///
    /// - Parameter cap: The most bytes that the transport takes.
    func reply(to request: LocalServer.Request, cap: Int) -> LocalServer.Reply {
        let takesGzip = request.fields["Accept-Encoding"]?.lowercased().contains("gzip") == true
        switch self {
        case .hangUp: return .hangUp
        case .cutHead: return .bytes(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8))
        case .half: return .half(TransportResponse(status: 200, body: Self.body))
        case .cutChunk: return .bytes(Self.head(["Transfer-Encoding: chunked"]) + Array("5\r\nwhat \r\n".utf8))
        case .noHTTP: return .bytes(Array("SSH-2.0-OpenSSH_9.6\r\n".utf8))
        case .chunked: return .pieces([Self.head(["Transfer-Encoding: chunked"]) + Self.chunks])
        case .untilClose: return .bytes(Self.head(["Connection: close"]) + Self.body)
        case .slices: return .pieces(Self.slices(Self.whole), pause: .milliseconds(1))
        case .interim:
            return .pieces([
                Self.head(["X-Early: yes"], status: 103), Self.head(["X-Early: yes"], status: 102),
                // In small letters, as proxies write them.
                Self.head(["content-length:\(Self.body.count)"]) + Self.body,
            ])
        case .folded:
            return .pieces([
                Self.head([
                    "X-Folded: one", "  two", "\tthree", "X-Empty:", "X-Spaced: \t a b \t", "x-lower:c",
                    "Content-Length: 0",
                ])
            ])
        case .noContent: return .pieces([Self.head(["X-Whole: yes"], status: 204)])
        case .unchanged: return .pieces([Self.head(["Content-Length: 500"], status: 304)])
        case .dies: return .bytes(Self.whole)
        case .silence: return .silence
        case .drip:
            return .pieces(
                [Self.head(["Content-Length: 4000"])] + Array(repeating: [0x61], count: 4_000),
                pause: .milliseconds(20))
        case .dripHead:
            return .pieces(
                [Array("HTTP/1.1 200 OK\r\nX-Slow: ".utf8)] + Array(repeating: [0x61], count: 4_000),
                pause: .milliseconds(20))
        case .endlessChunks:
            let size = String(cap + 1, radix: 16)
            return .pieces([
                Self.head(["Transfer-Encoding: chunked"]) + Array("\(size)\r\n".utf8)
                    + [UInt8](repeating: 0x61, count: cap + 1) + Array("\r\n".utf8)
            ])
        case .endlessBody:
            return .pieces([Self.head(["Connection: close"]) + [UInt8](repeating: 0x61, count: cap + 1)])
        case .gzip: return .answer(Self.compressed(takesGzip, repeats: 3_000))
        case .halfGzip:
            var answer = Self.compressed(takesGzip, repeats: 3_000)
            guard takesGzip else { return .half(answer) }
            answer.body.removeLast(answer.body.count / 2)
            return .answer(answer)
        case .bomb: return .answer(Self.compressed(takesGzip, repeats: cap + 1))
        case .cookie:
            return .answer(TransportResponse(status: 200, fields: ["Set-Cookie": "\(Self.cookieName)=1; Path=/"]))
        case .kept:
            return .answer(
                TransportResponse(
                    status: 200, fields: ["Cache-Control": "max-age=3600", "ETag": "\"1\""], body: Self.body))
        case .signIn:
            return .answer(
                TransportResponse(status: 401, fields: ["WWW-Authenticate": "Basic realm=\"contract\""]))
        case .moved:
            let status = Int(request.path.split(separator: "/").last ?? "") ?? 302
            return .answer(TransportResponse(status: status, fields: ["Location": "/fault/kept/followed"]))
        case .busy:
            let status = Int(request.path.split(separator: "/").last ?? "") ?? 503
            return .answer(TransportResponse(status: status, fields: ["Retry-After": "0"]))
        }
    }

    /// A whole answer with a length.
    private static var whole: [UInt8] { head(["Content-Length: \(body.count)"]) + body }

    /// The body in two chunks, one of which has an extension, and a trailer.
    private static var chunks: [UInt8] {
        Array("A;note=1\r\n".utf8) + body[..<10] + Array("\r\n\(String(body.count - 10, radix: 16))\r\n".utf8)
            + body[10...]
            + Array("\r\n0\r\nX-Trailer: yes\r\n\r\n".utf8)
    }

    private static func head(_ lines: [String], status: Int = 200) -> [UInt8] {
        Array((["HTTP/1.1 \(status) -"] + lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    private static func slices(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: 3).map { Array(bytes[$0..<min($0 + 3, bytes.count)]) }
    }

    private static func compressed(_ takesGzip: Bool, repeats count: Int) -> TransportResponse {
        guard takesGzip else { return TransportResponse(status: 200, body: [UInt8](repeating: 0x61, count: count)) }
        return TransportResponse(
            status: 200, fields: ["Content-Encoding": "gzip"], body: RepeatedGzip.bytes(of: 0x61, count: count))
    }
}
