import LatchkeySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A listening socket on loopback, and its connections. Calls that block do so on their own threads.
final class LocalSocket: Sendable {
    let port: UInt16
    private let listening: Int32
    private let open = Locked<Set<Int32>?>([])

    init() throws { (listening, port) = try Loopback.listening() }

    deinit { _ = close(listening) }

    /// Returns the next connection; `nil` once the socket is stopped.
    func next() async -> Int32? {
        let accepted = await DetachedThread.run { [listening] in accept(listening, nil, nil) }
        guard let connection = accepted, connection >= 0 else { return nil }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let isKept = open.withLock { $0?.insert(connection).inserted ?? false }
        if !isKept { _ = close(connection) }
        return isKept ? connection : nil
    }

    /// Ends all waits for connections and bytes.
    func stop() {
        open.withLock { open in
            for connection in open ?? [] { shutdown(connection, Int32(SHUT_RDWR)) }
            open = nil
        }
        shutdown(listening, Int32(SHUT_RDWR))
    }

    func hangUp(_ connection: Int32) {
        // Under the lock: once a descriptor is free, its number may belong to something else by the
        // time it is stopped.
        open.withLock { open in
            open?.remove(connection)
            _ = close(connection)
        }
    }

    /// Returns the bytes that came next; empty at the end.
    func read(_ connection: Int32) async -> [UInt8] {
        await DetachedThread.run {
            var piece = [UInt8](repeating: 0, count: 16_384)
            let count = recv(connection, &piece, piece.count, 0)
            return count > 0 ? Array(piece[..<count]) : []
        } ?? []
    }

    /// Writes the bytes. Returns whether all of them were written.
    @discardableResult
    func write(_ bytes: [UInt8], to connection: Int32) async -> Bool {
        await DetachedThread.run { Loopback.write(bytes, to: connection) } ?? false
    }
}
