/// A provider at whose service a revocation may end more than the session that is revoked: for example every session
/// that the person's browser has with this client there (Keycloak).
///
/// The engine asks before it revokes a session that a newer one has replaced, and asks again about sign-outs that are
/// still owed when a newer session is made. A revocation that may end the newer session is not sent, and the older
/// session is left to expire. A sign-out that a person asks for is sent in any case.
///
/// | Case | Required behaviour |
/// | --- | --- |
/// | ``mayReachFurther`` is `false` | a revocation ends one session only; ``revoking(_:mayEnd:)`` is asked all the same |
/// | ``mayReachFurther`` is `true` | sign-ins and revocations run one at a time, in all processes |
/// | nothing is known of the two sessions | ``revoking(_:mayEnd:)`` is `true` |
public protocol RevocationReaching: SessionRevoking {
    /// Whether a revocation may end other sessions than the one that is revoked.
    var mayReachFurther: Bool { get }

    /// Whether revoking `revoked` may end `kept`, another session of this provider. Return `false` only if that is known.
    func revoking(_ revoked: AuthSession, mayEnd kept: AuthSession) -> Bool
}
