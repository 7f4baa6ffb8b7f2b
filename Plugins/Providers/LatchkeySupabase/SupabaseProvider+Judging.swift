public import Latchkey

extension SupabaseProvider: AnswerJudging {
    /// Returns what an answer of the project's services, or of the auth service itself, says about
    /// the access token.
    ///
    /// | Answer | Verdict |
    /// | --- | --- |
    /// | the auth service wants a further factor (`insufficient_aal`) | a stronger sign-in is needed |
    /// | 401, unless the gateway's answer is about the API key | rejected |
    /// | 403 of the auth service with `bad_jwt`, or saying that the session or the person no longer exists | rejected |
    /// | everything else | accepted |
    public func verdict(on response: TransportResponse) -> TokenVerdict {
        guard [401, 403, 422].contains(response.status) else { return .accepted }
        let answer = ErrorAnswer(response)
        guard answer.isOfService, let code = answer.code else {
            return response.status == 401 && !answer.keyIsRefused ? .rejected : .accepted
        }
        switch code {
        case .insufficientAAL: return .insufficient(StepUp(acr: [AccessClaims.raised]))
        case .badJWT, .sessionNotFound, .userNotFound, .userBanned: return .rejected
        default: return response.status == 401 ? .rejected : .accepted
        }
    }
}
