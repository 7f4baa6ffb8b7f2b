import LatchkeyCrypto
import LatchkeyJSON

/// The keys that sign ID tokens. The newest one signs, and all are published.
struct KeyRing: Sendable {
    /// A key with its published name.
    struct Entry: Sendable {
        var key: PrivateKey
        var id: String
        var jwk: [String: JSON]
    }

    private(set) var entries: [Entry]
    let algorithm: SignatureAlgorithm

    init(_ signing: DevServer.Signing) throws {
        algorithm = signing.algorithm
        entries = [try Self.make(algorithm)]
    }

    /// The most published keys.
    static let limit = 8

    /// Adds a new key that signs from now on. The old ones stay published, or are removed.
    mutating func rotate(keepingOld: Bool) throws {
        let entry = try Self.make(algorithm)
        entries = [entry] + (keepingOld ? entries.prefix(Self.limit - 1) : [])
    }

    /// The document of RFC 7517 section 5.
    var document: JSON {
        .object(["keys": .array(entries.map { .object($0.jwk) })])
    }

    /// Returns a compact JWS of `claims` (RFC 7515 section 3.1).
    ///
    /// - Parameter category: The member `cat` of the header, which is Clerk's own.
    func sign(_ claims: JSON, category: String? = nil) throws -> String {
        let entry = entries[0]
        var header: [String: JSON] = [
            "alg": .string(algorithm.rawValue), "kid": .string(entry.id), "typ": .string("JWT"),
        ]
        header["cat"] = category.map(JSON.string)
        return try Self.compact(header, claims) { try entry.key.sign($0, algorithm: algorithm) }
    }

    /// Returns the left half of the token's hash, OpenID Connect Core section 3.1.3.6. Ed25519 uses SHA-512.
    func half(of token: String) -> String {
        let digest = Hash.digest(Array(token.utf8), algorithm.hash ?? .sha512)
        return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
    }

    static func make(_ algorithm: SignatureAlgorithm) throws -> Entry {
        let key: PrivateKey
        switch algorithm {
        case .es256: key = try PrivateKey.generate(.p256)
        case .edDSA: key = try PrivateKey.generate(.ed25519)
        default: key = try PrivateKey.generate(.rsa(bits: 2048))
        }
        var members: [String: JSON] = [:]
        if let rsa = key.publicKey.rsaComponents {
            members = ["kty": .string("RSA"), "n": encoded(rsa.modulus), "e": encoded(rsa.exponent)]
        } else if let point = key.publicKey.ecCoordinates {
            members = [
                "kty": .string("EC"), "crv": .string("P-256"), "x": encoded(point.x), "y": encoded(point.y),
            ]
        } else if let bytes = key.publicKey.ed25519Bytes {
            members = ["kty": .string("OKP"), "crv": .string("Ed25519"), "x": encoded(bytes)]
        }
        // Only the required members, sorted: the input of the thumbprint (RFC 7638 section 3).
        let id = Base64URL.encode(Hash.digest(JSON.object(members).serialized()))
        members["kid"] = .string(id)
        members["use"] = .string("sig")
        members["alg"] = .string(algorithm.rawValue)
        return Entry(key: key, id: id, jwk: members)
    }

    private static func encoded(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }
}

extension DevServer.Signing {
    var algorithm: SignatureAlgorithm {
        switch self {
        case .rs256: .rs256
        case .es256: .es256
        case .edDSA: .edDSA
        }
    }
}
