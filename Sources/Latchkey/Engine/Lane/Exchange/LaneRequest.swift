/// What is sent in the lane, and for whom.
enum LaneRequest: Sendable {
    /// A refresh.
    ///
    /// - `doubted`: names the refresh token that was refused a moment ago, when minting beside others.
    case refresh(Demand, doubted: String?)
    case operation(Operation)

    typealias Work = @Sendable (Credential, ProviderContext) async throws -> CredentialChange

    /// An operation of the provider's own.
    struct Operation: Sendable {
        /// The account that it is for; `nil` if it is for the people who share the credential.
        var entry: AccountEntry?
        /// What sending the secret again would do to this request.
        var replay: ProviderRules.RefreshRule
        var work: Work
        var shown: Shown?
    }

    /// Whether a credential that was refreshed after the request had left (`now`) shows that the service has acted on the
    /// request, which carried `before`.
    typealias Shown = @Sendable (_ before: Credential, _ now: Credential) -> Bool

    /// The pause that the service asks for with `trouble`. What it says of an operation holds for that one alone.
    func pause(_ trouble: AuthError, at stamp: CredentialRecord.Stamp) -> ServicePause? {
        demand == nil ? nil : ServicePause(trouble, at: stamp)
    }

    /// What the waiting callers demand, if they are sent away when their patience ends.
    var demand: Demand? { if case .refresh(let demand, _) = self { demand } else { nil } }
}
