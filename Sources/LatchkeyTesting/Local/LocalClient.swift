public import Latchkey
import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small HTTP/1.1 client for servers on loopback that tests look at: it sends exactly what it is given, also what no
/// browser would.
public enum LocalClient {
    /// Sends `request` over a connection of its own, and returns the answer.
    ///
    /// - Parameter request: Its address begins with `http://127.0.0.1:`. `Host` and `Content-Length` are added where they
    ///   are missing.
    /// - Throws: ``/Latchkey/TransportError`` `unreachable` if nothing listens there, and `interrupted` if no whole answer
    ///   comes.
    public static func send(_ request: TransportRequest) async throws -> TransportResponse {
        let line = try await Line(to: request.url)
        defer { line.close() }
        await line.write(message(request))
        return try await line.answer(to: request.method)
    }

    /// Returns `request` as it goes over the wire.
    static func message(_ request: TransportRequest) -> [UInt8] {
        let address = WebAddress(request.url)
        let path = address.map { ($0.path.isEmpty ? "/" : $0.path) + ($0.query.map { "?\($0)" } ?? "") } ?? "/"
        var head = "\(request.method) \(path) HTTP/1.1\r\n"
        if request.fields["Host"] == nil { head += "Host: \((address?.origin ?? "").dropFirst(7))\r\n" }
        for line in request.fields.lines { head += "\(line.name): \(line.value)\r\n" }
        if let body = request.body, request.fields["Content-Length"] == nil {
            head += "Content-Length: \(body.count)\r\n"
        }
        return Array((head + "Connection: close\r\n\r\n").utf8) + (request.body ?? [])
    }

    /// A connection.
    final class Line: Sendable {
        private let descriptor: Int32
        private let isClosed = Locked(false)

        /// Connects to the port that `url` names.
        ///
        /// - Parameter isOther: Whether to connect to another address of this machine, 127.0.0.2.
        init(to url: String, isOther: Bool = false) async throws {
            let port = WebAddress(url)?.port ?? 80
            let connected = await DetachedThread.run {
                try? Loopback.connected(to: port, other: isOther)
            }
            guard let descriptor = connected ?? nil else { throw TransportError(.unreachable, wasSent: false) }
            self.descriptor = descriptor
        }

        deinit { close() }

        func close() {
            isClosed.withLock { isClosed in
                if !isClosed { _ = systemClose(descriptor) }
                isClosed = true
            }
        }

        func write(_ bytes: [UInt8]) async {
            _ = await DetachedThread.run { [descriptor] in Loopback.write(bytes, to: descriptor) }
        }

        func answer(to method: String) async throws -> TransportResponse {
            let found = await DetachedThread.run { [descriptor] in Self.answer(from: descriptor, to: method) }
            guard let answer = found ?? nil else { throw TransportError(.interrupted, wasSent: true) }
            return answer
        }

        private static func answer(from descriptor: Int32, to method: String) -> TransportResponse? {
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 16_384)
            while true {
                if let answer = parsed(bytes, method, isEnd: false) { return answer }
                let count = recv(descriptor, &piece, piece.count, 0)
                guard count > 0 else { return parsed(bytes, method, isEnd: true) }
                bytes += piece[..<count]
            }
        }

        private static func parsed(_ bytes: [UInt8], _ method: String, isEnd: Bool) -> TransportResponse? {
            let text = String(decoding: bytes, as: UTF8.self)
            guard let range = text.firstRange(of: "\r\n\r\n") else { return nil }
            let lines = text[..<range.lowerBound].split(separator: "\r\n")
            guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
                return nil
            }
            var fields = HeaderFields()
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2 { fields.add(String(parts[0]), String(parts[1].drop { $0 == " " })) }
            }
            let body = Array(text[range.upperBound...].utf8)
            if method == "HEAD" || status == 204 { return TransportResponse(status: status, fields: fields) }
            guard isEnd || fields["Content-Length"].flatMap({ Int($0) }).map({ body.count >= $0 }) == true else {
                return nil
            }
            return TransportResponse(status: status, fields: fields, body: body)
        }
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
