import CHiredis
import Foundation

/// Why a command has no answer.
enum RedisTrouble: Error {
    /// It never left.
    case notSent
    /// It may have arrived.
    case unanswered
    /// The server refused it.
    case refused(String)
}

/// One connection, made when it is needed, on a thread of its own.
actor RedisConnection {
    /// Frees hiredis' connection with the last of its users.
    private final class Handle {
        let context: UnsafeMutablePointer<redisContext>

        init(_ context: UnsafeMutablePointer<redisContext>) { self.context = context }

        deinit { redisFree(context) }
    }

    private nonisolated let queue = OwnQueue("redis")
    private let place: RedisPlace
    private var handle: Handle?
    private var failed: ContinuousClock.Instant?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(to place: RedisPlace) { self.place = place }

    /// Sends a command, and waits for its answer.
    ///
    /// - Parameter asked: When the caller asked. If another caller has waited in vain since, this one does not wait too.
    func ask(_ words: [[UInt8]], since asked: ContinuousClock.Instant = .now) throws(RedisTrouble) -> RedisReply {
        if let failed, asked < failed { throw .notSent }
        let handle = try connected()
        let reply = words.withArguments { count, words, sizes in redisCommandArgv(handle.context, count, words, sizes) }
        guard let reply = reply?.assumingMemoryBound(to: redisReply.self) else {
            drop()
            throw .unanswered
        }
        defer { freeReplyObject(reply) }
        let answer = RedisReply(reply)
        if case .failure(let reason) = answer { throw .refused(reason) }
        return answer
    }

    private func connected() throws(RedisTrouble) -> Handle {
        if let handle { return handle }
        guard let context = place.connect() else {
            drop()
            throw .notSent
        }
        let handle = Handle(context)
        self.handle = handle
        return handle
    }

    private func drop() {
        handle = nil
        failed = .now
    }
}

/// Where a server is, and how long it may take.
struct RedisPlace: Sendable {
    var host: String
    var port: UInt16
    var patience: Duration

    /// A new connection; `nil` if there is none.
    func connect() -> UnsafeMutablePointer<redisContext>? {
        guard let context = redisConnectWithTimeout(host, Int32(port), patience.time) else { return nil }
        guard context.pointee.err == 0, redisSetTimeout(context, patience.time) == REDIS_OK else {
            redisFree(context)
            return nil
        }
        return context
    }
}

extension Duration {
    /// As the system's calls take it.
    fileprivate var time: timeval {
        timeval(tv_sec: Int(components.seconds), tv_usec: Int(components.attoseconds / 1_000_000_000_000))
    }

    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension [[UInt8]] {
    /// Calls `body` with the words as C takes them.
    func withArguments<Result>(
        _ body: (Int32, UnsafeMutablePointer<UnsafePointer<CChar>?>, UnsafePointer<Int>) -> Result
    ) -> Result {
        let sizes = map(\.count)
        let all = flatMap(\.self) + [0]
        return all.withUnsafeBytes { bytes in
            var offset = 0
            var words: [UnsafePointer<CChar>?] = sizes.map { size in
                defer { offset += size }
                return bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return words.withUnsafeMutableBufferPointer { words in
                sizes.withUnsafeBufferPointer { sizes in
                    guard let words = words.baseAddress, let sizes = sizes.baseAddress else {
                        preconditionFailure("a command has words")
                    }
                    return body(Int32(count), words, sizes)
                }
            }
        }
    }
}
