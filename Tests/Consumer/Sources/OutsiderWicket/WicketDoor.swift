import Latchkey

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Listens on 127.0.0.1. Nothing in it blocks: it looks every two milliseconds whether there is something to do.
struct WicketDoor: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let clock: any AuthClock

    init(clock: any AuthClock) throws(AuthError) {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        self.clock = clock
        guard isListening else {
            close()
            throw AuthError(.configuration(.unsupported), "No page can be served on this machine.")
        }
    }

    func close() { _ = systemClose(descriptor) }

    /// Returns the next one that comes.
    func next() async throws -> WicketLine {
        while true {
            let line = accept(descriptor, nil, nil)
            if line >= 0 {
                _ = fcntl(line, F_SETFD, FD_CLOEXEC)
                _ = fcntl(line, F_SETFL, O_NONBLOCK)
                return WicketLine(line, clock: clock, end: clock.now() + .seconds(30))
            }
            try await clock.sleep(until: clock.now() + .milliseconds(2))
        }
    }
}

/// A request, as far as a wicket reads it.
struct WicketRequest {
    var method: String
    var target: String
    var fields = HeaderFields()
    var body: [UInt8] = []
}

/// A connection.
struct WicketLine: Sendable {
    private let descriptor: Int32
    private let clock: any AuthClock
    private let end: MonotonicInstant
    private var bytes: [UInt8] = []

    init(_ descriptor: Int32, clock: any AuthClock, end: MonotonicInstant) {
        self.descriptor = descriptor
        self.clock = clock
        self.end = end
    }

    func close() { _ = systemClose(descriptor) }

    /// Returns the request; `nil` if none comes, or half of one.
    mutating func request() async throws -> WicketRequest? {
        let mark: [UInt8] = [13, 10, 13, 10]
        var place = Int?.none
        while place == nil {
            guard bytes.count < 16_384, try await read() else { return nil }
            guard bytes.count >= 4 else { continue }
            place = (0...(bytes.count - 4)).first { bytes[$0...].starts(with: mark) }
        }
        guard let place else { return nil }
        let lines = String(decoding: bytes[..<place], as: UTF8.self).split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        var request = WicketRequest(method: String(words[0]), target: String(words[1]))
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            request.fields.add(String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        guard let length = Int(request.fields["Content-Length"] ?? "0"), (0...65_536).contains(length) else {
            return nil
        }
        while bytes.count < place + 4 + length { guard try await read() else { return nil } }
        request.body = Array(bytes[(place + 4)..<(place + 4 + length)])
        return request
    }

    func write(_ page: WicketPage) async throws {
        var rest = page.bytes[...]
        while !rest.isEmpty, clock.now() < end {
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try await clock.sleep(until: clock.now() + .milliseconds(2))
            } else {
                return
            }
        }
    }

    /// Adds what came; `false` if nothing more does.
    private mutating func read() async throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 16_384)
        while clock.now() < end {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count > 0 {
                bytes += piece[..<count]
                return true
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return false }
            try await clock.sleep(until: clock.now() + .milliseconds(2))
        }
        return false
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
