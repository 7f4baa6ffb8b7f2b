public import LatchkeyCrypto
public import LatchkeyJSON

/// A public key with its description, RFC 7517 section 4, RFC 7518 section 6, RFC 8037 section 2.
///
/// Unknown members are ignored, and so are private ones: a key that was read never holds a secret.
public struct JSONWebKey: Sendable {
    /// The key.
    public let publicKey: PublicKey
    /// The id by which a token's header refers to the key.
    public var keyID: String?
    /// The one algorithm that the key is for, as written; `nil` for all algorithms that fit the key.
    public var algorithm: String?
    /// The purpose of the key, as written. It must be `sig` or `nil` for checking signatures.
    public var use: String?
    /// The operations that the key is for, as written. They must contain `verify` or be `nil` for
    /// checking signatures.
    public var operations: [String]?

    /// The issuer whose tokens the key is for, as written: Microsoft Entra publishes the keys of all its tenants in one
    /// set. `nil` for all.
    public var issuer: String?

    /// Creates a key with its description.
    public init(
        _ publicKey: PublicKey, keyID: String? = nil, algorithm: String? = nil, use: String? = nil,
        operations: [String]? = nil
    ) {
        self.publicKey = publicKey
        self.keyID = keyID
        self.algorithm = algorithm
        self.use = use
        self.operations = operations
    }

    /// Reads a key.
    ///
    /// - Throws: ``JOSEError`` with code `unsupportedKey` for a type or curve that is not
    ///   supported, `weakKey`, or `invalidKey`.
    public init(parsing json: JSON) throws(JOSEError) {
        let fields = JSONField(json)
        publicKey = try Self.publicKey(fields)
        do throws(JSONError) {
            keyID = try fields[JOSEWire.Key.keyID].optional?.string()
            // An empty text says nothing.
            algorithm = try fields[JOSEWire.Key.algorithm].optional?.string().nonempty
            use = try fields[JOSEWire.Key.use].optional?.string().nonempty
            operations = try Self.operations(fields[JOSEWire.Key.operations])
            issuer = try fields[JOSEWire.Key.issuer].optional?.string().nonempty
        } catch {
            throw JOSEError(.invalidKey, "a member of the key has the wrong type: \(error.path)")
        }
    }

    /// Returns whether this key may check signatures made with `algorithm`.
    public func accepts(_ algorithm: SignatureAlgorithm) -> Bool { objection(to: algorithm) == nil }

    /// Returns why this key may not check signatures made with `algorithm`; `nil` if it may.
    func objection(to algorithm: SignatureAlgorithm) -> String? {
        guard publicKey.kind.supports(algorithm) else {
            return "the key's type does not go with \(algorithm.rawValue)"
        }
        guard self.algorithm == nil || self.algorithm == algorithm.rawValue else {
            return "the key is for another algorithm than \(algorithm.rawValue)"
        }
        guard use == nil || use == JOSEWire.Key.signatures else { return "the key's use is not signatures" }
        guard operations?.contains(JOSEWire.Key.verify) ?? true else { return "the key is not for verifying" }
        return nil
    }

    /// Reads the list, or the one operation that some servers write alone.
    private static func operations(_ field: JSONField) throws(JSONError) -> [String]? {
        guard let field = field.optional else { return nil }
        if let one = field.value?.string { return one.isEmpty ? nil : [one] }
        return try field.array().compactMap(\.value?.string)
    }

    private static func publicKey(_ fields: JSONField) throws(JOSEError) -> PublicKey {
        let type = fields.value?[JOSEWire.Key.type]?.string
        let curveName = fields.value?[JOSEWire.Key.curve]?.string
        do throws(CryptoError) {
            switch type {
            case JOSEWire.Key.rsa:
                let modulus = try bytes(fields, JOSEWire.Key.modulus)
                return try PublicKey(rsaModulus: modulus, exponent: bytes(fields, JOSEWire.Key.exponent))
            case JOSEWire.Key.ec:
                guard let curve = EllipticCurve.allCases.first(where: { JOSEWire.name($0) == curveName }) else { break }
                let x = try bytes(fields, JOSEWire.Key.x)
                return try PublicKey(ec: curve, x: x, y: bytes(fields, JOSEWire.Key.y))
            case JOSEWire.Key.octetPair where curveName == JOSEWire.Key.ed25519:
                return try PublicKey(ed25519: bytes(fields, JOSEWire.Key.x))
            default: break
            }
        } catch {
            throw JOSEError(error)
        }
        guard type != nil else { throw JOSEError(.invalidKey, "the key has no type") }
        throw JOSEError(.unsupportedKey, "the key has a type or curve that is not used here")
    }

    private static func bytes(_ fields: JSONField, _ name: String) throws(CryptoError) -> [UInt8] {
        guard let text = fields.value?[name]?.string, let bytes = try? Base64URL.decode(text) else {
            throw CryptoError(.invalidKey, "\"\(name)\" of the key is missing or not base64url")
        }
        return bytes
    }
}

extension JSONWebKey {
    /// The key in its JSON form, with its numbers and description. It holds nothing private.
    public var json: JSON {
        var members = required
        members[JOSEWire.Key.keyID] = keyID.map(JSON.string)
        members[JOSEWire.Key.algorithm] = algorithm.map(JSON.string)
        members[JOSEWire.Key.use] = use.map(JSON.string)
        members[JOSEWire.Key.issuer] = issuer.map(JSON.string)
        members[JOSEWire.Key.operations] = operations.map { .array($0.map(JSON.string)) }
        return .object(members)
    }

    /// The SHA-256 of the key's required members, RFC 7638 section 3, as base64url: an id that
    /// depends only on the key.
    public var thumbprint: String {
        Base64URL.encode(Hash.digest(JSON.object(required).serialized(), .sha256))
    }

    /// The required members of the key, RFC 7638 section 3.2 and RFC 8037 section 2.
    private var required: [String: JSON] {
        func text(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }
        if let (modulus, exponent) = publicKey.rsaComponents {
            return [
                JOSEWire.Key.type: .string(JOSEWire.Key.rsa), JOSEWire.Key.modulus: text(modulus),
                JOSEWire.Key.exponent: text(exponent),
            ]
        }
        if let (x, y) = publicKey.ecCoordinates, let curve = publicKey.kind.curve {
            return [
                JOSEWire.Key.type: .string(JOSEWire.Key.ec), JOSEWire.Key.curve: .string(JOSEWire.name(curve)),
                JOSEWire.Key.x: text(x), JOSEWire.Key.y: text(y),
            ]
        }
        return [
            JOSEWire.Key.type: .string(JOSEWire.Key.octetPair), JOSEWire.Key.curve: .string(JOSEWire.Key.ed25519),
            JOSEWire.Key.x: text(publicKey.ed25519Bytes ?? []),
        ]
    }
}

extension JOSEError {
    /// Creates the same refusal as a ``JOSEError``.
    init(_ error: CryptoError) {
        let code: Code =
            switch error.code {
            case .keyMismatch: .keyMismatch
            case .weakKey: .weakKey
            case .unsupportedKey: .unsupportedKey
            case .invalidKey, .invalidLength, .invalidEncoding: .invalidKey
            default: .unavailable
            }
        self.init(code, error.reason)
    }
}

extension String {
    /// The text; `nil` if it is empty.
    fileprivate var nonempty: String? { isEmpty ? nil : self }
}
