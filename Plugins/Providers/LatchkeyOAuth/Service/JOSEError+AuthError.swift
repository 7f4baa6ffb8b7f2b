import Latchkey
import LatchkeyOAuthCore

extension JOSEError {
    /// The refusal of an ID token as an ``/Latchkey/AuthError``.
    var authError: AuthError { authError(of: "ID token") }

    /// The refusal of another signed document.
    func authError(of document: String) -> AuthError {
        AuthError(authCode, "The \(document) is not accepted: \(reason).")
    }

    private var authCode: AuthError.Code {
        switch code {
        case .malformed, .encoding, .header, .duplicateMember, .criticalExtension, .unencodedPayload:
            .untrusted(.malformed)
        case .algorithmNotAllowed, .noKey, .unknownKeyID, .ambiguousKey, .keyMismatch, .weakKey, .invalidKey,
            .unsupportedKey, .invalidKeySet, .signature, .unavailable:
            .untrusted(.signature)
        case .issuer, .issuerChanged: .untrusted(.issuer)
        case .subject, .subjectChanged: .untrusted(.subject)
        case .nonce: .untrusted(.nonce)
        case .authenticationContext: .refused(.factorRequired)
        default: .untrusted(.claims)
        }
    }

    /// Whether this is about missing keys or about clocks and says nothing about the person. It is
    /// then no reason to drop a refresh token that came over TLS from the token endpoint itself.
    var isInconclusive: Bool {
        switch code {
        case .noKey, .unknownKeyID, .ambiguousKey, .invalidKeySet, .unavailable, .expired, .notYetValid,
            .issuedInFuture, .issuedTooLongAgo:
            true
        default: false
        }
    }
}
