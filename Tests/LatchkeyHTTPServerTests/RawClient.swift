import LatchkeyLocked

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
        #if canImport(Glibc)
            descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)
        #endif
        // As the server's must be, which a test looks at.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var deadline = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
        guard ipv6 ? Self.connect6(descriptor, port) : Self.connect4(descriptor, port) else {
            throw Failure.refused
        }
    }

    private static func connect4(_ descriptor: Int32, _ port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func connect6(_ descriptor: Int32, _ port: UInt16) -> Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
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

    func write(_ bytes: [UInt8]) async { await onThread { self.send(bytes) } }

    private func send(_ bytes: [UInt8]) {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return }
            sent += count
        }
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
        try await onThread { Result { try self.received.withLock { try self.answer(from: &$0) } } }.get()
    }

    /// Whether the other side hung up without a further byte.
    func isClosed() async -> Bool {
        await onThread {
            self.received.withLock { buffer in
                do {
                    try self.fill(&buffer)
                    return false
                } catch {
                    // Having waited for nothing says nothing.
                    return error as? Failure == .closed && buffer.isEmpty
                }
            }
        }
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

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

private final class Box: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Runs blocking work on a thread of its own.
private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let box = Unmanaged.passRetained(Box { continuation.resume(returning: work()) })
        #if canImport(Darwin)
            var thread: pthread_t?
            let start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
                Unmanaged<Box>.fromOpaque($0).takeRetainedValue().run()
                return nil
            }
        #else
            var thread = pthread_t()
            let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
                if let raw = $0 { Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            }
        #endif
        let failure = pthread_create(&thread, nil, start, box.toOpaque())
        precondition(failure == 0, "pthread_create failed")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}
