/// Why a token, a key or a key set was refused. The error contains nothing of them but the name of an algorithm, and
/// an audience that is not trusted, if that looks like an id.
public struct JOSEError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. Each kind of attack has its own code.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        // The form of the token, RFC 7515 section 7.1.

        /// The token is encrypted (RFC 7516), which is not supported.
        case encrypted
        /// The token does not have three segments, or has more than ``JSONWebSignature/sizeLimit`` bytes.
        case malformed
        /// A segment is not strict base64url.
        case encoding
        /// The header is not a JSON object, or one of its parameters has the wrong type.
        case header
        /// A member name occurs twice, in the header or the claims.
        case duplicateMember
        /// The header requires an extension (`crit`), and none is supported.
        case criticalExtension
        /// The header says that the payload is not encoded (`b64`).
        case unencodedPayload
        /// The algorithm is missing, unknown, symmetric, `none`, or not on the list.
        case algorithmNotAllowed

        // Keys, RFC 7517.

        /// There is no key at all.
        case noKey
        /// No key of the set has the identifier that the token names. Fetch the key set again: a
        /// newer one may have it.
        case unknownKeyID
        /// The key that the token names does not fit its algorithm, or is not for signatures.
        case keyMismatch
        /// The key is too small.
        case weakKey
        /// The key is not valid: wrong encoding, or a point off the curve.
        case invalidKey
        /// The key has a type or curve that is not supported.
        case unsupportedKey
        /// The key set is not an object with an array `keys`.
        case invalidKeySet
        /// The signature is wrong: no key that fits has made it.
        case signature
        /// The cryptographic library failed.
        case unavailable

        // Claims, OpenID Connect Core 1.0 section 3.1.3.7.

        /// The payload is not a JSON object, or a claim has the wrong type.
        case claims
        /// A required claim is missing.
        case missingClaim
        /// The header's `typ` says that this is another kind of token.
        case tokenType
        /// The payload says that this is another kind of token.
        case payloadType
        /// `iss` is not the expected issuer.
        case issuer
        /// `aud` does not name this client, or is empty.
        case audience
        /// `aud` names an audience that is not trusted.
        case untrustedAudience
        /// `azp` is not this client, or is missing although there are several audiences.
        case authorizedParty
        /// `sub` is empty, too long or not ASCII.
        case subject
        /// `exp` has passed.
        case expired
        /// `nbf` is in the future.
        case notYetValid
        /// `iat` is in the future.
        case issuedInFuture
        /// `iat` is too long ago for a token that was just received.
        case issuedTooLongAgo
        /// `nonce` is missing, has another value, or was not asked for.
        case nonce
        /// `at_hash` belongs to another access token.
        case accessTokenHash
        /// `auth_time` is too long ago or in the future.
        case authenticationTime
        /// `acr` is not what was required.
        case authenticationContext
        /// `iss` differs from the first sign-in's, section 12.2.
        case issuerChanged
        /// `sub` differs from the first sign-in's: another person.
        case subjectChanged
    }

    /// What is wrong.
    public var code: Code
    /// One sentence for a log.
    public var reason: String
    /// For times, how many seconds they are off, before leeway.
    public var difference: Int?

    /// Creates an error.
    public init(_ code: Code, _ reason: String, difference: Int? = nil) {
        self.code = code
        self.reason = reason
        self.difference = difference
    }

    /// Code and reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}
