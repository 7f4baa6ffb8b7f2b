/// How a refresh ended.
struct TokenResult: Sendable {
    var handedOut: Result<AccessToken, AuthError>
    var outcome: AuthObservation.RefreshOutcome
    /// What went wrong, even if a token that is still good could be handed out.
    var trouble: AuthError?

    /// A token to hand out, and what went wrong, if anything did.
    static func token(
        _ token: AccessToken, _ outcome: AuthObservation.RefreshOutcome, _ trouble: AuthError? = nil
    ) -> TokenResult { TokenResult(handedOut: .success(token), outcome: outcome, trouble: trouble) }

    /// No token.
    static func failed(_ trouble: AuthError, _ outcome: AuthObservation.RefreshOutcome) -> TokenResult {
        TokenResult(handedOut: .failure(trouble), outcome: outcome, trouble: trouble)
    }

    /// The service answered, but not with what was asked for.
    static var tokenless: TokenResult {
        let trouble = AuthError(.untrusted(.malformed), "The service's answer brought no token of the wanted kind.")
        return .failed(trouble, .unknown)
    }

    /// The service answered with the very token that a resource has refused.
    static var refusedAgain: TokenResult {
        let reason = AuthError.SignInRequiredReason.notAccepted
        return .failed(AuthError(.signInRequired(reason), reason.sentence), .refreshed)
    }
}
