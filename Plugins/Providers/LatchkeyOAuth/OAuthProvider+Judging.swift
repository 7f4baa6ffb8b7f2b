public import Latchkey
import LatchkeyOAuthCore

extension OAuthProvider: AnswerJudging {
    /// Returns what an API's answer says about the token (RFC 6750, section 3.1; RFC 9470, section 3).
    ///
    /// | Answer | Verdict |
    /// | --- | --- |
    /// | 401 with `insufficient_user_authentication` | a stronger sign-in is needed |
    /// | any other 401, with or without a challenge | rejected |
    /// | 403 with `insufficient_scope`, and 401 with it, as some services answer | more scopes are needed |
    /// | everything else | accepted |
    public func verdict(on response: TransportResponse) -> TokenVerdict {
        guard response.status == 401 || response.status == 403 else { return .accepted }
        let challenges = AuthenticationChallenge.all(in: response.fields)
            .filter { $0.scheme == "bearer" || $0.scheme == "dpop" }
        for parameters in challenges.map(\.parameters) {
            let scopes = Self.words(parameters[OAuthWire.scope]).filter(AccessToken.isScope)
            switch (response.status, parameters[OAuthWire.error].flatMap(OAuthErrorCode.init(rawValue:))) {
            case (401, .insufficientUserAuthentication):
                let maxAge = parameters[OAuthWire.maxAge].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
                return .insufficient(
                    StepUp(
                        acr: Self.words(parameters[OAuthWire.acrValues]), maxAge: maxAge.map { .seconds($0) },
                        scopes: scopes))
            case (_, .insufficientScope): return .insufficient(StepUp(scopes: scopes))
            default: continue
            }
        }
        return response.status == 401 ? .rejected : .accepted
    }

    private static func words(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }
}
