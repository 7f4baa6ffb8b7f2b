import Latchkey

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connection that never blocks: it looks every two milliseconds whether there is something to do.
struct RaftLine {
    private let descriptor: Int32
    private let clock: any AuthClock
    private let end: MonotonicInstant
    private var bytes: [UInt8] = []
    private var wasSent = false

    init(clock: any AuthClock, end: MonotonicInstant) throws(TransportError) {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw TransportError(.unreachable, wasSent: false) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        self.clock = clock
        self.end = end
    }

    func close() { _ = systemClose(descriptor) }

    func connect(to host: String, _ port: UInt16) async throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
            throw TransportError(.unreachable, wasSent: false, cause: .noSuchHost)
        }
        while true {
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    systemConnect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if result == 0 || errno == EISCONN { return }
            guard [EINPROGRESS, EALREADY, EINTR].contains(errno) else {
                throw TransportError(
                    .unreachable, wasSent: false, cause: errno == ECONNREFUSED ? .connectionRefused : .noRoute)
            }
            try await pause()
        }
    }

    mutating func write(_ message: [UInt8]) async throws {
        var rest = message[...]
        while !rest.isEmpty {
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if count > 0 {
                wasSent = true
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try await pause()
            } else {
                throw TransportError(.interrupted, wasSent: wasSent)
            }
        }
    }

    /// Returns what comes before the next empty line, and drops that.
    mutating func head() async throws -> [UInt8] { try await text(before: [13, 10, 13, 10]) }

    /// Returns the next chunk; `nil` for the last one.
    mutating func chunk(cap: Int) async throws -> [UInt8]? {
        let size = String(decoding: try await text(before: [13, 10]), as: UTF8.self).prefix { $0 != ";" && $0 != " " }
        guard let count = Int(size, radix: 16), count >= 0 else { throw TransportError(.interrupted, wasSent: true) }
        guard count <= cap else { throw TransportError(.tooLarge, wasSent: true) }
        if count == 0 {
            while try await !text(before: [13, 10]).isEmpty {}
            return nil
        }
        let chunk = try await take(count)
        _ = try await take(2)
        return chunk
    }

    /// Returns the next bytes, so many.
    mutating func take(_ count: Int) async throws -> [UInt8] {
        while bytes.count < count {
            guard try await read() else { throw TransportError(.interrupted, wasSent: true) }
        }
        defer { bytes.removeFirst(count) }
        return Array(bytes[..<count])
    }

    /// Returns everything that comes until the connection is closed.
    mutating func rest(cap: Int) async throws -> [UInt8] {
        while try await read() { if bytes.count > cap { throw TransportError(.tooLarge, wasSent: true) } }
        return bytes
    }

    private mutating func text(before mark: [UInt8]) async throws -> [UInt8] {
        while true {
            if bytes.count >= mark.count,
                let place = (0...(bytes.count - mark.count)).first(where: { bytes[$0...].starts(with: mark) })
            {
                defer { bytes.removeFirst(place + mark.count) }
                return Array(bytes[..<place])
            }
            guard bytes.count < 65_536 else { throw TransportError(.tooLarge, wasSent: true) }
            guard try await read() else { throw TransportError(.interrupted, wasSent: true) }
        }
    }

    /// Adds what came; `false` at the end.
    private mutating func read() async throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count > 0 {
                bytes += piece[..<count]
                return true
            }
            if count == 0 { return false }
            guard errno == EAGAIN || errno == EINTR else { throw TransportError(.interrupted, wasSent: true) }
            try await pause()
        }
    }

    private func pause() async throws {
        let now = clock.now()
        guard now < end else { throw TransportError(.timedOut, wasSent: wasSent) }
        try await clock.sleep(until: min(now + .milliseconds(2), end))
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}
