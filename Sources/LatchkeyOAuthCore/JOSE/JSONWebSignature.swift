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
    /// The key that has made the signature.
    public let key: JSONWebKey

    /// Checks a token in compact form, RFC 7515 section 5.2.
    ///
    /// - Parameters:
    ///   - compact: Three segments of strict base64url.
    ///   - keys: The issuer's keys. Each that fits is tried, see ``JSONWebKeySet/select(_:keyID:)``.
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
        let candidates = try candidates(keys, algorithm, parts.header.keyID)
        var failure: JOSEError?
        for key in candidates {
            do throws(CryptoError) {
                if try key.publicKey.verify(
                    signature: parts.signature, of: parts.signingInput, algorithm: algorithm)
                {
                    return JSONWebSignature(header: parts.header, payload: parts.payload, key: key)
                }
            } catch {
                failure = JOSEError(error)
            }
        }
        throw failure ?? wrongSignature(candidates.count)
    }

    private static func wrongSignature(_ tries: Int) -> JOSEError {
        JOSEError(
            .signature,
            tries == 1
                ? "the signature of the token is wrong" : "none of the \(tries) keys that fit has made the signature")
    }

    /// Reads the payload strictly as a JSON object.
    ///
    /// - Throws: ``JOSEError`` with code `claims` or `duplicateMember`.
    public func claims() throws(JOSEError) -> JSON {
        // The bytes are signed, so nothing of them is skipped, although documents may have the mark.
        guard !payload.hasByteOrderMark else {
            throw JOSEError(.claims, "the payload begins with a byte order mark")
        }
        do throws(JSONError) {
            let claims = try JSON.parse(payload, reader: .portable)
            guard claims.object != nil else { throw JSONError(.wrongType, at: "$") }
            return claims
        } catch {
            let code: JOSEError.Code = error.code == .duplicateMember ? .duplicateMember : .claims
            throw JOSEError(code, "the payload is no strict JSON object: \(error)")
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

    private static func candidates(
        _ keys: JSONWebKeySet, _ algorithm: SignatureAlgorithm, _ keyID: String?
    ) throws(JOSEError) -> [JSONWebKey] {
        switch keys.select(algorithm, keyID: keyID) {
        case .key(let key): return [key]
        case .several(let several): return several
        case .unknownKeyID: throw JOSEError(.unknownKeyID, "the key set has no key that the token names")
        case .mismatched: throw JOSEError(.keyMismatch, keys.reason(algorithm, keyID))
        case .refused(let error): throw error
        case .none: throw JOSEError(.noKey, "there is no key to check the token with")
        }
    }
}
