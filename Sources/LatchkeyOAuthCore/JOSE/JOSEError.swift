/// Why a token, a key or a key set is not accepted. Never holds content of either.
public struct JOSEError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong; each way to be hostile has its own.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        // The form of the token, RFC 7515 section 7.1.

        /// Not three segments, or more than ``JSONWebSignature/sizeLimit`` bytes.
        case malformed
        /// A segment is not strict base64url.
        case encoding
        /// The header is no JSON object, or a parameter of it has the wrong type.
        case header
        /// A member name stands twice, in the header or the claims.
        case duplicateMember
        /// The header demands an extension (`crit`); none is known here.
        case criticalExtension
        /// The header says that the payload is not encoded (`b64`).
        case unencodedPayload
        /// The algorithm is missing, unknown, symmetric, `none`, or not on the list.
        case algorithmNotAllowed

        // Keys, RFC 7517.

        /// There is no key at all.
        case noKey
        /// No key of the set has the identifier that the token names. A newer set may have it.
        case unknownKeyID
        /// More than one key fits.
        case ambiguousKey
        /// The key that the token names does not go with its algorithm, or is not for signatures.
        case keyMismatch
        /// The key is too small.
        case weakKey
        /// The key is none: wrong encoding, a point off the curve.
        case invalidKey
        /// The key has a type or curve that is not used here.
        case unsupportedKey
        /// The key set is no object with an array `keys`, or has more than ``JSONWebKeySet/limit`` keys.
        case invalidKeySet
        /// The signature is wrong.
        case signature
        /// The library underneath failed.
        case unavailable

        // Claims, OpenID Connect Core 1.0 section 3.1.3.7.

        /// The payload is no JSON object, or a claim has the wrong type.
        case claims
        /// A claim that must be there is missing.
        case missingClaim
        /// The header's `typ` says that this is another kind of token.
        case tokenType
        /// The payload says that this is another kind of token.
        case payloadType
        /// `iss` is another.
        case issuer
        /// `aud` does not name this client, or names nobody.
        case audience
        /// `aud` names somebody whom the configuration does not.
        case untrustedAudience
        /// `azp` is another, or missing beside several audiences.
        case authorizedParty
        /// `sub` is empty, too long or not ASCII.
        case subject
        /// `exp` has passed.
        case expired
        /// `nbf` is still to come.
        case notYetValid
        /// `iat` is still to come.
        case issuedInFuture
        /// `iat` is too long ago for a token just received.
        case issuedTooLongAgo
        /// `nonce` is missing, another, or not asked for.
        case nonce
        /// `at_hash` belongs to another access token.
        case accessTokenHash
        /// `auth_time` is too long ago, still to come, or changed since the first sign-in.
        case authenticationTime
        /// `acr` is not what was required.
        case authenticationContext
        /// `iss` differs from the first sign-in's, section 12.2.
        case issuerChanged
        /// `sub` differs from the first sign-in's: another person.
        case subjectChanged
        /// `aud` differs from the first sign-in's.
        case audienceChanged
    }

    /// What is wrong.
    public var code: Code
    /// One sentence for a log, without content.
    public var reason: String
    /// For times: by how many seconds, leeway not deducted.
    public var difference: Int?

    /// Describes a refusal.
    public init(_ code: Code, _ reason: String, difference: Int? = nil) {
        self.code = code
        self.reason = reason
        self.difference = difference
    }

    /// Code and reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}
