import CHiredis
import Foundation
import Latchkey

extension RedisStore: WatchableStore {
    /// Returns a stream of the keys that change from now on. It ends when the server is gone or silent.
    public func changes() async throws -> AsyncStream<StoreKey> {
        let listener = RedisListener(to: place, channel: channel)
        guard await listener.begin() else { throw AuthError(.store(.unavailable), "Redis does not answer.") }
        let feed = ChangeFeed()
        let stream = feed.listen()
        context.start("redis changes") {
            await listener.follow(feed)
            feed.finish()
        }
        return stream
    }
}

/// One subscription, on a connection and a thread of its own.
actor RedisListener {
    private nonisolated let queue = OwnQueue("redis changes")
    private let place: RedisPlace
    private let channel: String
    private var context: UnsafeMutablePointer<redisContext>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(to place: RedisPlace, channel: String) {
        self.place = place
        self.channel = channel
    }

    isolated deinit { if let context { redisFree(context) } }

    /// Subscribes. From then on nothing is missed.
    func begin() -> Bool {
        guard let context = place.connect() else { return false }
        self.context = context
        let words = [Array("SUBSCRIBE".utf8), Array(channel.utf8)]
        let reply = words.withArguments { redisCommandArgv(context, $0, $1, $2) }
        defer { if let reply { freeReplyObject(reply) } }
        return reply != nil
    }

    /// Tells `feed` of every change until it is not heard any more, or the server is silent: it is asked for a word all the
    /// time, since a connection that is gone looks like one on which nothing happens.
    func follow(_ feed: ChangeFeed) {
        guard let context else { return }
        let tick = place.patience / 4
        var heard = ContinuousClock.now
        while feed.isHeard {
            guard passOn(from: context, to: feed) else { return }
            var side = pollfd(fd: context.pointee.fd, events: Int16(POLLIN), revents: 0)
            if poll(&side, 1, Int32(tick.milliseconds)) > 0 {
                guard redisBufferRead(context) == REDIS_OK else { return }
                heard = .now
                continue
            }
            guard ContinuousClock.now - heard < place.patience else { return }
            var isWritten: Int32 = 0
            _ = [Array("PING".utf8)].withArguments { redisAppendCommandArgv(context, $0, $1, $2) }
            guard redisBufferWrite(context, &isWritten) == REDIS_OK else { return }
        }
    }

    /// Tells of what has been read; `false` if it is no answer of a server.
    private func passOn(from context: UnsafeMutablePointer<redisContext>, to feed: ChangeFeed) -> Bool {
        while true {
            var found: UnsafeMutableRawPointer?
            guard redisGetReplyFromReader(context, &found) == REDIS_OK else { return false }
            guard let reply = found?.assumingMemoryBound(to: redisReply.self) else { return true }
            defer { freeReplyObject(reply) }
            guard let message = RedisReply(reply).list, message.first?.text == "message",
                let text = message.last?.text, let colon = text.firstIndex(of: ":"),
                let kind = StoreKey.Kind(rawValue: String(text[..<colon]))
            else { continue }
            feed.tell(StoreKey(kind, String(text[text.index(after: colon)...])))
        }
    }
}
