import LatchkeyCrypto
import LatchkeyJSON
import Testing

@Suite("Authenticated encryption")
struct AEADTests {
    static let key = [UInt8](repeating: 7, count: 32)
    static let nonce = [UInt8](repeating: 9, count: 12)

    @Test("AES-256-GCM seals the NIST vectors")
    func sealing() throws {
        let vectors = try Vectors.list("aes-256-gcm", "encrypt")
        #expect(vectors.count == 50)
        for vector in vectors {
            let sealed = try AEAD.seal(
                vector.bytes(hex: "pt"), key: vector.bytes(hex: "key"), nonce: vector.bytes(hex: "iv"),
                authenticating: vector.bytes(hex: "aad"))
            #expect(try sealed == vector.bytes(hex: "ct") + vector.bytes(hex: "tag"))
        }
    }

    @Test("AES-256-GCM opens the genuine NIST vectors and refuses the others")
    func opening() throws {
        var refused = 0
        for vector in try Vectors.list("aes-256-gcm", "decrypt") {
            let sealed = try vector.bytes(hex: "ct") + vector.bytes(hex: "tag")
            let (key, nonce) = (try vector.bytes(hex: "key"), try vector.bytes(hex: "iv"))
            let context = try vector.bytes(hex: "aad")
            if try vector.text("result") == "fail" {
                refused += 1
                let refusal = code { () throws(CryptoError) in
                    try AEAD.open(sealed, key: key, nonce: nonce, authenticating: context)
                }
                #expect(refusal == .authentication)
            } else {
                let plain = try AEAD.open(sealed, key: key, nonce: nonce, authenticating: context)
                #expect(try plain == vector.bytes(hex: "result"))
            }
        }
        #expect(refused > 0)
    }

    @Test("ChaCha20-Poly1305 answers RFC 8439 both ways")
    func chaCha() throws {
        for vector in try Vectors.list("chacha20poly1305") {
            let plain = Array(try vector.text("pt_ascii").utf8)
            let cipher = AEAD(.chaCha20Poly1305)
            let (key, nonce) = (try vector.bytes(hex: "key"), try vector.bytes(hex: "nonce"))
            let context = try vector.bytes(hex: "aad")
            let sealed = try cipher.seal(plain, key: key, nonce: nonce, authenticating: context)
            #expect(try sealed == vector.bytes(hex: "ct") + vector.bytes(hex: "tag"))
            #expect(try cipher.open(sealed, key: key, nonce: nonce, authenticating: context) == plain)
        }
    }

    @Test(
        "A changed bit anywhere, another key, nonce or context, or a cut message opens nothing",
        arguments: AEAD.Algorithm.allCases)
    func tampering(algorithm: AEAD.Algorithm) throws {
        let cipher = AEAD(algorithm)
        let plain = Array("a session".utf8)
        let sealed = try cipher.seal(plain, key: Self.key, nonce: Self.nonce, authenticating: [1, 2])
        #expect(try cipher.open(sealed, key: Self.key, nonce: Self.nonce, authenticating: [1, 2]) == plain)

        var wrong: [(bytes: [UInt8], key: [UInt8], nonce: [UInt8], context: [UInt8])] = []
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            wrong.append((changed, Self.key, Self.nonce, [1, 2]))
        }
        wrong.append((sealed, [8] + Self.key.dropFirst(), Self.nonce, [1, 2]))
        wrong.append((sealed, Self.key, [8] + Self.nonce.dropFirst(), [1, 2]))
        for context: [UInt8] in [[], [1], [1, 2, 0], [2, 1]] { wrong.append((sealed, Self.key, Self.nonce, context)) }
        for bytes in [Array(sealed.dropLast()), Array(sealed.dropFirst()), sealed + [0], Array(sealed.suffix(15)), []] {
            wrong.append((bytes, Self.key, Self.nonce, [1, 2]))
        }
        for row in wrong {
            let refusal = code { () throws(CryptoError) in
                try cipher.open(row.bytes, key: row.key, nonce: row.nonce, authenticating: row.context)
            }
            #expect(refusal == .authentication)
        }
    }

    @Test("Keys have 32 bytes and nonces 12", arguments: AEAD.Algorithm.allCases)
    func lengths(algorithm: AEAD.Algorithm) throws {
        let cipher = AEAD(algorithm)
        let sealed = try cipher.seal([1], key: Self.key, nonce: Self.nonce)
        for count in [0, 16, 24, 31, 33, 64] {
            let key = [UInt8](repeating: 1, count: count)
            #expect(code { () throws(CryptoError) in try cipher.seal([1], key: key, nonce: Self.nonce) } == .invalidKey)
            #expect(
                code { () throws(CryptoError) in try cipher.open(sealed, key: key, nonce: Self.nonce) } == .invalidKey)
        }
        for count in [0, 8, 11, 13, 16, 24] {
            let nonce = [UInt8](repeating: 1, count: count)
            #expect(
                code { () throws(CryptoError) in try cipher.seal([1], key: Self.key, nonce: nonce) } == .invalidLength)
            #expect(
                code { () throws(CryptoError) in try cipher.open(sealed, key: Self.key, nonce: nonce) }
                    == .invalidLength)
        }
    }

    @Test("Nothing is a message too, and the two ciphers do not open one another's")
    func empty() throws {
        for algorithm in AEAD.Algorithm.allCases {
            let sealed = try AEAD.seal([], key: Self.key, nonce: Self.nonce, algorithm)
            #expect(sealed.count == AEAD.tagLength)
            #expect(try AEAD.open(sealed, key: Self.key, nonce: Self.nonce, algorithm).isEmpty)
        }
        let sealed = try AEAD.seal([1], key: Self.key, nonce: Self.nonce, .aes256GCM)
        let refusal = code { () throws(CryptoError) in
            try AEAD.open(sealed, key: Self.key, nonce: Self.nonce, .chaCha20Poly1305)
        }
        #expect(refusal == .authentication)
    }
}
