public import Latchkey
import LatchkeyJSON

extension ClerkProvider: AnswerJudging {
    /// Returns what an app's backend says about the token. The 403 with which Clerk's own libraries
    /// ask for a proof leads to a step-up
    /// ([Clerk, Reverification](https://clerk.com/docs/guides/secure/reverification)).
    public func verdict(on response: TransportResponse) -> TokenVerdict {
        guard response.status == 403 else { return response.status == 401 ? .rejected : .accepted }
        let error = (try? JSON.parse(response.body, limits: JSONLimits(bytes: 65_536)))?["clerk_error"]
        guard error?["reason"]?.string == "reverification-error" else { return .accepted }
        let wanted = error?["metadata"]?["reverification"]
        var stepUp = StepUp()
        if let level = wanted?["level"]?.string, ClerkConversation.levels.contains(level) { stepUp.acr = [level] }
        if let minutes = wanted?["afterMinutes"]?.integer, (0...5_000_000).contains(minutes) {
            stepUp.maxAge = .seconds(minutes * 60)
        }
        return .insufficient(stepUp)
    }
}
