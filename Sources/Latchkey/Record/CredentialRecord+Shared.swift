/// A credential that several people are signed in on: `Documentation/Internals/Lane.md`, section 6.
extension CredentialRecord {
    /// The login that made `session`.
    package func login(of session: AuthSession) -> String { session.login ?? login }

    /// The login by which `account` is signed in; `nil` if it is not.
    package func login(of account: AccountID) -> String? {
        credential?.sessions.first { $0.account == account }.map { login(of: $0) }
    }

    /// Whether somebody is signed in by `login`.
    package func has(_ login: String) -> Bool {
        credential?.sessions.contains { self.login(of: $0) == login } ?? false
    }

    /// Every login by which somebody is signed in.
    var logins: [String] {
        (credential?.sessions ?? []).reduce(into: []) { logins, session in
            let login = login(of: session)
            if !logins.contains(login) { logins.append(login) }
        }
    }

    /// The credential with the session of `login` alone, to be revoked.
    package func leaving(_ login: String) -> Credential? {
        guard var leaving = credential else { return nil }
        leaving.sessions = leaving.sessions.filter { self.login(of: $0) == login }
        return leaving.sessions.isEmpty ? nil : leaving
    }

    /// Adds `session`, which has a login, in place of an earlier one of the same account. If the
    /// service gives both the same id, the session keeps the login that it has.
    ///
    /// - Parameter owes: Whether the service must be told that the replaced session is over.
    mutating func join(_ session: AuthSession, at stamp: Stamp, owes: Bool) {
        guard var joined = credential else { return }
        var session = session
        session.tokens = [:]
        let known = joined.sessions.first { $0.account == session.account }
        if let known, known.id == session.id {
            session.login = known.login
            session.unknown = known.unknown
            joined.sessions = joined.sessions.map { $0.id == session.id ? session : $0 }
            live?.credential = joined
            return
        }
        // Added before the old session ends, since the credential goes with its last session.
        joined.sessions.append(session)
        let replaced = known.map { login(of: $0) }
        let leaving = replaced.flatMap(self.leaving)
        live?.credential = joined
        guard let replaced else { return }
        if owes, let leaving {
            _ = addPending(
                Pending(login: replaced, credential: leaving, mark: nil, scope: .thisSession, since: stamp))
        }
        end(replaced, .replaced, at: stamp, isOwed: owes)
    }

    /// What is owed is sent with the new token that a service gave in place of the old one.
    mutating func replacePending(_ old: Secret, of credential: Credential.ID, by new: Secret) {
        for index in pending.indices
        where pending[index].credential.id == credential && pending[index].credential.refreshToken == old {
            pending[index].credential.refreshToken = new
        }
    }

    /// Puts `new` in place of `old` wherever the record has it for the credential. Returns `false`
    /// if it is nowhere.
    mutating func replace(_ old: Secret, of id: Credential.ID, by new: Secret, refreshTokenID fresh: String) -> Bool {
        let isOwed = pending.contains { $0.credential.id == id && $0.credential.refreshToken == old }
        replacePending(old, of: id, by: new)
        guard let credential, credential.id == id, credential.refreshToken == old else { return isOwed }
        live?.credential.refreshToken = new
        refreshTokenID = fresh
        return true
    }
}
