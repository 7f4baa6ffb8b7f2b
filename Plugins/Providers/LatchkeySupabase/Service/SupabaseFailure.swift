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
        let (outcome, sentence) = meaning
        return AuthError(
            outcome, sentence, provider: provider, retryAfter: retryAfter, requestID: answer.requestID,
            serviceCode: code?.rawValue)
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

    /// The meaning of an answer of the OAuth shape, which has its own codes and always status 400.
    private var oauth: (AuthError.Code, String) {
        switch answer.code {
        case .invalidGrant: (.refused(.wrongInput), "The service did not accept what was signed.")
        case .invalidClient: (.configuration(.clientRefused), "The session belongs to an OAuth client of the project.")
        default: (.refused(.other), "The service did not accept the token or signature of another issuer.")
        }
    }

    private var gateway: (AuthError.Code, String) {
        switch answer.status {
        case _ where answer.keyIsRefused:
            (.configuration(.clientRefused), "The publishable key is not accepted for this project.")
        case 300..<400: (.configuration(.invalid), "The project URL answers with a redirect; it names another place.")
        case 404, 405: (.configuration(.invalid), "The project URL leads to no Supabase Auth service.")
        case 429: (.rateLimited, "The service wants fewer requests.")
        case 540: (.serviceTrouble, "The project is paused.")
        default: (.serviceTrouble, "Something before the service answered HTTP \(answer.status).")
        }
    }
}

extension AuthError {
    /// The service's own code, if the service caused the error.
    public var supabase: SupabaseErrorCode? { serviceCode.map(SupabaseErrorCode.init(rawValue:)) }
}
