import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import Proofs
import Testing

@Suite("Signed tokens")
struct JSONWebSignatureTests {
    static let all = Set(SignatureAlgorithm.allCases)

    @Test("The published tokens pass with their keys; symmetric ones have no way in", .standard(36))
    func published() throws {
        var passed = 0
        for vector in try JOSEVectors.list("jws") {
            let compact = try vector.text("compact")
            let keys = try JSONWebKeySet(publishing: try vector.member("public_key"))
            if try vector.text("alg").hasPrefix("HS") {
                let code = refusal { () throws(JOSEError) in
                    try JSONWebSignature.verify(compact: compact, keys: keys, allowed: Self.all)
                }
                #expect(code == .algorithmNotAllowed)
                continue
            }
            passed += 1
            let signed = try JSONWebSignature.verify(compact: compact, keys: keys, allowed: Self.all)
            #expect(try signed.payload == Array(vector.text("payload").utf8))
            #expect(try signed.header.algorithm == vector.text("alg"))
        }
        #expect(passed == 7)
    }

    static let expected: [String: JOSEError.Code] = [
        "key-confusion-hs256-with-rsa-pem": .algorithmNotAllowed,
        "alg-none": .algorithmNotAllowed,
        "alg-None": .algorithmNotAllowed,
        "alg-NONE": .algorithmNotAllowed,
        "alg-nOnE": .algorithmNotAllowed,
        "stripped-signature": .signature,
        "flipped-bit": .signature,
        "payload-swapped": .signature,
        "padding-in-segment": .encoding,
        "four-segments": .malformed,
        "crit-unknown": .criticalExtension,
        "es256-der-signature": .signature,
        "es256-zero-signature": .signature,
        "es256-short-signature": .signature,
        "point-not-on-curve": .invalidKey,
        "duplicate-header-alg": .duplicateMember,
        "rsa-1024-key": .weakKey,
    ]

    @Test(
        "Each hostile token is refused for its own reason, and the honest one beside them passes", .standard(34, 35, 36)
    )
    func hostile() throws {
        let control = try JOSEVectors.read("jws-negative").member("positive_control")
        let keys = try JSONWebKeySet(publishing: try control.member("key"))
        let signed = try JSONWebSignature.verify(compact: control.text("compact"), keys: keys, allowed: Self.all)
        #expect(try signed.claims()["sub"] == .string("u1"))

        let vectors = try JOSEVectors.list("jws-negative")
        #expect(Set(vectors.compactMap { $0["id"]?.string }) == Set(Self.expected.keys))
        for vector in vectors {
            let (name, compact) = (try vector.text("id"), try vector.text("compact"))
            let keys = try JSONWebKeySet(publishing: try vector.member("key"))
            let code = refusal { () throws(JOSEError) in
                try JSONWebSignature.verify(compact: compact, keys: keys, allowed: Self.all)
            }
            #expect(code == Self.expected[name], "\(name)")
        }
    }

    static let signer = Result { try PrivateKey.generate(.p256) }

