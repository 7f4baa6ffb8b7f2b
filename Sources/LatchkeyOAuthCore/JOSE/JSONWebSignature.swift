public import LatchkeyCrypto
public import LatchkeyJSON

/// Signed bytes whose signature has been checked, RFC 7515.
///
/// A value exists only after a check. Symmetric algorithms and `none` are not implemented.
public struct JSONWebSignature: Sendable {
    /// The most bytes a token may have.
    public static let sizeLimit = 64 << 10

    /// The header. Its `jwk`, `jku`, `x5u` and `x5c` are never used.
    public let header: JOSEHeader
    /// The signed bytes.
    public let payload: [UInt8]

    /// Checks a token in compact form, RFC 7515 section 5.2.
    ///
    /// - Parameters:
    ///   - compact: Three segments of strict base64url.
    ///   - keys: The issuer's keys. Exactly one must fit, see ``JSONWebKeySet/select(_:keyID:)``.
    ///   - allowed: The algorithms that the caller allows, RFC 8725 section 3.1. Names are case-sensitive.
    /// - Throws: ``JOSEError``. For `unknownKeyID`, a newer key set may help, see
    ///   ``KeySetRefreshRule``.
    public static func verify(
        compact: String, keys: JSONWebKeySet, allowed: Set<SignatureAlgorithm>
    ) throws(JOSEError) -> JSONWebSignature {
        try verify(compact: Array(compact.utf8), keys: keys, allowed: allowed)
    }

    /// Checks a token in compact form, given as bytes.
    static func verify(
        compact: [UInt8], keys: JSONWebKeySet, allowed: Set<SignatureAlgorithm>
    ) throws(JOSEError) -> JSONWebSignature {
        let parts = try CompactToken(compact)
        let algorithm = try parts.header.algorithm(allowed)
        let key = try key(keys.select(algorithm, keyID: parts.header.keyID))
        let isValid: Bool
        do throws(CryptoError) {
            isValid = try key.publicKey.verify(
                signature: parts.signature, of: parts.signingInput, algorithm: algorithm)
        } catch {
            throw JOSEError(error)
        }
        guard isValid else { throw JOSEError(.signature, "the signature of the token is wrong") }
        return JSONWebSignature(header: parts.header, payload: parts.payload)
    }

    /// Reads the payload strictly as a JSON object.
    ///
    /// - Throws: ``JOSEError`` with code `claims` or `duplicateMember`.
    public func claims() throws(JOSEError) -> JSON {
        do throws(JSONError) {
            let claims = try JSON.parse(payload, reader: .portable)
            guard claims.object != nil else { throw JSONError(.wrongType, at: "$") }
            return claims
        } catch {
            let code: JOSEError.Code = error.code == .duplicateMember ? .duplicateMember : .claims
            throw JOSEError(code, "the payload is no strict JSON object: \(error.code.rawValue)")
        }
    }

    /// Signs `payload` into compact form, RFC 7515 section 5.1.
    ///
    /// - Parameters:
    ///   - payload: The bytes to sign.
    ///   - header: Further parameters; `alg` is set from `algorithm`.
    ///   - key: The private key.
    ///   - algorithm: An algorithm that fits the key.
    /// - Throws: ``JOSEError`` with code `keyMismatch` if `algorithm` does not fit the key.
    public static func sign(
        _ payload: [UInt8], header: [String: JSON] = [:], with key: PrivateKey, algorithm: SignatureAlgorithm
    ) throws(JOSEError) -> String {
        var header = header
        header[JOSEWire.Header.algorithm] = .string(algorithm.rawValue)
        let input = Base64URL.encode(JSON.object(header).serialized()) + "." + Base64URL.encode(payload)
        do throws(CryptoError) {
            return input + "." + Base64URL.encode(try key.sign(Array(input.utf8), algorithm: algorithm))
        } catch {
            throw JOSEError(error)
        }
    }

    private static func key(_ selection: JSONWebKeySet.Selection) throws(JOSEError) -> JSONWebKey {
        switch selection {
        case .key(let key): return key
        case .unknownKeyID: throw JOSEError(.unknownKeyID, "the key set has no key that the token names")
        case .ambiguous: throw JOSEError(.ambiguousKey, "more than one key of the set fits the token")
        case .mismatched: throw JOSEError(.keyMismatch, "the key is not for the algorithm of the token")
        case .refused(let error): throw error
        case .none: throw JOSEError(.noKey, "there is no key to check the token with")
        }
    }
}
