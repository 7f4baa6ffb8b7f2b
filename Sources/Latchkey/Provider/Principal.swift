/// Who is signed in already, in a conversation about them: linking, stepping up. Read in the lane, with an access token
/// that is good.
public struct Principal: Sendable {
    /// The credential, with the newest secrets.
    public var credential: Credential
    /// Whose session of it.
    public var session: AuthSession

    /// A principal of its parts.
    public init(_ credential: Credential, session: AuthSession) {
        self.credential = credential
        self.session = session
    }

    /// The access token for the standard audience.
    public var accessToken: AccessToken? { session.tokens[.standard] }
}

extension Grant {
    /// The session of `principal` as it is, for a conversation that changed nothing about it.
    public init(continuing principal: Principal) {
        self.init(
            refreshToken: principal.credential.refreshToken, sessions: principal.credential.sessions,
            current: principal.session.id, state: principal.credential.state)
    }

    /// What it changes about `credential`, where it goes on one of its sessions; `nil`: it is a login of its own.
    func change(of credential: Credential) -> CredentialChange? {
        guard let session = sessions.first(where: { $0.id == current }),
            credential.session(current)?.account == session.account
        else { return nil }
        let others = credential.sessions.map { known in sessions.first { $0.id == known.id } ?? known }
        let isSame = refreshToken == credential.refreshToken
        return CredentialChange(refreshToken: isSame ? nil : refreshToken, sessions: others, state: state)
    }
}
