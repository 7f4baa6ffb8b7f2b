public import Latchkey

/// An error answer from the service, or from a gateway in front of it.
package struct SupabaseFailure: Error, Sendable {
    package var answer: ErrorAnswer
    /// How long to wait before trying again.
    var retryAfter: Duration?

    /// The service's code; `nil` for a gateway's answer.
    package var code: SupabaseErrorCode? { answer.isOfService ? answer.code : nil }

    /// Returns the failure as the app sees it.
    package func authError(_ provider: ProviderID) -> AuthError {
        guard answer.isOfService || answer.keyIsRefused || answer.status == 540 else {
            var error = AuthError(answer.foreign, provider: provider, retryAfter: retryAfter)
            error.requestID = answer.requestID
            return error
        }
        let (outcome, sentence) = meaning
        return AuthError(
            outcome, sentence, provider: provider, retryAfter: retryAfter, requestID: answer.requestID,
            serviceCode: code?.rawValue
        ).saying(answer.said)
    }

    private var meaning: (AuthError.Code, String) {
        guard answer.isOfService else { return gateway }
        if answer.isOAuthShape { return oauth }
        if answer.status == 429, answer.code.flatMap({ SupabaseErrorCode.meanings[$0] })?.outcome != .rateLimited {
            return (.rateLimited, "The service wants fewer requests.")
        }
        guard let code = answer.code, let known = SupabaseErrorCode.meanings[code] else {
            let code = answer.code?.rawValue ?? "none"
            return (
                answer.status >= 500 ? .serviceTrouble : .refused(.other),
                "The service refused with a code that is not known here: \(code)."
            )
        }
        if code == .weakPassword, !answer.weaknesses.isEmpty {
            return (known.outcome, "The password is too weak: \(answer.weaknesses.joined(separator: ", ")).")
        }
        return (known.outcome, known.sentence)
    }

    /// Codes of the OAuth shape that say nothing of what was sent (RFC 6749, section 4.1.2.1).
    private static let troubles: Set<String> = ["server_error", "temporarily_unavailable"]

    /// The meaning of an answer of the OAuth shape, which has its own codes and always status 400.
    private var oauth: (AuthError.Code, String) {
        switch answer.code {
        case .invalidGrant: (.refused(.wrongInput), "The service did not accept what was signed.")
        case .invalidClient: (.configuration(.clientRefused), "The session belongs to an OAuth client of the project.")
        case .some(let code) where Self.troubles.contains(code.rawValue):
            (.serviceTrouble, "The service has a failure.")
        default: (.refused(.other), "The service did not accept the token or signature of another issuer.")
        }
    }

    private var gateway: (AuthError.Code, String) {
        answer.keyIsRefused
            ? (.configuration(.clientRefused), "The publishable key is not accepted for this project.")
            : (.serviceTrouble, "The project is paused.")
    }
}

extension SupabaseProvider {
    /// Returns the error for an answer of the project that is no success.
    package func problem(_ response: TransportResponse, to request: TransportRequest) -> AuthError {
        SupabaseFailure(answer: ErrorAnswer(response, to: request)).authError(name)
    }
}

extension AuthError {
    /// The service's own code, if the service caused the error.
    public var supabase: SupabaseErrorCode? { serviceCode.map(SupabaseErrorCode.init(rawValue:)) }
}
