import LatchkeyCrypto
import LatchkeyJSON

extension KeyRing {
    /// Returns a compact JWS of `claims`, with the signature or header of the attack, or the right ones if the
    /// attack is on something else.
    func sign(_ claims: JSON, attack: DevServer.Attack) throws -> String {
        let own = entries[0]
        var header: [String: JSON] = [
            "alg": .string(algorithm.rawValue), "kid": .string(own.id), "typ": .string("JWT"),
        ]
        switch attack {
        case .unsigned:
            header["alg"] = .string("none")
            return try Self.compact(header, claims) { _ in [] }
        case .symmetric:
            header["alg"] = .string("HS256")
            let published = JSON.object(own.jwk).serialized()
            return try Self.compact(header, claims) { KeyedHash.code(for: $0, key: published) }
        case .foreignKey, .unknownKey, .embeddedKey:
            let stranger = try Self.make(algorithm)
            if attack != .foreignKey { header["kid"] = .string(stranger.id) }
            if attack == .embeddedKey { header["jwk"] = .object(stranger.jwk) }
            return try Self.compact(header, claims) { try stranger.key.sign($0, algorithm: algorithm) }
        case .encrypted:
            let plain = try sign(claims)
            return plain + "." + Base64URL.encode([0]) + "." + Base64URL.encode([0])
        case .foreignKind:
            header["typ"] = .string("at+jwt")
            return try Self.compact(header, claims) { try own.key.sign($0, algorithm: algorithm) }
        default: return try sign(claims)
        }
    }

    static func compact(
        _ header: [String: JSON], _ claims: JSON, signature: ([UInt8]) throws -> [UInt8]
    ) throws -> String {
        let input =
            Base64URL.encode(JSON.object(header).serialized()) + "." + Base64URL.encode(claims.serialized())
        return input + "." + Base64URL.encode(try signature(Array(input.utf8)))
    }
}
