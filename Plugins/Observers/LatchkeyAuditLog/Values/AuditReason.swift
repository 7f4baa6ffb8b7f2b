public import Latchkey

/// Why something happened or ended as it did: a name from one of the client's closed sets, never free text.
public struct AuditReason: Hashable, Sendable {
    /// The name, such as `refused.wrongInput` or `elsewhere`.
    public let name: String

    private init(name: String) { self.name = name }

    /// The code of an error, as ``/Latchkey/AuthError/Code/name`` writes it. Not its message.
    public static func error(_ code: AuthError.Code) -> AuditReason { AuditReason(name: code.name) }

    /// What signed the account out.
    public static func signOut(_ cause: AuthEvent.SignOutCause) -> AuditReason { AuditReason(name: cause.rawValue) }

    /// Why the person must sign in again.
    public static func signInRequired(_ reason: AuthError.SignInRequiredReason) -> AuditReason {
        AuditReason(name: reason.rawValue)
    }

    /// How a refresh ended.
    public static func refresh(_ outcome: AuthObservation.RefreshOutcome) -> AuditReason {
        AuditReason(name: outcome.rawValue)
    }

    /// How a revocation ended.
    public static func revocation(_ outcome: AuthObservation.RevocationOutcome) -> AuditReason {
        AuditReason(name: outcome.rawValue)
    }

    /// The person asked for it.
    public static let person = AuditReason(name: "person")
    /// An administrator asked for it.
    public static let administrator = AuditReason(name: "administrator")
    /// A rule of the app demands it.
    public static let policy = AuditReason(name: "policy")
    /// Something was lost: a device, a password.
    public static let loss = AuditReason(name: "loss")
    /// Somebody else may be at work.
    public static let suspicion = AuditReason(name: "suspicion")
}
