import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import Testing

@Suite("JSON web keys")
struct JSONWebKeyTests {
    @Test("The published keys are read, symmetric ones are not supported")
    func published() throws {
        var supported = 0
        for vector in try JOSEVectors.list("jwk") {
            let json = try vector.member("jwk")
            if json["kty"]?.string == "oct" {
                #expect(refusal { () throws(JOSEError) in try JSONWebKey(parsing: json) } == .unsupportedKey)
                continue
            }
            supported += 1
            let key = try JSONWebKey(parsing: json)
            #expect(try key.thumbprint == vector.text("thumbprint_sha256"))
            #expect(key.keyID == json["kid"]?.string)
            #expect(key.use == json["use"]?.string)
        }
        #expect(supported == 9)
    }

    @Test("Thumbprints are those of RFC 7638 and RFC 8037")
    func thumbprints() throws {
        for vector in try JOSEVectors.list("jwk-thumbprint") {
            #expect(try JSONWebKey(parsing: vector.member("jwk")).thumbprint == vector.text("thumbprint"))
        }
    }

    @Test("What is written of a key holds its public members only and reads back the same")
    func writing() throws {
        for vector in try JOSEVectors.list("jwk") where vector["jwk"]?["kty"]?.string != "oct" {
            let json = try vector.member("jwk")
            let written = try JSONWebKey(parsing: json).json
            for name in ["d", "p", "q", "dp", "dq", "qi", "k"] { #expect(written[name] == nil) }
            for name in ["kty", "crv", "x", "y", "n", "e", "kid", "alg", "use"] { #expect(written[name] == json[name]) }
            #expect(try JSONWebKey(parsing: written).json == written)
        }
    }

    static let ec = try? JSONWebKey(PrivateKey.generate(.p256).publicKey).json
    static let rsa = try? JSONWebKey(PrivateKey.generate(.rsa(bits: 2048)).publicKey).json
    static let ed = try? JSONWebKey(PrivateKey.generate(.ed25519).publicKey).json

    @Test("A key with a missing, broken, foreign or weak member is refused for its own reason")
    func refusals() throws {
        let (ec, rsa, ed) = (try #require(Self.ec), try #require(Self.rsa), try #require(Self.ed))
        let rows: [(JSON, String, JSON?, JOSEError.Code)] = [
            (ec, "kty", nil, .invalidKey), (ec, "kty", .integer(1), .invalidKey),
            (ec, "kty", .string("ec"), .unsupportedKey), (ec, "kty", .string("oct"), .unsupportedKey),
            (ec, "crv", nil, .unsupportedKey), (ec, "crv", .string("secp256k1"), .unsupportedKey),
            (ec, "crv", .string("P-384"), .invalidKey), (ec, "x", nil, .invalidKey), (ec, "y", nil, .invalidKey),
            (ec, "y", ec["x"], .invalidKey), (ec, "x", .string(""), .invalidKey), (ec, "x", .string("AA"), .invalidKey),
            (ec, "x", .string("===="), .invalidKey), (ec, "x", .integer(1), .invalidKey),
            (ec, "kid", .integer(1), .invalidKey), (ec, "use", .bool(true), .invalidKey),
            (ec, "alg", .array([]), .invalidKey), (ec, "key_ops", .integer(1), .invalidKey),
            (rsa, "n", nil, .invalidKey), (rsa, "e", nil, .invalidKey), (rsa, "n", .string("AQAB"), .weakKey),
            (rsa, "e", .string("AQ"), .invalidKey), (rsa, "e", .string("AAAC"), .invalidKey),
            (rsa, "n", .string("AQAC"), .invalidKey), (ed, "crv", .string("X25519"), .unsupportedKey),
            (ed, "crv", .string("Ed448"), .unsupportedKey), (ed, "x", .string("AQAB"), .invalidKey),
            (ed, "x", .string(String(repeating: "A", count: 43)), .weakKey),
        ]
        for (json, name, value, expected) in rows {
            var members = try #require(json.object)
            members[name] = value
            let code = refusal { () throws(JOSEError) in try JSONWebKey(parsing: .object(members)) }
            #expect(code == expected, "\(name)")
        }
        for json in [JSON.null, .array([]), .string("x"), .object([:])] {
            #expect(refusal { () throws(JOSEError) in try JSONWebKey(parsing: json) } == .invalidKey)
        }
    }

    @Test("A key checks signatures only for what its owner says it is for")
    func purposes() throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048)).publicKey
        #expect(JSONWebKey(key).accepts(.rs256))
        #expect(JSONWebKey(key, algorithm: "RS256", use: "sig", operations: ["verify"]).accepts(.rs256))
        for wrong in [
            JSONWebKey(key, algorithm: "RS512"), JSONWebKey(key, algorithm: "rs256"), JSONWebKey(key, use: "enc"),
            JSONWebKey(key, operations: ["encrypt"]), JSONWebKey(key, operations: []),
        ] {
            #expect(!wrong.accepts(.rs256))
        }
        #expect(!JSONWebKey(key).accepts(.es256))
    }
}
