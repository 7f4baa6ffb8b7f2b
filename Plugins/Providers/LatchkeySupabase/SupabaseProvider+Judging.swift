public import Latchkey

extension SupabaseProvider: AnswerJudging {
    /// What an answer says about the access token: of the project's services, and of the auth service itself.
    ///
    /// | Answer | Verdict |
    /// | --- | --- |
    /// | the auth service wants a further factor (`insufficient_aal`) | more proof is wanted |
    /// | 401, unless the gateway speaks of the API key | rejected |
    /// | 403 of the auth service with `bad_jwt`, or saying that session or person are gone | rejected |
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
