import LatchkeyCrypto
@testable import LatchkeyJSON
import LatchkeyOAuthCore

extension FuzzTarget {
    /// A key set. The keys that are kept must be usable, stay the same when read again, and contain nothing
    /// private.
    static let keySet = FuzzTarget(name: "jwks", longest: 4_096) { bytes throws(Disagreement) in
        guard let document = try? JSON.parse(bytes) else { return }
        let outcome = try Canary.outcome { () throws(JOSEError) in try JSONWebKeySet(parsing: document) }
        guard case .success(let set) = outcome else { return }
        try demand(set.keys.count <= JSONWebKeySet.limit, "a set has more keys than there may be")
        for key in set.keys.prefix(4) { try demandSound(key) }
        for name in [nil, "k", set.keys.last?.keyID] as [String?] {
            for algorithm in [SignatureAlgorithm.rs256, .es256, .edDSA] {
                try demandRightKey(set.select(algorithm, keyID: name), algorithm, name)
            }
        }
    }

    private static let publicMembers: Set<String> = [
        "kty", "crv", "x", "y", "n", "e", "kid", "alg", "use", "key_ops", "issuer",
    ]

    private static func demandSound(_ key: JSONWebKey) throws(Disagreement) {
        let json = key.json
        try demand(
            (json.object ?? [:]).keys.allSatisfy(publicMembers.contains), "a key tells more than its public members")
        guard let again = try? JSONWebKey(parsing: json) else { throw Disagreement("a key is not read again") }
        try demand(
            again.json.serialized() == json.serialized() && again.thumbprint == key.thumbprint,
            "a key is read again as another one")
        for algorithm in SignatureAlgorithm.allCases where key.accepts(algorithm) {
            let verdict = try? key.publicKey.verify(
                signature: [UInt8](repeating: 1, count: 64), of: [1], algorithm: algorithm)
            try demand(verdict != true, "a signature that nobody made is right")
        }
    }

    private static func demandRightKey(
        _ selection: JSONWebKeySet.Selection, _ algorithm: SignatureAlgorithm, _ name: String?
    ) throws(Disagreement) {
        switch selection {
        case .key(let key):
            try demand(key.accepts(algorithm), "a key is chosen that is for something else")
            try demand(
                name.map { key.keyID?.utf8.elementsEqual($0.utf8) ?? false } ?? true, "a key of another name is chosen")
        case .several(let keys):
            for key in keys { try demandRightKey(.key(key), algorithm, name) }
            try demand(Set(keys.map(\.thumbprint)).count == keys.count, "a key is tried twice")
        case .refused(let error): try Canary.demandHidden(error)
        default: break
        }
    }
}
