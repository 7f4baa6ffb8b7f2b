import LatchkeyCrypto
import LatchkeyJSON
import Testing

@Suite("Signatures")
struct SignatureTests {
    static let kinds: [KeyKind] = [.rsa(bits: 2048), .p256, .p384, .p521, .ed25519]
    static let keys = Result { try kinds.map { try PrivateKey.generate($0) } }
    static let message = Array("the message".utf8)

    @Test("Every algorithm signs what it checks, and no other key, message or algorithm passes")
    func roundTrips() throws {
        var signed = 0
        for key in try Self.keys.get() {
            let stranger = try PrivateKey.generate(key.kind).publicKey
            for algorithm in SignatureAlgorithm.allCases where key.kind.supports(algorithm) {
                signed += 1
                let signature = try key.sign(Self.message, algorithm: algorithm)
                #expect(signature.count == key.kind.signatureLength)
                #expect(try key.publicKey.verify(signature: signature, of: Self.message, algorithm: algorithm))
                #expect(try !key.publicKey.verify(signature: signature, of: Self.message + [0], algorithm: algorithm))
                #expect(try !key.publicKey.verify(signature: signature, of: [], algorithm: algorithm))
                #expect(try !stranger.verify(signature: signature, of: Self.message, algorithm: algorithm))
                for other in SignatureAlgorithm.allCases where other != algorithm && key.kind.supports(other) {
                    #expect(try !key.publicKey.verify(signature: signature, of: Self.message, algorithm: other))
                }
            }
        }
        #expect(signed == SignatureAlgorithm.allCases.count)
    }

    @Test("An algorithm that does not go with the key is an error, not a wrong signature")
    func mismatches() throws {
        var refused = 0
        for key in try Self.keys.get() {
            let signature = [UInt8](repeating: 1, count: key.kind.signatureLength)
            for algorithm in SignatureAlgorithm.allCases where !key.kind.supports(algorithm) {
                refused += 1
                let verifying = code { () throws(CryptoError) in
                    try key.publicKey.verify(signature: signature, of: Self.message, algorithm: algorithm)
                }
                let signing = code { () throws(CryptoError) in try key.sign(Self.message, algorithm: algorithm) }
                #expect(verifying == .keyMismatch)
                #expect(signing == .keyMismatch)
            }
        }
        #expect(refused == 4 + 9 * 4)
    }

    @Test("A signature that is empty, zero, cut, lengthened, or changed in any byte is wrong")
    func hostileBytes() throws {
        for key in try Self.keys.get() {
            for algorithm in SignatureAlgorithm.allCases where key.kind.supports(algorithm) {
                let genuine = try key.sign(Self.message, algorithm: algorithm)
                var wrong: [[UInt8]] = [
                    [], [0], [UInt8](repeating: 0, count: genuine.count),
                    [UInt8](repeating: 0xff, count: genuine.count),
                    Array(genuine.dropLast()), Array(genuine.dropFirst()), genuine + [0], [0] + genuine,
                    genuine + genuine,
                ]
                for index in genuine.indices {
                    var changed = genuine
                    changed[index] ^= 1
                    wrong.append(changed)
                }
                for signature in wrong {
                    #expect(try !key.publicKey.verify(signature: signature, of: Self.message, algorithm: algorithm))
                }
                // The contexts that refused are still good for the next signature.
                #expect(try key.publicKey.verify(signature: genuine, of: Self.message, algorithm: algorithm))
            }
        }
    }

    @Test("r and s of ECDSA lie from 1 to n - 1", arguments: EllipticCurve.allCases)
    func ranges(curve: EllipticCurve) throws {
        let key = try PrivateKey.generate(KeyKind(curve))
        let algorithm: SignatureAlgorithm =
            switch curve {
            case .p256: .es256
            case .p384: .es384
            case .p521: .es512
            }
        let order = try Self.order(curve)
        let zero = [UInt8](repeating: 0, count: curve.width)
        let one: [UInt8] = Array(zero.dropLast()) + [1]
        let genuine = try key.sign(Self.message, algorithm: algorithm)
        let (r, s) = (Array(genuine.prefix(curve.width)), Array(genuine.suffix(curve.width)))
        let pairs: [([UInt8], [UInt8])] = [
            (r, zero), (zero, s), (zero, zero), (one, zero), (zero, one), (r, order), (order, s), (order, order),
            (one, one), (s, r),
        ]
        for (first, second) in pairs {
            let wrong = first + second
            #expect(try !key.publicKey.verify(signature: wrong, of: Self.message, algorithm: algorithm))
        }
        // s + n is the same number modulo n; where it fits the width it must not pass either.
        if let lifted = Self.sum(s, order) {
            #expect(try !key.publicKey.verify(signature: r + lifted, of: Self.message, algorithm: algorithm))
        }
    }

