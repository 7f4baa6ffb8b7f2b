import Foundation
public import Latchkey

/// Keeps records in Redis, for clients on many machines.
///
/// A record is a hash of its bytes and its version, which is drawn at random for each change. Every change is one script,
/// so that comparing and swapping are one step. The server must keep what it acknowledges: `appendonly yes` and
/// `appendfsync always`.
public final class RedisStore: SessionStore {
    /// What begins the name of everything that this store keeps.
    public let prefix: String
    let place: RedisPlace
    let context: PluginContext
    private let connection: RedisConnection
    /// Locks wait on a connection of their own, so that they hold up neither reads nor changes.
    let locking: RedisConnection

    /// Opens the store at a server. Nothing is sent before it is used.
    ///
    /// - Parameters:
    ///   - prefix: Begins the name of everything that this store keeps.
    ///   - patience: How long the server may take to answer, and how long a lock outlives a holder that has died.
    public init(
        host: String = "127.0.0.1", port: UInt16 = 6379, prefix: String = "latchkey",
        patience: Duration = .seconds(2), context: PluginContext = .system
    ) {
        place = RedisPlace(host: host, port: port, patience: patience)
        self.prefix = prefix
        self.context = context
        connection = RedisConnection(to: place)
        locking = RedisConnection(to: place)
    }

    /// Returns the record under `key`.
    public func read(_ key: StoreKey) async throws -> StoredRecord? {
        let answer = try await question(["HMGET", try name(key), "version", "bytes"])
        switch (answer.list?.first?.bytes, answer.list?.last?.bytes) {
        case (nil, nil): return nil
        case (let version?, let bytes?): return StoredRecord(bytes: bytes, version: RecordVersion(version))
        default: throw AuthError(.store(.damaged), "a record in Redis has no bytes or no version")
        }
    }

    /// Replaces the record under `key` (compare-and-swap), in one script.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        let next = bytes.map { _ in RecordVersion(context.random(16)) }
        let words: [[UInt8]] = [
            Array("EVAL".utf8), Array(Self.swap.utf8), Array("2".utf8), Array(try name(key).utf8),
            Array(index(of: key.kind).utf8), version?.bytes ?? [], next?.bytes ?? [], bytes ?? [], Array(key.name.utf8),
            Array(channel.utf8), Array("\(key.kind.rawValue):\(key.name)".utf8),
        ]
        let answer: RedisReply
        do { answer = try await connection.ask(words) } catch RedisTrouble.unanswered {
            throw AuthError(.store(.unknownOutcome), "Redis has not said whether it took the change.")
        } catch {
            throw Self.trouble(error)
        }
        switch answer.list?.first?.integer {
        case 1: return next
        case 0: throw StoreConflict(found: answer.list?.last?.bytes.map { RecordVersion($0) })
        default: throw AuthError(.store(.unavailable), "Redis answered otherwise than its script does.")
        }
    }

    /// Returns every key of `kind`, page by page.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        var names: Set<String> = []
        var cursor = "0"
        repeat {
            let answer = try await question(["SSCAN", index(of: kind), cursor, "COUNT", "1000"])
            guard let next = answer.list?.first?.text, let page = answer.list?.last?.list else {
                throw AuthError(.store(.damaged), "the list of keys in Redis is none")
            }
            names.formUnion(page.compactMap(\.text))
            cursor = next
        } while cursor != "0"
        return names.map { StoreKey(kind, $0) }
    }

    /// Asks what can be asked again: once more if the connection had gone since it was used last.
    func question(_ words: [String]) async throws -> RedisReply {
        let words = words.map { Array($0.utf8) }
        do {
            do { return try await connection.ask(words) } catch RedisTrouble.unanswered {
                return try await connection.ask(words)
            }
        } catch {
            throw Self.trouble(error)
        }
    }

    static func trouble(_ error: any Error) -> any Error {
        switch error {
        case RedisTrouble.refused(let reason):
            AuthError(.store(.unavailable), "Redis refused: \(reason)")
        case is RedisTrouble: AuthError(.store(.unavailable), "Redis does not answer.")
        default: error
        }
    }

    func name(_ key: StoreKey) throws(AuthError) -> String {
        guard key.name.utf8.count <= 4_096, !key.name.utf8.contains(0) else {
            throw AuthError(.configuration(.invalid), "the store key's name is too long, or holds U+0000")
        }
        return "\(prefix):record:\(key.kind.rawValue):\(key.name)"
    }

    func index(of kind: StoreKey.Kind) -> String { "\(prefix):index:\(kind.rawValue)" }

    var channel: String { "\(prefix):changes" }

    /// Compares and swaps, keeps the list of keys, and tells of the change.
    private static let swap = """
        local found = redis.call('HGET', KEYS[1], 'version') or ''
        if found ~= ARGV[1] then return {0, found ~= '' and found or false} end
        if ARGV[2] == '' then
            redis.call('DEL', KEYS[1])
            redis.call('SREM', KEYS[2], ARGV[4])
            if found == '' then return {1} end
        else
            redis.call('HSET', KEYS[1], 'version', ARGV[2], 'bytes', ARGV[3])
            redis.call('SADD', KEYS[2], ARGV[4])
        end
        redis.call('PUBLISH', ARGV[5], ARGV[6])
        return {1}
        """
}
