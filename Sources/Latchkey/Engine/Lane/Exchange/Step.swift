/// What a step of an exchange decides: to go on, or how the exchange ends.
enum Step<Next> {
    case go(Next)
    case end(Ending)
}

/// How an exchange ended.
enum Ending: Sendable {
    /// Nothing was sent: the account is not signed in, or was signed out through this process.
    case nobody(CredentialRecord?, wasLeft: Bool)
    /// Nothing was sent: the store has a token that is newer than the demanded one, and fresh.
    case adopted(AccessToken)
    /// Nothing was sent: an earlier request may be under way.
    case heldOff(Waiting)
    /// Nothing was sent: the lane was not to be had in time.
    case late(AuthError)
    /// There is no answer to store. The record's token may be handed out while it lasts; if the
    /// record could not be read (`nil`), the one in memory.
    case trouble(AuthError, AuthObservation.RefreshOutcome, CredentialRecord?)
    /// The answer is stored, or waits to be stored.
    case answered(TokenResult, isJoined: Bool)
    /// The answer changed nothing.
    case unchanged
    /// The service refused. If it did so for good, the result says what became of that in the store.
    case refused(Refusal, TokenResult?)
}

/// An earlier request of `holder` may be under way until then.
struct Waiting: Sendable {
    var until: MonotonicInstant
    var holder: String
    var provider: ProviderID
}
