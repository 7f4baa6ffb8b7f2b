import LatchkeySystem
import LatchkeyTesting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A client that writes exactly the bytes it is told to, over one loopback connection.
///
/// It blocks threads of its own, because the server's handlers need those of the pool.
final class RawClient: Sendable {
    private let descriptor: Int32
    private let received = Locked<[UInt8]>([])

    /// Connects to 127.0.0.1, or to ::1.
    init(port: UInt16, ipv6: Bool = false) throws {
        guard let connected = try? Loopback.connected(to: port, ipv6: ipv6) else { throw Failure.refused }
        descriptor = connected
    }

    deinit { close(descriptor) }

    enum Failure: Error { case refused, closed, malformed, silent }

    struct Answer: Sendable {
        var status: Int
        var fields: [(name: String, value: String)]
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
        func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    /// What was received and not read.
    var rest: String { String(decoding: received.withLock { $0 }, as: UTF8.self) }

    func write(_ text: String) async { await write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) async {
        _ = await DetachedThread.run { [descriptor] in Loopback.write(bytes, to: descriptor) }
    }

    /// A whole request on a connection that stays open.
    func request(_ method: String, _ target: String, fields: [String] = [], body: String = "") async throws -> Answer {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1"] + fields
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        await write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try await read()
    }

    /// One answer, whose body is as long as its `Content-Length`; `closed` when the connection ends before.
    func read() async throws -> Answer {
        let answer = await DetachedThread.run {
            Result { try self.received.withLock { try self.answer(from: &$0) } }
        }
        guard let answer else { throw Failure.silent }
        return try answer.get()
    }

    /// Whether the other side hung up without a further byte.
    func isClosed() async -> Bool {
        await DetachedThread.run {
            self.received.withLock { buffer in
                do {
                    try self.fill(&buffer)
                    return false
                } catch {
                    // Having waited for nothing says nothing.
                    return error as? Failure == .closed && buffer.isEmpty
                }
            }
        } ?? false
    }

    private func answer(from buffer: inout [UInt8]) throws -> Answer {
        while headEnd(of: buffer) == nil { try fill(&buffer) }
        guard let end = headEnd(of: buffer) else { throw Failure.malformed }
        let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n")
        buffer.removeFirst(end + 4)
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure.malformed
        }
        var answer = Answer(status: status, fields: [], body: [])
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw Failure.malformed }
            answer.fields.append((String(parts[0]), String(parts[1].drop { $0 == " " })))
        }
        let length = answer.field("Content-Length").flatMap { Int($0) } ?? 0
        while buffer.count < length { try fill(&buffer) }
        answer.body = Array(buffer[..<length])
        buffer.removeFirst(length)
        return answer
    }

    private func headEnd(of buffer: [UInt8]) -> Int? {
        guard buffer.count >= 4 else { return nil }
        return (0...(buffer.count - 4)).first { Array(buffer[$0..<($0 + 4)]) == [13, 10, 13, 10] }
    }

    private func fill(_ buffer: inout [UInt8]) throws {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count >= 0 || errno != EAGAIN else { throw Failure.silent }
        guard count > 0 else { throw Failure.closed }
        buffer += piece[..<count]
    }
}
