/// What became of the tokens that the service gave with an answer which was refused.
public enum RefusedTokens: Hashable, Sendable {
    /// Why they were not revoked.
    public enum Reason: Hashable, Sendable {
        /// The service offers no revocation.
        case notOffered
        /// The service could not be told, or refused it.
        case failed
        /// The revocation might have ended a session that is signed in here.
        case endsOthers
    }

    /// The service has confirmed that they are revoked.
    case revoked
    /// They were not revoked. Nothing keeps them, and they stay valid until they expire.
    case leftToExpire(Reason)
}