    static func token(header: String, payload: String = "{}", signature: [UInt8]? = nil) throws -> String {
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8)))"
        let genuine = try signer.get().sign(Array(input.utf8), algorithm: .es256)
        return "\(input).\(Base64URL.encode(signature ?? genuine))"
    }

    @Test("A header that is odd is refused although the signature is right", .standard(34))
    func headers() throws {
        let keys = JSONWebKeySet([JSONWebKey(try Self.signer.get().publicKey, keyID: "k")])
        let good = [
            #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":"k","typ":"JWT","other":[1]}"#, #"{"alg":"ES256","b64":true}"#,
            #"{"alg":"ES256","jwk":{"kty":"oct"},"jku":"https://evil.example","x5u":"https://evil.example","x5c":["A"]}"#,
        ]
        for header in good {
            _ = try JSONWebSignature.verify(compact: Self.token(header: header), keys: keys, allowed: [.es256])
        }
        let rows: [(String, JOSEError.Code)] = [
            ("", .header), ("x", .header), ("[]", .header), ("[\"ES256\"]", .header), ("{\"alg\":\"ES256\"", .header),
            (#"{"alg":"ES256"}{}"#, .header), ("\u{FEFF}{\"alg\":\"ES256\"}", .header), (#"{}"#, .algorithmNotAllowed),
            (#"{"alg":null}"#, .algorithmNotAllowed),
            (#"{"alg":1}"#, .algorithmNotAllowed), (#"{"alg":["ES256"]}"#, .algorithmNotAllowed),
            (#"{"alg":"es256"}"#, .algorithmNotAllowed), (#"{"alg":"ES256 "}"#, .algorithmNotAllowed),
            (#"{"alg":"ES256K"}"#, .algorithmNotAllowed), (#"{"alg":"RS256"}"#, .algorithmNotAllowed),
            (#"{"alg":""}"#, .algorithmNotAllowed), (#"{"ALG":"ES256"}"#, .algorithmNotAllowed),
            (#"{"alg":"ES256","alg":"ES256"}"#, .duplicateMember),
            (#"{"alg":"none","\u0061lg":"ES256"}"#, .duplicateMember),
            (#"{"alg":"ES256","a":{"b":1,"b":1}}"#, .duplicateMember),
            (#"{"alg":"ES256","crit":[]}"#, .criticalExtension),
            (#"{"alg":"ES256","crit":["exp"]}"#, .criticalExtension),
            (#"{"alg":"ES256","crit":null}"#, .criticalExtension),
            (#"{"alg":"ES256","crit":["b64"],"b64":true}"#, .criticalExtension),
            (#"{"alg":"ES256","b64":false}"#, .unencodedPayload), (#"{"alg":"ES256","b64":0}"#, .unencodedPayload),
            (#"{"alg":"ES256","kid":1}"#, .header), (#"{"alg":"ES256","typ":["JWT"]}"#, .header),
            (#"{"alg":"ES256","kid":"other"}"#, .unknownKeyID), (#"{"alg":"ES256","kid":""}"#, .unknownKeyID),
        ]
        for (header, expected) in rows {
            let token = try Self.token(header: header)
            let code = refusal { () throws(JOSEError) in
                try JSONWebSignature.verify(compact: token, keys: keys, allowed: [.es256])
            }
            #expect(code == expected, "\(header)")
        }
    }

    @Test("Text that is not exactly three segments of strict base64url is refused", .standard(30))
    func segments() throws {
        let keys = JSONWebKeySet([JSONWebKey(try Self.signer.get().publicKey)])
        let good = try Self.token(header: #"{"alg":"ES256"}"#)
        let parts = good.split(separator: ".").map(String.init)
        let huge = String(repeating: "A", count: JSONWebSignature.sizeLimit)
        let rows: [(String, JOSEError.Code)] = [
            ("", .malformed), (".", .malformed), ("..", .header), ("...", .malformed), (parts[0], .malformed),
            ("\(parts[0]).\(parts[1])", .malformed), (good + ".", .malformed), ("." + good, .malformed),
            (good + ".x", .malformed), ("\(parts[0]).\(huge).\(parts[2])", .malformed),
            (" " + good, .encoding), (good + " ", .encoding), (good + "\n", .encoding), (good + "=", .encoding),
            ("\(parts[0]).\(parts[1])=.\(parts[2])", .encoding), ("\(parts[0]).{}.\(parts[2])", .encoding),
            ("\(parts[0])A.\(parts[1]).\(parts[2])", .encoding), ("é.\(parts[1]).\(parts[2])", .encoding),
            ("\(parts[0]).\(parts[1]).", .signature), ("\(parts[0])..\(parts[2])", .signature),
            ("Bearer \(good)", .encoding),
        ]
        for (token, expected) in rows {
            let code = refusal { () throws(JOSEError) in
                try JSONWebSignature.verify(compact: token, keys: keys, allowed: Self.all)
            }
            #expect(code == expected)
        }
    }

    @Test("The key must be there, be the right one of those with its name, and go with the algorithm", .standard(34))
    func keys() throws {
        let token = try Self.token(header: #"{"alg":"ES256","kid":"k"}"#)
        let own = try Self.signer.get().publicKey
        let stranger = try PrivateKey.generate(.p256).publicKey
        let other = try PrivateKey.generate(.ed25519).publicKey
        let rows: [([JSONWebKey], JOSEError.Code)] = [
            ([], .unknownKeyID), ([JSONWebKey(stranger, keyID: "k")], .signature),
            ([JSONWebKey(other, keyID: "k")], .keyMismatch), ([JSONWebKey(own, keyID: "k", use: "enc")], .keyMismatch),
            ([JSONWebKey(stranger, keyID: "k"), JSONWebKey(stranger, keyID: "k", use: "sig")], .signature),
            ([JSONWebKey(stranger, keyID: "k"), JSONWebKey(other, keyID: "k")], .signature),
            ([JSONWebKey(own, keyID: "k", use: "enc"), JSONWebKey(stranger, keyID: "k")], .signature),
            ([JSONWebKey(stranger)], .signature),
            ([JSONWebKey(own), JSONWebKey(stranger, keyID: "other")], .unknownKeyID),
        ]
        for (keys, expected) in rows {
            let code = refusal { () throws(JOSEError) in
                try JSONWebSignature.verify(compact: token, keys: JSONWebKeySet(keys), allowed: [.es256])
            }
            #expect(code == expected)
        }
        // Of several keys with one name, the one that has made the signature counts, wherever it stands.
        let several = [JSONWebKey(stranger, keyID: "k"), JSONWebKey(own, keyID: "k"), JSONWebKey(other, keyID: "k")]
        for keys in [several, several.reversed(), [several[1], several[1], several[0]]] {
            let signed = try JSONWebSignature.verify(compact: token, keys: JSONWebKeySet(keys), allowed: [.es256])
            #expect(signed.key.thumbprint == several[1].thumbprint)
        }
        let unnamed = try Self.token(header: #"{"alg":"ES256"}"#)
        let code = refusal { () throws(JOSEError) in
            try JSONWebSignature.verify(compact: unnamed, keys: JSONWebKeySet(), allowed: [.es256])
        }
        #expect(code == .noKey)
        _ = try JSONWebSignature.verify(compact: unnamed, keys: JSONWebKeySet(several), allowed: [.es256])
    }

    @Test("Claims are a strict JSON object")
    func claims() throws {
        let keys = JSONWebKeySet([JSONWebKey(try Self.signer.get().publicKey)])
        let rows: [(String, JOSEError.Code)] = [
            ("", .claims), ("x", .claims), ("[]", .claims), ("1", .claims), ("{} {}", .claims),
            (#"{"sub":"a","sub":"b"}"#, .duplicateMember),
        ]
        for (payload, expected) in rows {
            let token = try Self.token(header: #"{"alg":"ES256"}"#, payload: payload)
            let signed = try JSONWebSignature.verify(compact: token, keys: keys, allowed: [.es256])
            #expect(refusal { () throws(JOSEError) in try signed.claims() } == expected)
        }
    }

    @Test("What is signed here passes here, and an algorithm that does not go with the key signs nothing")
    func signing() throws {
        for kind in [KeyKind.p256, .p384, .p521, .ed25519] {
            let key = try PrivateKey.generate(kind)
            let algorithm = try #require(SignatureAlgorithm.allCases.first { kind.supports($0) })
            let token = try JSONWebSignature.sign(
                Array("{}".utf8), header: ["alg": .string("none"), "typ": .string("dpop+jwt")], with: key,
                algorithm: algorithm)
            let keys = JSONWebKeySet([JSONWebKey(key.publicKey)])
            let signed = try JSONWebSignature.verify(compact: token, keys: keys, allowed: [algorithm])
            #expect(signed.header.type == "dpop+jwt")
            let code = refusal { () throws(JOSEError) in
                try JSONWebSignature.sign([], with: key, algorithm: .rs256)
            }
            #expect(code == .keyMismatch)
        }
    }

    @Test("Half hashes are those of OpenID Connect Core, appendix A", .standard(42))
    func halfHashes() throws {
        for vector in try JOSEVectors.list("oidc-hashes") {
            let algorithm = try #require(SignatureAlgorithm(rawValue: vector.text("alg")))
            let token = Secret(try (vector["access_token"] ?? vector["code"])?.string ?? vector.text("access_token"))
            let expected = vector["at_hash"] ?? vector["c_hash"]
            #expect(JSON.string(TokenHash.leftHalf(of: token, algorithm: algorithm)) == expected)
        }
    }
}
