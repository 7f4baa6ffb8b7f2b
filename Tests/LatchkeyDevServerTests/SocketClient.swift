import LatchkeyHTTPServer
import LatchkeySystem
import LatchkeyTesting

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
        let answer = await DetachedThread.run { Result { try exchange(bytes, port) } }
        guard let answer else { throw Failure.refused }
        return try answer.get()
    }

    private static func exchange(_ bytes: [UInt8], _ port: UInt16) throws -> ServerResponse {
        guard let descriptor = try? Loopback.connected(to: port) else { throw Failure.refused }
        defer { close(descriptor) }
        guard Loopback.write(bytes, to: descriptor) else { throw Failure.closed }
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
