import LatchkeySystem
import LatchkeyTesting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server that does to each request exactly what it is told, however wrong, and remembers all it was sent.
final class RawServer: Sendable {
    /// What becomes of one request.
    enum Reply: Sendable {
        case bytes(String)
        case raw([UInt8])
        case bytesAndClose(String)
        case close
        /// Says nothing until the client goes away.
        case hang
        /// So many bytes of body, for as long as the client takes them.
        case flood(Int)
    }

    struct Seen: Sendable {
        var requests: [String] = []
        var connections = 0
        /// How many clients went away while they were left hanging.
        var left = 0
        var watchers: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    let port: UInt16
    private let listening: Int32
    private let seen = Locked(Seen())
    private let reply: @Sendable (_ request: Int) -> Reply
    /// Answers the first bytes of whatever kind with this, and hangs up.
    private let greeting: String?

    convenience init(_ reply: @escaping @Sendable (_ request: Int) -> Reply) throws {
        try self.init(greeting: nil, reply)
    }

    /// A server of no protocol at all.
    convenience init(greeting: String) throws { try self.init(greeting: greeting) { _ in .close } }

    private init(greeting: String?, _ reply: @escaping @Sendable (_ request: Int) -> Reply) throws {
        let (descriptor, port) = try Loopback.listening()
        (listening, self.port, self.reply, self.greeting) = (descriptor, port, reply, greeting)
        try Loopback.accept(at: listening) { [seen] connection in
            seen.withLock { $0.connections += 1 }
            guard let greeting else { return Self.serve(connection, seen, reply) }
            var piece = [UInt8](repeating: 0, count: 4096)
            _ = recv(connection, &piece, piece.count, 0)
            Loopback.write(Array(greeting.utf8), to: connection)
            close(connection)
        }
    }

    deinit {
        // The thread closes it: a number that is free too early would be the next server's.
        shutdown(listening, Int32(SHUT_RDWR))
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [String] { seen.withLock { $0.requests } }
    var connections: Int { seen.withLock { $0.connections } }
    var left: Int { seen.withLock { $0.left } }

    /// Waits until `count` clients have gone away.
    func waitUntilLeft(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = seen.withLock { seen in
                if seen.left < count { seen.watchers.append((count, continuation)) }
                return seen.left >= count
            }
            if isThere { continuation.resume() }
        }
    }

    /// A port that nobody listens on, nor can while `work` is done: it is bound.
    static func withDeadPort<Value>(_ work: (UInt16) async throws -> Value) async throws -> Value {
        let (descriptor, port) = try Loopback.bound()
        defer { close(descriptor) }
        return try await work(port)
    }

    private static func serve(
        _ connection: Int32, _ seen: Locked<Seen>, _ reply: @Sendable (Int) -> Reply
    ) {
        defer { close(connection) }
        while let request = read(connection) {
            let number = seen.withLock { seen in
                seen.requests.append(request)
                return seen.requests.count
            }
            switch reply(number) {
            case .bytes(let text): Loopback.write(Array(text.utf8), to: connection)
            case .raw(let bytes): Loopback.write(bytes, to: connection)
            case .bytesAndClose(let text):
                Loopback.write(Array(text.utf8), to: connection)
                return
            case .close: return
            case .flood(let count):
                Loopback.write(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8), to: connection)
                let piece = [UInt8](repeating: 0x61, count: 64 << 10)
                for _ in 0..<(count / piece.count) where !Loopback.write(piece, to: connection) { return }
                return
            case .hang:
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
                let due = seen.withLock { seen in
                    seen.left += 1
                    let due = seen.watchers.filter { $0.count <= seen.left }
                    seen.watchers.removeAll { $0.count <= seen.left }
                    return due
                }
                for watcher in due { watcher.1.resume() }
                return
            }
        }
    }

    /// One request with the body that its `Content-Length` promises; `nil` at the end.
    private static func read(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var length: Int?
        var end = Int.max
        while bytes.count < end {
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
            guard length == nil, let head = headEnd(bytes) else { continue }
            let lines = String(decoding: bytes[..<head], as: UTF8.self).lowercased().split(separator: "\r\n")
            let field = lines.first { $0.hasPrefix("content-length:") }
            length = field.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
            end = head + 4 + (length ?? 0)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first { bytes[$0...].starts(with: [13, 10, 13, 10]) }
    }
}
