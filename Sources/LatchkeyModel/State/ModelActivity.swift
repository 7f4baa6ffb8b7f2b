/// What is under way. There is one at a time: a second intent begins nothing, and returns that it did not.
public enum ModelActivity: String, CaseIterable, Hashable, Sendable {
    /// The store is being read.
    case restoring
    /// A sign-in, sign-up, recovery, link or step-up was sent.
    case signingIn
    /// An answer was sent.
    case answering
    /// A code or mail is requested again.
    case resending
    /// The person is asked for the proof that unlocks.
    case unlocking
    /// The unlock is being switched on or off.
    case changingUnlock
    /// The session is being prolonged.
    case stayingSignedIn
    /// An account is being signed out.
    case signingOut
    /// Another account is being made the current one.
    case switchingAccount
    /// Every session is being ended.
    case startingOver

    /// Whether ``AuthModel/cancel()`` ends it. The others read or change what is stored,
    /// and are quick; after a half-finished one nobody would know who is signed in.
    public var isCancellable: Bool {
        switch self {
        case .signingIn, .answering, .resending, .unlocking, .changingUnlock, .stayingSignedIn: true
        case .restoring, .signingOut, .switchingAccount, .startingOver: false
        }
    }
}
