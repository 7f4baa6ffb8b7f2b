import LatchkeyLocked

/// Where credentials are that several people share, and how a sign-in comes onto one.
extension Engine {
    /// The key of the credential that all accounts of the provider share.
    func sharedKey(_ rules: ProviderRules) -> StoreKey {
        let binding = rules.binding
        return StoreKey(.credential, "\(binding.provider.name) \(binding.authority) client \(binding.client)")
    }

    /// The provider whose people share credentials, where `key` is that of one: of all or, where a sign-in was on a client
    /// of its own, of one account.
    func sharing(_ key: StoreKey) -> (any AuthProvider)? {
        guard key.kind == .credential else { return nil }
        return providers.values.first { provider in
            let rules = provider.rules
            return rules.sharesCredential
                && key.name.hasPrefix("\(rules.binding.provider.name) \(rules.binding.authority) ")
        }
    }

    /// Whether `key` is one account's own, whose provider's people share a credential otherwise.
    func isOwn(_ key: StoreKey) -> Bool { sharing(key).map { sharedKey($0.rules) != key } ?? false }

    /// The keys under which the credential of `account` may be stored.
    func keys(of account: AccountID) -> [StoreKey] {
        let own = StoreKey(.credential, account.value)
        return sharing(own).map { [sharedKey($0.rules), own] } ?? [own]
    }

    /// Stores what was granted to `account` under the first key that has room for it: a credential that others share stays.
    /// Where the account was on that one, it leaves it first.
    func place(
        _ credential: Credential, of account: AccountID, login: String, contact offset: Duration
    ) async throws(AuthError) {
        let keys = keys(of: account)
        for (index, key) in keys.enumerated() {
            if index > 0 { await withLane(keys[0]) { lane in await lane.giveWay(account) } }
            let isStored = try await withLane(key) { lane throws(AuthError) in
                try await lane.signIn(credential, login: login, contact: offset)
            }
            guard isStored else { continue }
            for other in credential.sessions.map(\.account) where other != account { await settle(other, at: key) }
            return await settle(account, at: key)
        }
    }

    /// There is one session of an account: the one under its own key gives way to the one that shares a credential. Never
    /// the other way round, or two sign-ins at once would each end what the other one stored.
    func settle(_ account: AccountID, at key: StoreKey) async {
        let keys = keys(of: account)
        guard keys.count > 1 else { return }
        if key != keys[0] {
            let record = try? await withLane(keys[0]) { lane in try await lane.read()?.record }
            guard record?.login(of: account) != nil else { return }
        }
        await withLane(keys[1]) { lane in await lane.giveWay(account) }
    }

    /// The same for a session that another client had: whoever is signed in as the account stays so, and is returned.
    func placeTakenOver(
        _ credential: Credential, of account: AccountID, login: String, contact offset: Duration
    ) async throws(AuthError) -> AuthSession? {
        for key in keys(of: account).reversed() {
            let known = try await withLane(key) { lane throws(AuthError) in try await lane.session(of: account) }
            if let known { return known }
        }
        for key in keys(of: account) {
            let taken = try await withLane(key) { lane throws(AuthError) in
                try await lane.takeOver(credential, of: account, login: login, contact: offset)
            }
            switch taken {
            case .present(let session): return session
            case .stored:
                await settle(account, at: key)
                return nil
            case .noRoom: continue
            }
        }
        return nil
    }

    /// A call of a sign-in that may come onto the credential that others share: alone in its lane, with its newest secret.
    /// `nil`: nobody shares one.
    func exchange(
        _ provider: any AuthProvider, sharing key: StoreKey, answering answered: String?,
        _ call: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> SignInStep? {
        do {
            return try await converse(provider, in: key, nil, answering: answered) { [self] credential, context in
                var context = context
                context.shared = credential
                let begun = clock.now()
                let turn = try await call(context).counted(from: begun, in: clock.boot)
                guard case .signedIn(let grant) = turn, grant.shared == credential.id,
                    var session = grant.sessions.first(where: { $0.id == grant.current })
                else { return (CredentialChange(), .turn(turn)) }
                session.login = self.context.randomName()
                var change = CredentialChange(
                    refreshToken: grant.refreshToken == credential.refreshToken ? nil : grant.refreshToken,
                    state: grant.state)
                change.joining = session
                return (change, .joined(session))
            }
        } catch is NobodyShares {
            return nil
        }
    }
}
