/// How far a revocation reaches at a profile's service.
enum RevocationReach: String, Hashable, Sendable, CaseIterable {
    /// To everything from the same session of a browser at the service.
    case session
    /// To the tokens of one sign-in.
    case signIn = "sign-in"
    /// To everything that the person has granted to the client.
    case client

    /// The key of its text.
    var text: String {
        switch self {
        case .session: "reach.session"
        case .signIn: "reach.signIn"
        case .client: "reach.client"
        }
    }
}

extension Option {
    static let revocationReach = value(
        "revocation-reach", "REACH", .words(RevocationReach.allCases.map(\.rawValue)),
        "What a revocation ends at the service: one sign-in (sign-in), all sign-ins of the same browser (session), or all of"
            + " the person at this client (client), as at Keycloak before 26.0.8. A session that a new login replaces is revoked"
            + " only if that cannot end the new one")
}
