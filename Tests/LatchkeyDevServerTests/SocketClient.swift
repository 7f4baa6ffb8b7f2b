import LatchkeyHTTPServer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One request over one loopback connection, on a thread of its own: the server needs those of the pool.
enum SocketClient {
    enum Failure: Error { case refused, closed, malformed }

    static func send(
        _ port: UInt16, _ method: String, _ target: String, fields: [String] = [], form: String? = nil
    ) async throws -> ServerResponse {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"] + fields
        if let form {
            lines += ["Content-Type: application/x-www-form-urlencoded", "Content-Length: \(form.utf8.count)"]
        }
        let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (form ?? "")).utf8)
        return try await onThread { Result { try exchange(bytes, port) } }.get()
    }

    private static func exchange(_ bytes: [UInt8], _ port: UInt16) throws -> ServerResponse {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var deadline = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &deadline, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure.refused }
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure.closed }
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            received += piece[..<count]
        }
        return try read(received)
    }

    private static func read(_ bytes: [UInt8]) throws -> ServerResponse {
        guard bytes.count >= 4,
            let end = (0...(bytes.count - 4)).first(where: { Array(bytes[$0..<($0 + 4)]) == [13, 10, 13, 10] })
        else { throw Failure.closed }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure.malformed
        }
        var response = ServerResponse(status: status, body: Array(bytes[(end + 4)...]))
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw Failure.malformed }
            response.fields.append((String(parts[0]), String(parts[1].drop { $0 == " " })))
        }
        guard response.field("Content-Length").flatMap({ Int($0) }) == response.body.count else {
            throw Failure.closed
        }
        return response
    }
}

private final class Box: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

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
