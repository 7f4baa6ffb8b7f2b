/// Signing in with a session of another client: `Documentation/Internals/Lane.md`, section 5.
extension Lane {
    /// What became of a session to take over.
    enum TakenOver: Sendable {
        case stored
        /// Somebody is signed in as the account, by this session.
        case present(AuthSession)
        /// Others are signed in on a credential that they share.
        case noRoom
    }

    /// Stores `credential`, unless somebody is signed in as the account: then their session stays.
    ///
    /// The service is not asked: the refresh token is the one that another client had, and the
    /// first refresh is like every other. So a process that dies in the middle of it, or does the
    /// same at the same time, loses nothing. With an exchange of its own, a second process could
    /// store a token that was the newest some refreshes ago.
    ///
    /// - Throws: `store`, and nothing is kept; `signInRequired(.signedOut)` when the session was signed out here, or the
    ///   service is still to be told of a sign-out that ends it.
    func takeOver(
        _ credential: Credential, of account: AccountID, login: String, contact offset: Duration
    ) async throws(AuthError) -> TakenOver {
        // A sign-in that waits to be stored counts as signed in. It is tried again in its turn,
        // which may take long to come.
        guard unstored.signIn == nil else {
            throw AuthError(.store(.notDurable), "Somebody is signed in whose session could not be stored yet.")
        }
        let record = try await put(
            credential, login: login, contact: offset, keepsUnstored: false,
            over: { record throws(AuthError) in try mayTakeOver(credential, of: account, over: record) })
        guard !record.has(login) else { return .stored }
        _ = try await look()
        return record.credential?.session(of: account).map { .present($0) } ?? .noRoom
    }

    private func mayTakeOver(
        _ credential: Credential, of account: AccountID, over record: CredentialRecord
    ) throws(AuthError) -> Bool {
        var left = record.pending.map(\.credential)
        for login in record.logins {
            guard let present = record.leaving(login) else { continue }
            guard logins.hasEnded(login) else { return !place.sharesKey && present.session(of: account) == nil }
            left.append(present)
        }
        let rules = services.named(in: credential.binding)?.rules
        let endsEveryGrant = rules?.revocationEndsEveryGrant == true
        // The other client may have handed it out before the sign-out, which the service may know of by now.
        let wasLeft = record.ended.contains { ended in credential.sessions.contains { $0.id == ended.session } }
        guard !wasLeft, !left.contains(where: { endsEveryGrant || services.revoking($0, mayEnd: credential) }) else {
            throw AuthError(.signInRequired(.signedOut), "The session to take over was signed out here.")
        }
        return true
    }
}

extension Credential {
    fileprivate func session(of account: AccountID) -> AuthSession? { sessions.first { $0.account == account } }
}
