/// What is sent in the lane, and for whom.
enum Errand: Sendable {
    /// A refresh.
    ///
    /// - `doubted`: names the refresh token that was refused a moment ago, in minting beside others.
    case refresh(Demand, doubted: String?)
    case operation(Operation)

    typealias Work = @Sendable (Credential, ProviderContext) async throws -> CredentialChange

    /// An operation of the provider's own.
    struct Operation: Sendable {
        /// Whose; `nil`: of whoever shares the credential.
        var entry: AccountEntry?
        /// What sending the secret again would do to this request.
        var replay: ProviderRules.RefreshRule
        var work: Work
    }

    /// What callers wait for who are sent away when their patience ends.
    var demand: Demand? { if case .refresh(let demand, _) = self { demand } else { nil } }
}

/// What an exchange came to.
enum Ending: Sendable {
    /// Nothing was sent: the account is not signed in, or its login was left through this process.
    case nobody(CredentialRecord?, wasLeft: Bool)
    /// Nothing was sent: the store has a token that is newer than the demanded one, and fresh.
    case adopted(AccessToken)
    /// Nothing was sent: the lane was not to be had in time.
    case late(AuthError)
    /// There is no answer to store. A token of the record may be handed out while it lasts; of what is in memory if the
    /// record could not be read (`nil`).
    case trouble(AuthError, AuthObservation.RefreshOutcome, CredentialRecord?)
    /// The answer is stored, or waits for it.
    case answered(Landing, isJoined: Bool)
    /// The answer changed nothing.
    case unchanged
    /// The service said no; if that was definite, what the store made of it.
    case refused(Refusal, Landing?)
}
