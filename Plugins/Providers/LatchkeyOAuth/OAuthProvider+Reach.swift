public import Latchkey
import LatchkeyOAuthCore

extension OAuthProvider {
    /// How far a revocation reaches at a service. It decides whether the service is told of a session that a newer one
    /// has replaced.
    public enum RevocationReach: Hashable, Sendable {
        /// It ends the tokens of one sign-in (RFC 7009, section 2.1). A replaced session is revoked.
        case grant
        /// It may end everything that came from the same session at the service, such as all sign-ins of one browser
        /// (Keycloak). A replaced session is revoked only if the ID tokens of both name a session (`sid`) and it is
        /// another one; otherwise it is left to expire.
        case serviceSession
        /// It ends everything that the person has granted to this client (Google). A replaced session is left to expire.
        case client
    }

    /// How far a revocation reaches, as is set or known, or at most is to be expected.
    var reach: RevocationReach { revocationReach ?? known.revocationReach ?? .serviceSession }
}

extension OAuthProvider: RevocationReaching {
    /// Whether a revocation may end other sign-ins than its own.
    public var mayReachFurther: Bool { reach != .grant }

    /// Judges by ``revocationReach`` and by what the ID tokens of the two sessions say: another person's session is not
    /// touched.
    ///
    /// A session that was taken over from another program may descend from the one that it replaces, so it counts as
    /// reached unless the ID tokens name two sessions.
    public func revoking(_ revoked: AuthSession, mayEnd kept: AuthSession) -> Bool {
        let (older, newer) = (SessionState(revoked.state), SessionState(kept.state))
        if let subject = older.subject, let other = newer.subject, subject != other { return false }
        let areTold = !older.serviceSessions.isEmpty && !newer.serviceSessions.isEmpty
        let areApart = areTold && older.serviceSessions.isDisjoint(with: newer.serviceSessions)
        return switch reach {
        case .client: true
        case .serviceSession: !areApart
        case .grant: newer.isTakenOver && !areApart
        }
    }
}
