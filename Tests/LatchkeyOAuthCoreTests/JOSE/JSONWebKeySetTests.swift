import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import Testing

@Suite("Key sets")
struct JSONWebKeySetTests {
    static let first = Result { try PrivateKey.generate(.p256).publicKey }
    static let second = Result { try PrivateKey.generate(.p256).publicKey }
    static let edwards = Result { try PrivateKey.generate(.ed25519).publicKey }

    static func name(_ selection: JSONWebKeySet.Selection) -> String {
        switch selection {
        case .key(let key): "key \(key.keyID ?? "-")"
        case .unknownKeyID: "unknownKeyID"
        case .ambiguous: "ambiguous"
        case .mismatched: "mismatched"
        case .refused(let error): "refused \(error.code)"
        case .none: "none"
        }
    }

    @Test("Exactly one key is chosen, by type, algorithm, use and identifier")
    func selection() throws {
        let (first, second, edwards) = (try Self.first.get(), try Self.second.get(), try Self.edwards.get())
        let a = JSONWebKey(first, keyID: "a")
        let b = JSONWebKey(second, keyID: "b")
        let e = JSONWebKey(edwards, keyID: "e")
        let bare = JSONWebKey(first)
        let encrypting = JSONWebKey(second, keyID: "x", use: "enc")
        let rows: [([JSONWebKey], SignatureAlgorithm, String?, String)] = [
            ([], .es256, nil, "none"), ([], .es256, "a", "unknownKeyID"),
            ([a], .es256, nil, "key a"), ([a], .es256, "a", "key a"), ([a], .es256, "b", "unknownKeyID"),
            ([a], .es256, "A", "unknownKeyID"), ([a], .es256, "", "unknownKeyID"),
            ([a, b], .es256, "b", "key b"), ([a, b], .es256, nil, "ambiguous"), ([a, e], .es256, nil, "key a"),
            ([a, e], .edDSA, nil, "key e"), ([a, e], .edDSA, "a", "mismatched"), ([a, e], .rs256, nil, "mismatched"),
            ([a], .es384, "a", "mismatched"), ([a, a], .es256, "a", "ambiguous"),
            ([a, JSONWebKey(edwards, keyID: "a")], .edDSA, "a", "key a"),
            ([bare], .es256, "a", "unknownKeyID"), ([bare], .es256, nil, "key -"),
            ([encrypting], .es256, "x", "mismatched"), ([encrypting, a], .es256, nil, "key a"),
            ([JSONWebKey(first, keyID: "a", algorithm: "ES384")], .es256, "a", "mismatched"),
        ]
        for (keys, algorithm, keyID, expected) in rows {
            #expect(Self.name(JSONWebKeySet(keys).select(algorithm, keyID: keyID)) == expected)
        }
    }

    @Test("Keys of unknown types are skipped, and a broken one spoils no other but is named when asked for")
    func tolerance() throws {
        let good = JSONWebKey(try Self.first.get(), keyID: "good").json
        let keys = try JSONWebKeySet(
            publishing: .object(["kty": .string("PQC"), "kid": .string("new")]), .object(["kty": .string("oct")]),
            .object(["kty": .string("EC"), "crv": .string("P-256"), "kid": .string("broken")]),
            .object(["kty": .string("RSA"), "n": .string("AQAB"), "e": .string("AQAB"), "kid": .string("weak")]),
            .integer(7), good)
        #expect(keys.keys.count == 1)
        #expect(Self.name(keys.select(.es256, keyID: "good")) == "key good")
        #expect(Self.name(keys.select(.es256, keyID: nil)) == "key good")
        #expect(Self.name(keys.select(.es256, keyID: "broken")) == "refused invalidKey")
        #expect(Self.name(keys.select(.rs256, keyID: "weak")) == "refused weakKey")
        #expect(Self.name(keys.select(.es256, keyID: "new")) == "unknownKeyID")
    }

    @Test("What is no key set, or is too large, is refused")
    func refusedSets() {
        let many = JSON.array([JSON](repeating: .object([:]), count: JSONWebKeySet.limit + 1))
        for json in [
            JSON.null, .array([]), .object([:]), .object(["keys": .null]), .object(["keys": .object([:])]),
            .object(["keys": many]),
        ] {
            #expect(refusal { () throws(JOSEError) in try JSONWebKeySet(parsing: json) } == .invalidKeySet)
        }
    }

    static func at(_ seconds: Int) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

    @Test("An unknown identifier leads to one fetch, and to no other within a minute")
    func refresh() throws {
        let key = JSONWebKey(try Self.first.get(), keyID: "a")
        let rule = KeySetRefreshRule()
        var held = HeldKeySet()
        func decide(_ keyID: String, _ seconds: Int) -> KeySetRefreshRule.Decision {
            rule.decide(held.keys.select(.es256, keyID: keyID), in: held, now: Self.at(seconds))
        }
        #expect(decide("a", 0) == .fetch)
        held.beginFetch(at: Self.at(0))
        held.endFetch(with: JSONWebKeySet([key]), at: Self.at(1))
        #expect(decide("a", 1) == .use)
        #expect(decide("b", 59) == .use)
        #expect(decide("b", 60) == .fetch)
        held.beginFetch(at: Self.at(60))
        #expect(decide("b", 61) == .use)
        held.endFetch(with: nil, at: Self.at(62))
        #expect(decide("b", 63) == .use)
        #expect(decide("a", 200) == .use)
        #expect(decide("b", 120) == .fetch)
    }

    @Test("A set that answers is fetched again after an hour, and a wrong kind of key never causes a fetch")
    func age() throws {
        let key = JSONWebKey(try Self.first.get(), keyID: "a")
        let rule = KeySetRefreshRule()
        var held = HeldKeySet()
        held.beginFetch(at: Self.at(0))
        held.endFetch(with: JSONWebKeySet([key]), at: Self.at(0))
        func decide(_ algorithm: SignatureAlgorithm, _ seconds: Int) -> KeySetRefreshRule.Decision {
            rule.decide(held.keys.select(algorithm, keyID: "a"), in: held, now: Self.at(seconds))
        }
        #expect(decide(.es256, 3599) == .use)
        #expect(decide(.es256, 3600) == .fetch)
        #expect(decide(.rs256, 3599) == .use)
        held.beginFetch(at: Self.at(3600))
        #expect(decide(.es256, 3601) == .use)
    }

    @Test("An empty or failed fetch never wipes a good set")
    func keeping() throws {
        let key = JSONWebKey(try Self.first.get(), keyID: "a")
        var held = HeldKeySet()
        held.endFetch(with: JSONWebKeySet([key]), at: Self.at(0))
        let skipped = try JSONWebKeySet(publishing: .object(["kty": .string("oct")]))
        for useless in [nil, JSONWebKeySet(), skipped] {
            held.beginFetch(at: Self.at(100))
            held.endFetch(with: useless, at: Self.at(101))
            #expect(held.keys.keys.map(\.keyID) == ["a"])
            #expect(held.fetchedAt == Self.at(0))
        }
    }
}
