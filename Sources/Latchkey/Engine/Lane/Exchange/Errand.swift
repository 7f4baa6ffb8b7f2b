/// What is sent in the lane, and for whom.
enum Errand: Sendable {
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

/// How an exchange ended.
enum Ending: Sendable {
    /// Nothing was sent: the account is not signed in, or was signed out through this process.
    case nobody(CredentialRecord?, wasLeft: Bool)
    /// Nothing was sent: the store has a token that is newer than the demanded one, and fresh.
    case adopted(AccessToken)
    /// Nothing was sent: the lane was not to be had in time.
    case late(AuthError)
    /// There is no answer to store. The record's token may be handed out while it lasts; if the
    /// record could not be read (`nil`), the one in memory.
    case trouble(AuthError, AuthObservation.RefreshOutcome, CredentialRecord?)
    /// The answer is stored, or waits to be stored.
    case answered(Landing, isJoined: Bool)
    /// The answer changed nothing.
    case unchanged
    /// The service refused. If it did so for good, the landing says what became of that in the store.
    case refused(Refusal, Landing?)
}
