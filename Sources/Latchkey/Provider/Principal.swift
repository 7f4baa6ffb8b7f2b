/// The person who is already signed in, for linking and stepping up. The engine reads it under the
/// refresh lock, with a valid access token.
public struct Principal: Sendable {
    /// The credential, with the newest secrets.
    public var credential: Credential
    /// The person's session of that credential.
    public var session: AuthSession

    /// Creates a principal.
    public init(_ credential: Credential, session: AuthSession) {
        self.credential = credential
        self.session = session
    }

    /// The access token for the standard audience.
    public var accessToken: AccessToken? { session.tokens[.standard] }
}

extension Grant {
    /// Creates a grant of the session of `principal` as it is, for a conversation that changed nothing about it.
    public init(continuing principal: Principal) {
        self.init(
            refreshToken: principal.credential.refreshToken, sessions: principal.credential.sessions,
            current: principal.session.id, state: principal.credential.state)
    }

    /// Returns what the grant changes about `credential`, if it continues one of its sessions;
    /// `nil` if it is a new login.
    func change(of credential: Credential) -> CredentialChange? {
        guard let session = sessions.first(where: { $0.id == current }),
            credential.session(current)?.account == session.account
        else { return nil }
        let others = credential.sessions.map { known in sessions.first { $0.id == known.id } ?? known }
        let isSame = refreshToken == credential.refreshToken
        return CredentialChange(refreshToken: isSame ? nil : refreshToken, sessions: others, state: state)
    }
}
