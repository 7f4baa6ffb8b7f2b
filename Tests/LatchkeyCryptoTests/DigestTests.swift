@testable import LatchkeyCrypto
import LatchkeyJSON
import Testing

@Suite("Digests and what is built on them")
struct DigestTests {
    @Test("The digests of FIPS 180-4 examples come out")
    func digests() throws {
        let expected: [HashAlgorithm: String] = [
            .sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            .sha384: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            .sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ]
        for algorithm in HashAlgorithm.allCases {
            let digest = Hash.digest(Array("abc".utf8), algorithm)
            #expect(try digest == expected[algorithm]?.hexBytes())
            #expect(digest.count == algorithm.length)
        }
        #expect(
            try Hash.digest([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".hexBytes())
    }

    @Test("A checksum is the SHA-256 of the bytes, whatever their length")
    func checksums() throws {
        for length in Array(0...200) + [1_000, 65_537] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            #expect(Checksum.sha256(bytes) == Hash.digest(bytes))
            // A process begins with the one and goes on with the other.
            bytes.withUnsafeBytes { bytes in #expect(Checksum.own(bytes) == Checksum.libcryptos(bytes)) }
        }
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let own = Array("abc".utf8).withUnsafeBytes { Checksum.own($0) }
        #expect(try own == known.hexBytes())
    }

    @Test("HMAC answers the vectors of RFC 4231, and refuses a code that is cut, lengthened or changed")
    func codes() throws {
        let vectors = try Vectors.list("hmac-sha256")
        #expect(vectors.count >= 6)
        for vector in vectors {
            let (key, message) = (try vector.bytes(hex: "key"), try vector.bytes(hex: "msg"))
            let expected = try vector.bytes(hex: "hmac_sha256")
            let code = KeyedHash.code(for: message, key: key)
            #expect(Array(code.prefix(expected.count)) == expected)
            #expect(KeyedHash.isValid(code, for: message, key: key))
            var changed = code
            changed[31] ^= 1
            for wrong in [changed, [], Array(code.dropLast()), code + [0]] {
                #expect(!KeyedHash.isValid(wrong, for: message, key: key))
            }
            #expect(!KeyedHash.isValid(code, for: message + [0], key: key))
            #expect(!KeyedHash.isValid(code, for: message, key: key + [1]))
            #expect(!KeyedHash.isValid(code, for: message, key: key, algorithm: .sha512))
        }
    }

    @Test("An empty HMAC key is the empty key, not the one of the call before")
    func emptyKey() throws {
        _ = KeyedHash.code(for: [1], key: [9, 9, 9])
        let expected = try "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad".hexBytes()
        #expect(KeyedHash.code(for: [], key: []) == expected)
        #expect(KeyedHash.code(for: [], key: [], algorithm: .sha384).count == 48)
    }

    @Test("HKDF answers the SHA-256 vectors of RFC 5869")
    func derivation() throws {
        let vectors = try Vectors.list("hkdf").filter { $0["hash"]?.string == "SHA-256" }
        #expect(vectors.count == 3)
        for vector in vectors {
            let derived = try KeyDerivation.derive(
                from: vector.bytes(hex: "ikm"), salt: vector.bytes(hex: "salt"), info: vector.bytes(hex: "info"),
                length: vector.integer("L"))
            #expect(try derived == vector.bytes(hex: "okm"))
        }
    }

    @Test("HKDF gives 1 to 255 digests and takes no empty key")
    func derivationLimits() throws {
        let key: [UInt8] = [1, 2, 3]
        for (length, algorithm) in [(0, HashAlgorithm.sha256), (-1, .sha256), (8161, .sha256), (16321, .sha512)] {
            let refusal = code { () throws(CryptoError) in
                try KeyDerivation.derive(from: key, salt: [], info: [], length: length, algorithm: algorithm)
            }
            #expect(refusal == .invalidLength)
        }
        #expect(
            code { () throws(CryptoError) in try KeyDerivation.derive(from: [], salt: [1], info: [], length: 32) }
                == .invalidLength)
        let longest = try KeyDerivation.derive(from: key, salt: [], info: [], length: 8160)
        #expect(longest.count == 8160)
        #expect(try KeyDerivation.derive(from: key, salt: [], info: [], length: 33) == Array(longest.prefix(33)))
    }

    @Test("scrypt answers the vectors of RFC 7914 that fit in 32 MiB")
    func passphrases() throws {
        let vectors = try Vectors.list("scrypt").filter { try $0.integer("memory_bytes") < 32 << 20 }
        #expect(vectors.count == 3)
        for vector in vectors {
            let derived = try Scrypt.derive(
                passphrase: Array(vector.text("password").utf8), salt: Array(vector.text("salt").utf8),
                cost: vector.integer("N"), blockSize: vector.integer("r"), parallelization: vector.integer("p"),
                length: vector.integer("dkLen"), memoryLimit: 32 << 20)
            #expect(try derived == vector.bytes(hex: "dk"))
        }
    }

    static let largest = Int.max
    static let costs: [(cost: Int, r: Int, p: Int, length: Int, limit: Int, expected: CryptoError.Code)] = [
        (0, 8, 1, 32, largest, .invalidParameter),
        (1, 8, 1, 32, largest, .invalidParameter),
        (3, 8, 1, 32, largest, .invalidParameter),
        (-16, 8, 1, 32, largest, .invalidParameter),
        (Int.min, 8, 1, 32, largest, .invalidParameter),
        (33_554_432, 8, 1, 32, largest, .invalidParameter),
        (16, 0, 1, 32, largest, .invalidParameter),
        (16, 65, 1, 32, largest, .invalidParameter),
        (16, 8, 0, 32, largest, .invalidParameter),
        (16, 8, 65, 32, largest, .invalidParameter),
        (16, 8, 1, 0, largest, .invalidLength),
        (16, 8, 1, 1025, largest, .invalidLength),
        (16_777_216, 64, 64, 32, 1_073_741_824, .memoryLimit),
        (1_048_576, 8, 1, 32, 1_073_741_824, .memoryLimit),
        (16, 1, 1, 32, 2431, .memoryLimit),
        (16, 1, 1, 32, -1, .memoryLimit),
    ]

    @Test("scrypt refuses parameters out of bounds before it takes memory", arguments: costs.indices)
    func refusedCost(index: Int) {
        let row = Self.costs[index]
        let refusal = code { () throws(CryptoError) in
            try Scrypt.derive(
                passphrase: [1], salt: [2], cost: row.cost, blockSize: row.r, parallelization: row.p,
                length: row.length, memoryLimit: row.limit)
        }
        #expect(refusal == row.expected)
    }

    @Test("scrypt runs within exactly the memory it names")
    func exactMemory() throws {
        for (cost, r, p) in [(16, 1, 1), (1024, 8, 16), (4096, 8, 1)] {
            let needed = Scrypt.memory(cost: cost, blockSize: r, parallelization: p)
            let key = try Scrypt.derive(
                passphrase: [1], salt: [2], cost: cost, blockSize: r, parallelization: p, length: 16,
                memoryLimit: needed)
            #expect(key.count == 16)
        }
    }

    @Test("Random bytes have the length asked for and do not repeat")
    func randomness() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(Set((0..<64).map { _ in SecureRandom.bytes(16) }).count == 64)
    }

    @Test("Two secrets are equal only when length and every byte are")
    func equality() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2], [1, 2]))
        let wrong: [([UInt8], [UInt8])] = [([], [0]), ([1], [1, 0]), ([1, 2], [2, 1]), ([0x80], [0])]
        for (left, right) in wrong {
            #expect(!constantTimeEqual(left, right))
            #expect(!constantTimeEqual(right, left))
        }
    }
}
