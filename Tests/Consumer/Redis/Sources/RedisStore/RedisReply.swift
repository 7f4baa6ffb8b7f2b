import CHiredis

/// What the server answered.
enum RedisReply: Sendable {
    case none
    case integer(Int64)
    case bytes([UInt8])
    case list([RedisReply])
    case failure(String)

    init(_ reply: UnsafeMutablePointer<redisReply>) {
        let found = reply.pointee
        let bytes = UnsafeRawBufferPointer(start: found.str, count: Int(found.len))
        switch found.type {
        case REDIS_REPLY_INTEGER: self = .integer(found.integer)
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(Array(bytes))
        case REDIS_REPLY_ERROR: self = .failure(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            self = .list((0..<Int(found.elements)).compactMap { found.element[$0].map(RedisReply.init) })
        default: self = .none
        }
    }

    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var list: [RedisReply]? { if case .list(let list) = self { list } else { nil } }
    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
}