    @Test("Signatures of another implementation pass, and their DER form does not")
    func interoperable() throws {
        let rows = try Vectors.list("keys", "interoperable")
        #expect(rows.count == 7)
        for row in rows {
            let key = try PublicKey(pem: row.text("public"))
            let algorithm = try #require(SignatureAlgorithm(rawValue: row.text("alg")))
            let message = Array(try row.text("message").utf8)
            #expect(try key.verify(signature: row.bytes(hex: "signature"), of: message, algorithm: algorithm))
            guard row["der"] != nil else { continue }
            #expect(try !key.verify(signature: row.bytes(hex: "der"), of: message, algorithm: algorithm))
        }
    }

    @Test("PSS takes a salt as long as the digest and the mask of the same hash, nothing else")
    func salts() throws {
        let row = try #require(try Vectors.read("keys")["pss"])
        let key = try PublicKey(pem: row.text("public"))
        let message = Array(try row.text("message").utf8)
        for (name, passes) in [
            ("digest_salt", true), ("maximal_salt", false), ("no_salt", false), ("foreign_mask", false),
        ] {
            #expect(try key.verify(signature: row.bytes(hex: name), of: message, algorithm: .ps256) == passes)
        }
    }

    @Test("An Ed25519 signature with S + L in place of S is wrong")
    func malleability() throws {
        let row = try #require(try Vectors.read("keys")["ed25519_malleability"])
        let key = try PublicKey(ed25519: row.bytes(hex: "public"))
        let message = Array(try row.text("message").utf8)
        #expect(try key.verify(signature: row.bytes(hex: "signature"), of: message, algorithm: .edDSA))
        #expect(try !key.verify(signature: row.bytes(hex: "malleated"), of: message, algorithm: .edDSA))
    }

    @Test("The published JWS signatures pass, and the deterministic ones come out of the published keys")
    func published() throws {
        let keys = try Vectors.list("keys", "deterministic")
        var checked = 0
        for vector in try Vectors.list("jws") {
            guard let algorithm = SignatureAlgorithm(rawValue: try vector.text("alg")) else { continue }
            let segments = try vector.text("compact").split(separator: ".").map(String.init)
            let input = Array("\(segments[0]).\(segments[1])".utf8)
            let signature = try Base64URL.decode(segments[2])
            let key = try Self.key(try #require(vector["public_key"]))
            #expect(try key.verify(signature: signature, of: input, algorithm: algorithm))
            #expect(try !key.verify(signature: signature, of: input + [0], algorithm: algorithm))
            if let pem = keys.first(where: { $0["id"] == vector["id"] })?["pem"]?.string {
                #expect(try PrivateKey(pem: pem).sign(input, algorithm: algorithm) == signature)
            }
            checked += 1
        }
        #expect(checked == 7)
    }

    @Test("Sixteen tasks check and sign with one key at once")
    func concurrency() async throws {
        for key in try Self.keys.get() {
            let algorithm = try #require(SignatureAlgorithm.allCases.first { key.kind.supports($0) })
            let genuine = try key.sign(Self.message, algorithm: algorithm)
            var wrong = genuine
            wrong[wrong.count - 1] ^= 1
            let results = try await withThrowingTaskGroup(of: Bool.self) { [wrong] group in
                for _ in 0..<16 {
                    group.addTask {
                        for _ in 0..<20 {
                            let public_ = key.publicKey
                            guard try public_.verify(signature: genuine, of: Self.message, algorithm: algorithm),
                                try !public_.verify(signature: wrong, of: Self.message, algorithm: algorithm)
                            else { return false }
                        }
                        let own = try key.sign(Self.message, algorithm: algorithm)
                        return try key.publicKey.verify(signature: own, of: Self.message, algorithm: algorithm)
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(results == [Bool](repeating: true, count: 16))
        }
    }
}

extension SignatureTests {
    static func order(_ curve: EllipticCurve) throws -> [UInt8] {
        switch curve {
        case .p256: try "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551".hexBytes()
        case .p384:
            try
                ("ffffffffffffffffffffffffffffffffffffffffffffffff"
                + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973").hexBytes()
        case .p521:
            try
                ("01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
                + "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409").hexBytes()
        }
    }

    /// The sum of two numbers of one width; `nil` when it needs more.
    static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8]? {
        var result = left
        var carry: UInt16 = 0
        for index in left.indices.reversed() {
            carry += UInt16(left[index]) + UInt16(right[index])
            result[index] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        return carry == 0 ? result : nil
    }

    static func key(_ jwk: JSON) throws -> PublicKey {
        func bytes(_ name: String) throws -> [UInt8] { try Base64URL.decode(jwk.text(name)) }
        switch (jwk["kty"]?.string, jwk["crv"]?.string) {
        case ("RSA", _): return try PublicKey(rsaModulus: bytes("n"), exponent: bytes("e"))
        case ("EC", "P-256"): return try PublicKey(ec: .p256, x: bytes("x"), y: bytes("y"))
        case ("EC", "P-384"): return try PublicKey(ec: .p384, x: bytes("x"), y: bytes("y"))
        case ("EC", "P-521"): return try PublicKey(ec: .p521, x: bytes("x"), y: bytes("y"))
        default: return try PublicKey(ed25519: bytes("x"))
        }
    }
}
