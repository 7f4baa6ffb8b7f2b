import Latchkey
import LatchkeyOAuthCore

extension JOSEError {
    /// The refusal of an ID token as an ``/Latchkey/AuthError``.
    var authError: AuthError { authError(of: "ID token") }

    /// The refusal of another signed document.
    func authError(of document: String) -> AuthError {
        var error = AuthError(authCode, "The \(document) is not accepted: \(reason).")
        if code != .authenticationTime { error.clockDifference = difference.map { .seconds(isOfFuture ? $0 : -$0) } }
        error.mayBeAttack = mayBeAttack
        return error
    }

    /// Whether somebody may have put the token in the place of another one. Everything else is the service's own doing:
    /// its settings for this client, its keys, its clock.
    private var mayBeAttack: Bool {
        switch code {
        case .signature, .issuer, .issuerChanged, .subjectChanged, .nonce, .audience, .authorizedParty,
            .accessTokenHash,
            .tokenType, .payloadType:
            true
        default: false
        }
    }

    /// Whether a time lies in the future.
    private var isOfFuture: Bool { [.issuedInFuture, .notYetValid].contains(code) }

    private var authCode: AuthError.Code {
        switch code {
        case .malformed, .encrypted, .encoding, .header, .duplicateMember, .criticalExtension, .unencodedPayload:
            .untrusted(.malformed)
        case .algorithmNotAllowed, .noKey, .unknownKeyID, .keyMismatch, .weakKey, .invalidKey,
            .unsupportedKey, .invalidKeySet, .signature, .unavailable:
            .untrusted(.signature)
        case .issuer, .issuerChanged: .untrusted(.issuer)
        case .subject, .subjectChanged: .untrusted(.subject)
        case .nonce: .untrusted(.nonce)
        case .authenticationContext: .refused(.factorRequired)
        default: .untrusted(.claims)
        }
    }

    /// Whether a refresh's ID token says that the answer is not this session's: it names another issuer, person, client
    /// or access token (OpenID Connect Core, section 12.2).
    ///
    /// Anything else that is wrong with it is no reason to refuse the access token, since the answer need not have an
    /// ID token at all. Services send one that has expired, with another nonce, with a claim twice, or with a signature
    /// that no published key has made; the session then keeps the ID token that it had.
    var isContradiction: Bool {
        switch code {
        case .issuer, .issuerChanged, .subject, .subjectChanged, .audience,
            .authorizedParty, .accessTokenHash, .tokenType, .payloadType:
            true
        default: false
        }
    }
}
