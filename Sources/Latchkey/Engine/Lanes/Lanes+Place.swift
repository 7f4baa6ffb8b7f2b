/// Where a credential is stored that people may share.
extension Lanes {
    private var services: Services { accounts.services }

    /// Stores what was granted to `account` under the first key that has room for it: a credential
    /// that others share is not replaced. If the account was signed in on that one, it leaves it
    /// first. Returns the key.
    ///
    /// - Parameter owed: What the service is still owed of the same credential.
    @discardableResult
    func place(
        _ credential: Credential, of account: AccountID, login: String, contact offset: Duration,
        owing owed: [CredentialRecord.Pending] = []
    ) async throws(AuthError) -> StoreKey? {
        let keys = services.keys(of: account)
        for (index, key) in keys.enumerated() {
            if index > 0 { await with(keys[0]) { lane in await lane.giveWay(account, to: credential) } }
            let isStored = try await with(key) { lane throws(AuthError) in
                try await lane.signIn(credential, login: login, contact: offset, owing: owed)
            }
            guard isStored else { continue }
            for other in credential.sessions.map(\.account) where other != account {
                await keepOneSession(of: other)
            }
            await keepOneSession(of: account, placed: login)
            return key
        }
        return nil
    }

    /// Keeps one session of an account: the one under its own key gives way to the one that shares
    /// a credential. Never the other way round, or two sign-ins at once would each end what the
    /// other one stored.
    ///
    /// - Parameter login: By which the account was just signed in, if that may be on the one that shares.
    func keepOneSession(of account: AccountID, placed login: String? = nil) async {
        let keys = services.keys(of: account)
        guard keys.count > 1 else { return }
        let shared: CredentialRecord?
        do {
            shared = try await with(keys[0]) { lane throws(AuthError) in try await lane.read()?.record }
        } catch {
            // The next reading of the store does this.
            return
        }
        let present = shared?.login(of: account).flatMap { shared?.leaving($0) }
        // Who signed out since then has left what was there before, too.
        let ending = login.flatMap { shared?.ending(of: $0) }
        guard present != nil || (ending.map { $0.cause != .replaced } ?? false) else { return }
        await with(keys[1]) { lane in await lane.giveWay(account, to: present) }
    }

    /// Ends `login` of `account`, which is stored under `key`. What fails is tried again.
    func signOut(_ account: AccountID, login: String, at key: StoreKey) async {
        await with(key) { lane in _ = try? await lane.signOut(account, login: login, scope: .thisSession) }
    }

    /// As ``place(_:of:login:contact:owing:)``, for a session that another client had. If somebody is signed in as the account
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
                await keepOneSession(of: account, placed: login)
                return nil
            case .noRoom: continue
            }
        }
        return nil
    }
}
