import LatchkeyCrypto
import LatchkeyJSON
import Testing

@Suite("Keys")
struct KeyTests {
    static let kinds: [KeyKind] = [.rsa(bits: 2048), .p256, .p384, .p521, .ed25519]

    @Test("A key survives being written as PEM and as its numbers", arguments: kinds)
    func roundTrips(kind: KeyKind) throws {
        let key = try PrivateKey.generate(kind)
        #expect(key.kind == kind)
        #expect(key.publicKey.kind == kind)
        let algorithm = try #require(SignatureAlgorithm.allCases.first { kind.supports($0) })
        let signature = try PrivateKey(pem: key.pem).sign([1, 2, 3], algorithm: algorithm)
        let written = try PublicKey(pem: key.publicKey.pem)
        #expect(written.kind == kind)
        #expect(try written.verify(signature: signature, of: [1, 2, 3], algorithm: algorithm))

        let rebuilt: PublicKey
        if let (modulus, exponent) = key.publicKey.rsaComponents {
            #expect(exponent == [1, 0, 1] && modulus.count == 256)
            rebuilt = try PublicKey(rsaModulus: [0] + modulus, exponent: [0] + exponent)
        } else if let (x, y) = key.publicKey.ecCoordinates, let curve = kind.curve {
            #expect(x.count == curve.width && y.count == curve.width)
            rebuilt = try PublicKey(ec: curve, x: x, y: y)
        } else {
            rebuilt = try PublicKey(ed25519: try #require(key.publicKey.ed25519Bytes))
        }
        #expect(try rebuilt.verify(signature: signature, of: [1, 2, 3], algorithm: algorithm))
        #expect(try rebuilt.pem == key.publicKey.pem)
    }

    @Test("A public key gives the numbers of its own kind only")
    func otherNumbers() throws {
        for kind in Self.kinds {
            let key = try PrivateKey.generate(kind).publicKey
            let present = [key.rsaComponents != nil, key.ecCoordinates != nil, key.ed25519Bytes != nil]
            #expect(present.filter { $0 }.count == 1)
        }
    }

    @Test("A public key refuses to be read from a private block, and the other way round")
    func swappedBlocks() throws {
        let key = try PrivateKey.generate(.p256)
        let (secret, shared) = (try key.pem, try key.publicKey.pem)
        #expect(code { () throws(CryptoError) in try PublicKey(pem: secret) } == .invalidKey)
        #expect(code { () throws(CryptoError) in try PrivateKey(pem: shared) } == .invalidKey)
        #expect(!shared.contains("PRIVATE"))
    }

    @Test("PEM blocks of weak, foreign, encrypted and broken keys are refused for their own reason")
    func refusedBlocks() throws {
        let rows = try Vectors.list("keys", "refused")
        #expect(rows.count >= 10)
        for row in rows {
            let expected = CryptoError.Code(rawValue: try row.text("code"))
            let (secret, shared) = (try row.text("private"), try row.text("public"))
            let name = try row.text("name")
            #expect(code { () throws(CryptoError) in try PrivateKey(pem: secret) } == expected, "\(name)")
            #expect(code { () throws(CryptoError) in try PublicKey(pem: shared) } == expected, "\(name)")
        }
    }

    @Test("The older private blocks of RSA and EC are read")
    func olderBlocks() throws {
        for row in try Vectors.list("keys", "older_blocks") {
            let key = try PrivateKey(pem: row.text("pem"))
            #expect(try key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        }
    }

    @Test("Text that is no PEM, or too much of it, is refused")
    func noBlocks() throws {
        let pem = try PrivateKey.generate(.ed25519).pem
        let padded = String(repeating: " ", count: 70_000) + "\n" + pem
        for text in ["", "x", "-----BEGIN PRIVATE KEY-----", String(pem.dropLast(40)), padded] {
            #expect(code { () throws(CryptoError) in try PrivateKey(pem: text) } == .invalidKey)
            #expect(code { () throws(CryptoError) in try PublicKey(pem: text) } == .invalidKey)
        }
    }

    @Test("RSA numbers are refused for their own reason")
    func rsaNumbers() throws {
        let (good, _) = try #require(try PrivateKey.generate(.rsa(bits: 2048)).publicKey.rsaComponents)
        let even = good.dropLast() + [good[255] & 0xfe]
        func modulus(_ bits: Int) -> [UInt8] { [0x80] + [UInt8](repeating: 0, count: bits / 8 - 2) + [1] }
        let rows: [([UInt8], [UInt8], CryptoError.Code)] = [
            ([], [3], .invalidKey), ([0], [3], .invalidKey), ([1], [3], .weakKey), (modulus(512), [3], .weakKey),
            (modulus(1024), [1, 0, 1], .weakKey), (modulus(2040), [1, 0, 1], .weakKey),
            ([0x7f] + modulus(2048).dropFirst(), [1, 0, 1], .weakKey), ([0, 0] + modulus(2032), [3], .weakKey),
            (Array(even), [1, 0, 1], .invalidKey), (modulus(16392), [1, 0, 1], .invalidKey),
            ([1] + modulus(16384), [1, 0, 1], .invalidKey),
            (good, [], .invalidKey), (good, [0], .invalidKey), (good, [1], .invalidKey),
            (good, [0, 0, 1], .invalidKey),
            (good, [2], .invalidKey), (good, [1, 0, 0], .invalidKey), (good, [1, 0, 2], .invalidKey),
            (good, [1, 0, 0, 0, 0, 0, 0, 0, 1], .invalidKey), (good, good, .invalidKey),
        ]
        for (modulus, exponent, expected) in rows {
            let refusal = code { () throws(CryptoError) in try PublicKey(rsaModulus: modulus, exponent: exponent) }
            #expect(refusal == expected)
        }
        #expect(try PublicKey(rsaModulus: good, exponent: [3]).kind == .rsa(bits: 2048))
    }

    @Test("Points off the curve, of another width, at infinity or above the prime are refused")
    func points() throws {
        for curve in EllipticCurve.allCases {
            let (x, y) = try #require(try PrivateKey.generate(KeyKind(curve)).publicKey.ecCoordinates)
            let zero = [UInt8](repeating: 0, count: curve.width)
            let ones = [UInt8](repeating: 0xff, count: curve.width)
            var off = y
            off[off.count - 1] ^= 1
            let rows: [([UInt8], [UInt8])] = [
                (x, x), (x, off), (y, x), (zero, zero), (ones, ones), (x, zero), (zero, y), (x, ones), ([], []),
                (x, []),
                ([0] + x, y), (x, [0] + y), (Array(x.dropFirst()), y), (x, Array(y.dropLast())), (x + [0], y + [0]),
            ]
            for (x, y) in rows {
                #expect(code { () throws(CryptoError) in try PublicKey(ec: curve, x: x, y: y) } == .invalidKey)
            }
            for other in EllipticCurve.allCases where other != curve {
                #expect(code { () throws(CryptoError) in try PublicKey(ec: other, x: x, y: y) } == .invalidKey)
            }
        }
    }

    @Test("Ed25519 keys have 32 bytes and are no point of small order")
    func edwards() throws {
        let good = try #require(try PrivateKey.generate(.ed25519).publicKey.ed25519Bytes)
        for bytes in [[], Array(good.dropLast()), good + [0], good + good] {
            #expect(code { () throws(CryptoError) in try PublicKey(ed25519: bytes) } == .invalidKey)
        }
        let ends = (low: [UInt8](repeating: 0, count: 31), high: [UInt8](repeating: 0xff, count: 30))
        let small: [[UInt8]] = [
            [0] + ends.low, [1] + ends.low, [0] + ends.low.dropLast() + [0x80], [1] + ends.low.dropLast() + [0x80],
            [0xec] + ends.high + [0x7f], [0xed] + ends.high + [0x7f], [0xee] + ends.high + [0xff],
            try "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05".hexBytes(),
            try "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85".hexBytes(),
            try "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a".hexBytes(),
        ]
        for bytes in small {
            #expect(code { () throws(CryptoError) in try PublicKey(ed25519: bytes) } == .weakKey)
        }
    }

    @Test("RSA keys are made from 2048 to 16384 bits only")
    func sizes() {
        for (bits, expected) in [
            (0, CryptoError.Code.weakKey), (1024, .weakKey), (2047, .weakKey), (16385, .invalidKey),
        ] {
            #expect(code { () throws(CryptoError) in try PrivateKey.generate(.rsa(bits: bits)) } == expected)
        }
    }

    @Test("Neither a private key nor an error prints key material")
    func printing() throws {
        let key = try PrivateKey.generate(.p256)
        let body = try key.pem.split(separator: "\n")[1]
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains(body))
            #expect(!text.contains("0x"))
        }
        #expect(throws: CryptoError(.keyMismatch, "RS256 does not go with this kind of key")) {
            try key.sign([1], algorithm: .rs256)
        }
    }
}
