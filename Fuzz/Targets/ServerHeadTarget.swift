@testable import LatchkeyHTTPServer
@testable import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension FuzzTarget {
    /// What a client sends to the server of the pages and the listener, over a real socket. A handler gets only what the
    /// grammar of RFC 9112 allows, and the same as a second reader over the bytes; each request has one answer.
    static let serverHead = FuzzTarget(name: "server-head", longest: 1_024) { bytes throws(Disagreement) in
        guard let server = HeadServer.shared else { throw Disagreement("the server does not start") }
        // Without a request, and behind a NUL at its beginning, the daemon waits for more, until the limits end that.
        guard let first = bytes.first(where: { $0 != 0x0D && $0 != 0x0A }), first != 0 else { return }
        // So that a head ends, and the server need not wait for more.
        let bytes = bytes + Array("\r\n\r\n\r\n\r\n".utf8)
        guard !RequestGrammar.hasHiddenEnd(bytes) else { return }
        if RequestGrammar.hasBody(bytes) {
            // Where its body ends, this grammar does not say: it may be waited for.
            guard let answer = server.exchange(bytes, ends: true).answer else { return }
            return try demand(statusLines(of: answer) <= 1, "one request with a body had two answers")
        }
        let expected = RequestGrammar.read(bytes)
        let (answer, seen) = server.exchange(bytes)
        // What is no request may be waited for: the limits end that. A request has its answer.
        try demand(answer != nil || expected == nil && seen.isEmpty, "the server does not end the connection")
        guard let answer else { return }
        try demand(seen.count <= 1, "one connection that is closed after its answer had two requests")
        if let request = seen.first {
            guard let expected else { throw Disagreement("a handler got what is no request by the grammar") }
            try demand(request.method == expected.method, "a handler got another method")
            try demand(request.rawTarget == expected.target, "a handler got another target")
            try demand(
                request.fields.map { "\($0.name): \($0.value)" } == expected.fields.map { "\($0.name): \($0.value)" },
                "a handler got other fields")
        }
        if let expected, expected.isPlain { try demand(seen.count == 1, "a plain request was refused") }
        try demand(statusLines(of: answer) <= 1, "one request had two answers")
        try demand(seen.isEmpty || statusLines(of: answer) == 1, "a request had no answer")
    }
}

/// How many final answers there are.
private func statusLines(of answer: String) -> Int {
    answer.split(separator: "\r\n", omittingEmptySubsequences: false)
        .count { $0.hasPrefix("HTTP/1.1 ") && !$0.hasPrefix("HTTP/1.1 100 ") }
}

/// A server that notes what its handler gets, and closes each connection after one answer.
private final class HeadServer: Sendable {
    static let shared = try? HeadServer()

    private let server: HTTPServer
    private let seen: Locked<[ServerRequest]>

    init() throws {
        let seen = Locked<[ServerRequest]>([])
        self.seen = seen
        server = try HTTPServer { request in
            seen.withLock { $0.append(request) }
            var response = ServerResponse.text("ok\n")
            response.set("Connection", "close")
            return response
        }
    }

    /// Sends `bytes` on a connection of their own; the answer, or `nil` if the server keeps the connection open, and what
    /// the handler got.
    ///
    /// - Parameter ends: Whether nothing more can come, so that nothing is waited for.
    func exchange(_ bytes: [UInt8], ends: Bool = false) -> (answer: String?, seen: [ServerRequest]) {
        seen.withLock { $0 = [] }
        guard let socket = connected() else { return (nil, []) }
        defer { close(socket) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Self.quietly) }
            guard count > 0 else { break }
            sent += count
        }
        if ends { shutdown(socket, Int32(SHUT_WR)) }
        var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 { answer += buffer[..<count] }
            if count == 0 || count < 0 && errno == ECONNRESET { break }
            if count < 0 && errno != EINTR { return (nil, seen.withLock { $0 }) }
        }
        return (String(decoding: answer, as: UTF8.self), seen.withLock { $0 })
    }

    private func connected() -> Int32? {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return nil }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    #if canImport(Darwin)
        private static let quietly: Int32 = 0
    #else
        private static let quietly = Int32(MSG_NOSIGNAL)
    #endif
}
