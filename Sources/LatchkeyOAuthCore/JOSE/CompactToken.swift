import LatchkeyCrypto
public import LatchkeyJSON

/// The parameters of a token's header that are used, RFC 7515 section 4.1.
public struct JOSEHeader: Sendable {
    /// `alg`, as written.
    public let algorithm: String
    /// `kid`.
    public let keyID: String?
    /// `typ`, as written.
    public let type: String?
    /// The whole header.
    public let json: JSON

    /// Reads a header.
    ///
    /// - Throws: ``JOSEError`` with code `duplicateMember`, `header`, `criticalExtension`, `unencodedPayload` or
    ///   `algorithmNotAllowed`.
    init(parsing bytes: [UInt8]) throws(JOSEError) {
        do throws(JSONError) {
            json = try JSON.parse(bytes, limits: JSONLimits(bytes: JSONWebSignature.sizeLimit, depth: 16))
            guard json.object != nil else { throw JSONError(.wrongType, at: "$") }
            let fields = JSONField(json)
            keyID = try fields[JOSEWire.Header.keyID].optional?.string()
            type = try fields[JOSEWire.Header.type].optional?.string()
        } catch {
            let code: JOSEError.Code = error.code == .duplicateMember ? .duplicateMember : .header
            throw JOSEError(code, "the header is not accepted: \(error.code.rawValue)")
        }
        guard json[JOSEWire.Header.critical] == nil else {
            throw JOSEError(.criticalExtension, "the header demands an extension that is not known")
        }
        guard json[JOSEWire.Header.isPayloadEncoded] ?? .bool(true) == .bool(true) else {
            throw JOSEError(.unencodedPayload, "the header says that the payload is not encoded")
        }
        guard let algorithm = json[JOSEWire.Header.algorithm]?.string else {
            throw JOSEError(.algorithmNotAllowed, "the header names no algorithm")
        }
        self.algorithm = algorithm
    }

    /// The algorithm, when it is one of `allowed`.
    func algorithm(_ allowed: Set<SignatureAlgorithm>) throws(JOSEError) -> SignatureAlgorithm {
        guard let known = SignatureAlgorithm(rawValue: algorithm), allowed.contains(known) else {
            throw JOSEError(.algorithmNotAllowed, "the algorithm of the token is not on the list")
        }
        return known
    }
}

/// A token taken apart and not checked, RFC 7515 section 7.1.
struct CompactToken {
    let header: JOSEHeader
    let payload: [UInt8]
    let signature: [UInt8]
    let signingInput: [UInt8]

    init(_ compact: String) throws(JOSEError) {
        let bytes = compact.utf8
        guard bytes.count <= JSONWebSignature.sizeLimit else {
            throw JOSEError(.malformed, "the token has more than \(JSONWebSignature.sizeLimit) bytes")
        }
        let segments = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard segments.count == 3 else { throw JOSEError(.malformed, "the token does not have three segments") }
        let headerBytes: [UInt8]
        do throws(CryptoError) {
            headerBytes = try Base64URL.decode(Substring(segments[0]))
            payload = try Base64URL.decode(Substring(segments[1]))
            signature = try Base64URL.decode(Substring(segments[2]))
        } catch {
            throw JOSEError(.encoding, "a segment of the token is not strict base64url")
        }
        header = try JOSEHeader(parsing: headerBytes)
        signingInput = Array(bytes[..<segments[1].endIndex])
    }
}
