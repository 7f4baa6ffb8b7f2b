import LatchkeyCrypto
public import LatchkeyJSON

/// The parameters of a token's header that this module uses, RFC 7515 section 4.1.
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
        guard !bytes.hasByteOrderMark else {
            throw JOSEError(.header, "the header begins with a byte order mark")
        }
        do throws(JSONError) {
            // The portable reader agrees with the platform's on every input, and is faster here.
            json = try JSON.parse(
                bytes, limits: JSONLimits(bytes: JSONWebSignature.sizeLimit, depth: 16), reader: .portable)
            guard json.object != nil else { throw JSONError(.wrongType, at: "$") }
            keyID = try Self.text(json[JOSEWire.Header.keyID])
            type = try Self.text(json[JOSEWire.Header.type])
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

    private static func text(_ value: JSON?) throws(JSONError) -> String? {
        guard let value, value != .null else { return nil }
        guard let text = value.string else { throw JSONError(.wrongType, at: "$") }
        return text
    }

    /// Returns the algorithm if it is one of `allowed`.
    func algorithm(_ allowed: Set<SignatureAlgorithm>) throws(JOSEError) -> SignatureAlgorithm {
        guard let known = SignatureAlgorithm(rawValue: algorithm), allowed.contains(known) else {
            throw JOSEError(.algorithmNotAllowed, unusable)
        }
        return known
    }

    /// What is wrong with the algorithm, with its name if that is a plain one.
    private var unusable: String {
        let isPlain =
            (1...16).contains(algorithm.utf8.count)
            && algorithm.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard isPlain else { return "the algorithm of the token is not on the list" }
        if algorithm.lowercased() == "none" { return "the token is not signed (\"\(algorithm)\")" }
        guard !algorithm.hasPrefix("HS") else {
            return "the token is signed with \"\(algorithm)\", by a secret that is shared, which is not supported"
        }
        return "the token is signed with \"\(algorithm)\", which is not on the list"
    }
}

/// The parts of a token, not yet checked, RFC 7515 section 7.1.
struct CompactToken {
    let header: JOSEHeader
    let payload: [UInt8]
    let signature: [UInt8]
    let signingInput: [UInt8]

    init(_ compact: [UInt8]) throws(JOSEError) {
        guard compact.count <= JSONWebSignature.sizeLimit else {
            throw JOSEError(.malformed, "the token has more than \(JSONWebSignature.sizeLimit) bytes")
        }
        guard let first = compact.firstIndex(of: Self.dot),
            let second = compact[(first + 1)...].firstIndex(of: Self.dot),
            !compact[(second + 1)...].contains(Self.dot)
        else { throw Self.wrongForm(compact) }
        let headerBytes: [UInt8]
        do throws(CryptoError) {
            headerBytes = try Base64URL.decode(compact[..<first])
            payload = try Base64URL.decode(compact[(first + 1)..<second])
            signature = try Base64URL.decode(compact[(second + 1)...])
        } catch {
            throw JOSEError(.encoding, "a segment of the token is not strict base64url")
        }
        header = try JOSEHeader(parsing: headerBytes)
        signingInput = Array(compact[..<second])
    }

    private static let dot = UInt8(ascii: ".")

    /// A token of five segments is encrypted (RFC 7516, section 7.1).
    private static func wrongForm(_ compact: [UInt8]) -> JOSEError {
        compact.count { $0 == dot } == 4
            ? JOSEError(.encrypted, "the token is encrypted, which is not supported")
            : JOSEError(.malformed, "the token does not have three segments")
    }
}
