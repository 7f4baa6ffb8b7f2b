/// Where a credential is stored that people may share.
extension Lanes {
    private var services: Services { accounts.services }

    /// Stores what was granted to `account` under the first key that has room for it: a credential
    /// that others share is not replaced. If the account was signed in on that one, it leaves it
    /// first.
    func place(
        _ credential: Credential, of account: AccountID, login: String, contact offset: Duration
    ) async throws(AuthError) {
        let keys = services.keys(of: account)
        for (index, key) in keys.enumerated() {
            if index > 0 { await with(keys[0]) { lane in await lane.giveWay(account) } }
            let isStored = try await with(key) { lane throws(AuthError) in
                try await lane.signIn(credential, login: login, contact: offset)
            }
            guard isStored else { continue }
            for other in credential.sessions.map(\.account) where other != account {
                await keepOneSession(of: other, at: key)
            }
            return await keepOneSession(of: account, at: key)
        }
    }

    /// Keeps one session of an account: the one under its own key gives way to the one that shares
    /// a credential. Never the other way round, or two sign-ins at once would each end what the
    /// other one stored.
    func keepOneSession(of account: AccountID, at key: StoreKey) async {
        let keys = services.keys(of: account)
        guard keys.count > 1 else { return }
        if key != keys[0] {
            let record = try? await with(keys[0]) { lane in try await lane.read()?.record }
            guard record?.login(of: account) != nil else { return }
        }
        await with(keys[1]) { lane in await lane.giveWay(account) }
    }

    /// The same for a session that another client had. If somebody is signed in as the account
    /// already, that session stays and is returned.
    func placeTakenOver(
        _ credential: Credential, of account: AccountID, login: String, contact offset: Duration
    ) async throws(AuthError) -> AuthSession? {
        for key in services.keys(of: account).reversed() {
            let known = try await with(key) { lane throws(AuthError) in try await lane.session(of: account) }
            if let known { return known }
        }
        for key in services.keys(of: account) {
            let taken = try await with(key) { lane throws(AuthError) in
                try await lane.takeOver(credential, of: account, login: login, contact: offset)
            }
            switch taken {
            case .present(let session): return session
            case .stored:
                await keepOneSession(of: account, at: key)
                return nil
            case .noRoom: continue
            }
        }
        return nil
    }
}
