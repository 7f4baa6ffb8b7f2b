import LatchkeyCrypto

/// The content of a refresh token of generation 2.
struct SupabaseCounterToken {
    let session: String
    let counter: Int
    let signature: [UInt8]
    let signed: [UInt8]
}

extension SupabaseState {
    /// Returns the newest refresh token of a session.
    func refreshToken(of session: SupabaseSession) -> String {
        session.generation == .v1 ? session.current ?? "" : counterToken(session, counter: session.counter)
    }

    /// Returns the token of generation 2 with this counter: a zero, the session, the counter, 16 bytes of
    /// signature, and four bytes of checksum.
    func counterToken(_ session: SupabaseSession, counter: Int) -> String {
        var bytes: [UInt8] = [0] + (UUIDText.bytes(session.id) ?? [])
        var rest = UInt64(clamping: counter)
        repeat {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        bytes += KeyedHash.code(for: bytes, key: session.key).prefix(16)
        bytes += Hash.digest(bytes).prefix(4)
        return Base64URL.encode(bytes)
    }

    /// Reads a token of generation 2; `nil` if it is malformed.
    static func read(counterToken token: String) -> SupabaseCounterToken? {
        guard token.utf8.count >= 51, let bytes = try? Base64URL.decode(token), bytes.count >= 38, bytes[0] == 0,
            Array(bytes.suffix(4)) == Array(Hash.digest(Array(bytes.dropLast(4))).prefix(4))
        else { return nil }
        let numeral = bytes.dropFirst(17).dropLast(20)
        guard !numeral.isEmpty, numeral.count < 9 else { return nil }
        var counter = 0
        for byte in numeral.reversed() { counter = counter << 7 | Int(byte & 0x7F) }
        return SupabaseCounterToken(
            session: UUIDText.text(Array(bytes[1..<17])), counter: counter,
            signature: Array(bytes.dropLast(4).suffix(16)), signed: Array(bytes.dropLast(20)))
    }

    static func isOldToken(_ token: String) -> Bool { token.wholeMatch(of: /[a-z0-9]{12}/) != nil }

    /// Creates a token of generation 1.
    mutating func newOldToken(of session: String, parent: String?) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        let token = String(decoding: SecureRandom.bytes(12).map { letters[Int($0 & 31)] }, as: UTF8.self)
        oldTokens[token] = SupabaseOldToken(session: session, parent: parent)
        return token
    }
}
