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
        case .several(let keys): "several \(keys.count)"
        case .mismatched: "mismatched"
        case .refused(let error): "refused \(error.code)"
        case .none: "none"
        }
    }

    @Test("The keys that fit are chosen, each once, by type, algorithm, use and identifier")
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
            ([a, b], .es256, "b", "key b"), ([a, b], .es256, nil, "several 2"), ([a, e], .es256, nil, "key a"),
            ([a, e], .edDSA, nil, "key e"), ([a, e], .edDSA, "a", "mismatched"), ([a, e], .rs256, nil, "mismatched"),
            ([a], .es384, "a", "mismatched"), ([a, a], .es256, "a", "key a"),
            ([a, b, a, bare, b], .es256, nil, "several 2"),
            ([a, JSONWebKey(second, keyID: "a")], .es256, "a", "several 2"),
            ([a, JSONWebKey(second, keyID: "a", use: "enc")], .es256, "a", "key a"),
            ([a, JSONWebKey(edwards, keyID: "a")], .edDSA, "a", "key a"),
            ([bare], .es256, "a", "key -"), ([bare], .es256, nil, "key -"), ([bare, a], .es256, "c", "unknownKeyID"),
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
        #expect(Self.name(keys.select(.es256, keyID: "new")) == "refused unsupportedKey")
        #expect(Self.name(keys.select(.es256, keyID: "newer")) == "unknownKeyID")
    }

    @Test("Where no key can be used, the reason of each is told, shortly and without what the keys hold")
    func reasons() throws {
        let key = try Self.first.get()
        let unfit = JSONWebKeySet([
            JSONWebKey(key, keyID: "a", use: "s3cr3t"), JSONWebKey(key, keyID: "a", algorithm: "s3cr3t"),
            JSONWebKey(key, keyID: "a", operations: []), JSONWebKey(try Self.edwards.get(), keyID: "a"),
        ])
        #expect(Self.name(unfit.select(.es256, keyID: "a")) == "mismatched")
        #expect(
            unfit.reason(.es256, "a")
                == "none of 4 keys can check the token: (1) the key's use is not signatures, (2) the key is for another "
                + "algorithm than ES256, (3) the key is not for verifying, (4) the key's type does not go with ES256")
        let broken = try JSONWebKeySet(
            publishing: .object(["kty": "oct"]), .object(["kty": "EC", "crv": "P-256"]), .integer(7), .object([:]),
            .object(["kty": "RSA", "n": "AQAB", "e": "AQAB"]))
        guard case .refused(let error) = broken.select(.es256, keyID: nil) else {
            Issue.record("a key was chosen")
            return
        }
        #expect(error.reason.hasPrefix("none of 5 keys can check the token: (1) the key has a type or curve"))
        #expect(error.reason.hasSuffix(", and 1 more"))
        #expect(broken.isEmpty)
    }

    @Test("Of more than a hundred keys, one that a token names is read wherever it stands; a broken one spoils nothing")
    func many() throws {
        let good = JSONWebKey(try Self.first.get(), keyID: "good").json
        let other = JSONWebKey(try Self.second.get(), keyID: "good").json
        for count in [JSONWebKeySet.limit - 1, JSONWebKeySet.limit, 1_500] {
            var elements = [JSON](repeating: JSONWebKey(try Self.edwards.get(), keyID: "e").json, count: count)
            elements += [.object(["kty": "EC", "crv": "P-256", "kid": "broken"]), good, .null, good]
            let set = try JSONWebKeySet(parsing: .object(["keys": .array(elements)]))
            #expect(set.keys.count <= JSONWebKeySet.limit && !set.isEmpty)
            #expect(Self.name(set.select(.es256, keyID: "good")) == "key good")
            #expect(Self.name(set.select(.es256, keyID: "broken")) == "refused invalidKey")
            #expect(Self.name(set.select(.es256, keyID: "none")) == "unknownKeyID")
            let twice = try JSONWebKeySet(parsing: .object(["keys": .array(elements + [other])]))
            #expect(Self.name(twice.select(.es256, keyID: "good")) == "several 2")
        }
    }

    @Test("Odd members beside the numbers of a key: an empty text says nothing, one operation may stand alone")
    func oddMembers() throws {
        func set(_ more: [String: JSON]) throws -> JSONWebKeySet {
            let json = JSONWebKey(try Self.first.get(), keyID: "a").json
            return try JSONWebKeySet(publishing: .object((json.object ?? [:]).merging(more) { $1 }))
        }
        for more: [String: JSON] in [
            ["use": ""], ["alg": ""], ["use": .null], ["alg": .null], ["key_ops": "verify"], ["key_ops": .null],
            ["x5c": "no list"], ["x5t": 1], ["exp": "never"], ["issuer": .null], ["n": .null], ["d": "s3cr3t"],
        ] { #expect(Self.name(try set(more).select(.es256, keyID: "a")) == "key a", "\(more.keys)") }
        for (more, expected) in [
            (["use": "enc"], "mismatched"), (["use": "SIG"], "mismatched"), (["use": 1], "refused invalidKey"),
            (["alg": ["ES256"]], "refused invalidKey"), (["key_ops": "sign"], "mismatched"),
            (["key_ops": ["sign"]], "mismatched"), (["key_ops": 1], "refused invalidKey"),
            (["kid": 1], "unknownKeyID"),
        ] as [([String: JSON], String)] {
            #expect(Self.name(try set(more).select(.es256, keyID: "a")) == expected, "\(more.keys)")
        }
    }

    @Test("Where the set names no key, each may be the one that the token names; one name in it is enough to say no")
    func nameless() throws {
        let key = try Self.first.get()
        for (names, isFound) in [([nil], true), ([nil, nil], true), (["a"], false), ([nil, "a"], false)] {
            let set = JSONWebKeySet(names.map { JSONWebKey(key, keyID: $0) })
            var found = false
            if case .key = set.select(.es256, keyID: "b") { found = true }
            #expect(found == isFound, "\(names)")
        }
        guard case .unknownKeyID = JSONWebKeySet().select(.es256, keyID: "b") else {
            return #expect(Bool(false), "An empty set has no key to try.")
        }
    }

    @Test("What is no key set is refused")
    func refusedSets() {
        for json in [
            JSON.null, .array([]), .object([:]), .object(["keys": .null]), .object(["keys": .object([:])]),
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
        held.beginFetch(at: Self.at(2))
        held.endFetch(with: JSONWebKeySet([key]), at: Self.at(2))
        #expect(decide("b", 59) == .use)
        #expect(decide("b", 62) == .fetch)
        held.beginFetch(at: Self.at(60))
        #expect(decide("b", 61) == .use)
        held.endFetch(with: nil, at: Self.at(62))
        #expect(decide("b", 63) == .use)
        #expect(decide("a", 200) == .use)
        #expect(decide("b", 120) == .fetch)
    }

    @Test("A key that is replaced right after the first fetch is found by a second one, and by no third one")
    func replaced() throws {
        let key = JSONWebKey(try Self.first.get(), keyID: "a")
        let rule = KeySetRefreshRule()
        var held = HeldKeySet()
        func decide(_ selection: JSONWebKeySet.Selection) -> KeySetRefreshRule.Decision {
            rule.decide(selection, in: held, now: Self.at(1))
        }
        held.beginFetch(at: Self.at(0))
        #expect(decide(.unknownKeyID) == .use, "The first fetch is under way, or has failed.")
        held.endFetch(with: JSONWebKeySet([key]), at: Self.at(0))
        #expect(decide(.unknownKeyID) == .fetch)
        #expect(decide(.none) == .fetch)
        #expect(decide(.mismatched) == .use)
        held.beginFetch(at: Self.at(1))
        held.endFetch(with: JSONWebKeySet([key]), at: Self.at(1))
        #expect(decide(.unknownKeyID) == .use)
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
        var first = HeldKeySet()
        first.endFetch(with: skipped, at: Self.at(0))
        #expect(Self.name(first.keys.select(.es256, keyID: nil)) == "refused unsupportedKey")
        #expect(first.fetchedAt == nil)
        for useless in [nil, JSONWebKeySet(), skipped] {
            held.beginFetch(at: Self.at(100))
            held.endFetch(with: useless, at: Self.at(101))
            #expect(held.keys.keys.map(\.keyID) == ["a"])
            #expect(held.fetchedAt == Self.at(0))
        }
    }
}
