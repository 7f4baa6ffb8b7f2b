import LatchkeySystem
import LatchkeyTesting

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server that ends kept connections while a `POST` comes in on them, and counts what it was sent.
///
/// A target is `/N`, the number of the round. The first request of each connection is answered; so is each `GET`.
final class ClosingServer: Sendable {
    /// When a connection ends. The number of the round says which.
    enum Moment: Int, CaseIterable, Sendable {
        /// Some time after the answer to the `GET`, whatever has come in by then.
        case unread
        /// Once the head of the `POST` is there.
        case head
        /// Within its content.
        case content
        /// Once all of it is there, and without an answer.
        case whole

        static func of(_ round: Int) -> Moment { allCases[round % allCases.count] }
    }

    /// What was seen of a round's `POST`: how often its head came in, and how often all of it did.
    struct Sight: Sendable {
        var heads = 0
        var wholes = 0
    }

    let url: String
    private let listening: Int32
    private let seen = Locked<[Int: Sight]>([:])

    init() throws {
        let (descriptor, port) = try Loopback.listening()
        (listening, url) = (descriptor, "http://127.0.0.1:\(port)")
        try Loopback.accept(at: listening) { [seen] connection in
            var peer = Peer(connection: connection)
            peer.serve(seen)
            // With anything left unread, the client sees a reset.
            close(connection)
        }
    }

    deinit { shutdown(listening, Int32(SHUT_RDWR)) }

    func sight(_ round: Int) -> Sight { seen.withLock { $0[round] ?? Sight() } }

    /// One connection.
    private struct Peer {
        let connection: Int32
        private var bytes: [UInt8] = []

        init(connection: Int32) { self.connection = connection }

        mutating func serve(_ seen: Locked<[Int: Sight]>) {
            var isKept = false
            while let end = head() {
                let words = String(decoding: bytes[..<end], as: UTF8.self).split(whereSeparator: \.isWhitespace)
                guard words.count > 1, let round = Int(words[1].dropFirst()) else { return }
                let length = words.firstIndex(of: "Content-Length:").flatMap { Int(words[$0 + 1]) } ?? 0
                if words[0] == "POST" {
                    let ending = isKept ? Moment.of(round) : nil
                    seen.withLock { $0[round, default: Sight()].heads += 1 }
                    guard ending != .head, take(end + 4 + (ending == .content ? length / 2 : length)) else { return }
                    if ending == .content { return }
                    seen.withLock { $0[round, default: Sight()].wholes += 1 }
                    if ending == .whole { return }
                }
                bytes.removeFirst(end + 4 + length)
                Loopback.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), to: connection)
                isKept = true
                if words[0] == "GET", Moment.of(round) == .unread {
                    // Each time a little later, so that the end comes before, within and after the client's writing.
                    for _ in 0..<(round / Moment.allCases.count % 32) { sched_yield() }
                    return
                }
            }
        }

        /// Where the next head ends; `nil`: the client is gone.
        private mutating func head() -> Int? {
            while true {
                if let end = RawServer.headEnd(bytes) { return end }
                guard take(bytes.count + 1) else { return nil }
            }
        }

        /// Whether so many bytes have come in.
        private mutating func take(_ count: Int) -> Bool {
            var piece = [UInt8](repeating: 0, count: 4096)
            while bytes.count < count {
                let got = recv(connection, &piece, piece.count, 0)
                guard got > 0 else { return false }
                bytes += piece[..<got]
            }
            return true
        }
    }
}
