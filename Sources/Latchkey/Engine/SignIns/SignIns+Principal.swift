import LatchkeySystem

/// Conversations about somebody who is signed in: the provider gets the credential in the lane, and what it grants for the
/// same session is stored there as a refresh is.
extension SignIns {
    /// The account that the request is about; `nil` if it is about none.
    func principal(of request: SignInRequest) async throws(AuthError) -> AccountID? {
        switch request {
        case .link(_, let account), .stepUp(_, let account): try await reader.usableEntry(account).account
        case .signIn, .signUp, .recover: nil
        }
    }

    /// The principal for `account`, as the store has it now; `nil` if it cannot be read.
    func principal(asStored account: AccountID?) async -> Principal? {
        guard let account, let entry = accounts.table.entry(account) else { return nil }
        let found = try? await lanes.with(entry.key) { lane in try await lane.read() }
        guard let credential = found?.record.credential, found?.record.has(entry.login) == true else { return nil }
        return principal(account, on: credential)
    }

    /// ``exchange(_:about:answering:_:)`` about `account`.
    func exchange(
        _ provider: any AuthProvider, aboutPrincipal account: AccountID, answering answered: String?,
        _ call: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> SignInStep {
        let rules = provider.rules
        let entry = try await reader.usableEntry(account)
        guard entry.binding == rules.binding else {
            throw AuthError(
                .configuration(.invalid), "The account is not one of provider \"\(rules.binding.provider.name)\".",
                provider: rules.binding.provider)
        }
        try await freshen(entry)
        guard !rules.revocationEndsEveryGrant || rules.elevation.replay != .fixed else {
            return try await exchangeInTurn(provider, entry, answering: answered, call)
        }
        return try await converse(provider, in: entry.key, entry, answering: answered) { [self] credential, context in
            try await carryOn(credential, account, in: context, call)
        }
    }

    /// A call of a sign-in that may join the credential that others share. It runs alone in the
    /// lane of that one, with its newest secret. Returns `nil` if nobody shares one.
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
                session.login = services.context.randomName()
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

    /// Makes a call in the lane of `key`, and does what follows from its result.
    ///
    /// - Parameter entry: The account that it is about; `nil` if it is about none, but may join a
    ///   credential that others share.
    func converse(
        _ provider: any AuthProvider, in key: StoreKey, _ entry: AccountEntry?, answering answered: String?,
        _ call: @escaping @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Reached)
    ) async throws -> SignInStep {
        let rules = provider.rules
        // Runs to its end, as any operation does: what the service did is stored even if the caller has left.
        let flight = Flight<SignInStep>()
        // The error as the provider threw it: one that leaves the challenge open must be recognised.
        let refusal = Locked<(any Error)?>(nil)
        let granted = Locked<Turn?>(nil)
        services.context.start("converse") { [self] in
            do {
                let reached = try await lanes.with(key) { lane in
                    try await lane.perform(entry, rules.elevation.replay) { credential, context in
                        do {
                            let (change, reached) = try await call(credential, context)
                            if case .turn(let turn) = reached { granted.withLock { $0 = turn } }
                            return (change, reached)
                        } catch  where error.changesNothing {
                            refusal.withLock { $0 = error }
                            throw NotSent(AuthError(error))
                        }
                    }
                }
                // From here on `take` takes care of what was granted.
                granted.withLock { $0 = nil }
                flight.land(.success(try await step(to: reached, provider, at: key, entry?.account, answered)))
                if case .joined = reached { await gate.offer() }
            } catch let nobody as NobodyShares {
                refusal.withLock { $0 = nobody }
                flight.land(.failure(AuthError(.cancelled, "Nobody shares a credential.")))
            } catch {
                // For example, the person signed out meanwhile: what was granted would live on unseen.
                if let turn = granted.withLock({ $0 }) {
                    await forgo(turn, provider, in: services.callContext(rules.binding).context)
                }
                flight.land(.failure(AuthError(error, provider: rules.binding.provider)))
            }
        }
        do {
            return try await flight.value()
        } catch {
            throw refusal.withLock { $0 } ?? error
        }
    }

    /// Stores the result of a call in the lane, and returns the step for it.
    private func step(
        to reached: Reached, _ provider: any AuthProvider, at key: StoreKey, _ about: AccountID?, _ answered: String?
    ) async throws -> SignInStep {
        switch reached {
        case .merged(let session): return .signedIn(session)
        case .joined(let session):
            await lanes.keepOneSession(of: session.account, placed: session.login)
            await welcome(session)
            return .signedIn(session)
        case .turn(let turn):
            let (context, _) = services.callContext(provider.rules.binding)
            return try await take(turn, provider, in: context, about: about, answering: answered)
        }
    }

    /// The result of a call in the lane.
    enum Reached: Sendable {
        /// The session goes on, and the lane stores what changed.
        case merged(AuthSession)
        /// The session is a further one on a credential that others share, and the lane has stored it.
        case joined(AuthSession)
        case turn(Turn)
    }

    private func carryOn(
        _ credential: Credential, _ account: AccountID, in context: ProviderContext,
        _ call: @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> (CredentialChange, Reached) {
        guard let principal = principal(account, on: credential) else {
            throw NotSent(AuthError.signedOut)
        }
        var context = context
        context.principal = principal
        let begun = clock.now()
        let turn = try await call(context).counted(from: begun, in: clock.boot)
        guard case .signedIn(let grant) = turn, let change = grant.change(of: credential),
            let session = grant.sessions.first(where: { $0.id == grant.current })
        else { return (CredentialChange(), .turn(turn)) }
        return (change, .merged(session))
    }

    /// The same if a revocation ends every grant and the call brings a grant of its own: in turn
    /// with revocations. Those go from the credential's lane to the lane of the grants, so the
    /// credential's lane is not held meanwhile.
    private func exchangeInTurn(
        _ provider: any AuthProvider, _ entry: AccountEntry, answering answered: String?,
        _ call: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> SignInStep {
        let (plain, measured) = services.callContext(provider.rules.binding)
        var context = plain
        context.principal = await principal(asStored: entry.account)
        let prepared = context
        return try await granting(provider) { [self] in
            let begun = clock.now()
            let turn = try await call(prepared)
            services.learn(measured, prepared, of: provider.rules.binding)
            return try await take(
                turn.counted(from: begun, in: clock.boot), provider, in: prepared, about: entry.account,
                answering: answered)
        }
    }

    /// Refreshes the access token if it is about to end.
    private func freshen(_ entry: AccountEntry) async throws(AuthError) {
        guard let snapshot = entry.tokens[.standard], clock.now() >= snapshot.staleAt else { return }
        _ = try await lanes.with(entry.key) { lane throws(AuthError) in
            try await lane.token(
                Demand(want: Want(account: entry.account), old: snapshot.token))
        }
    }
}

extension SignIns {
    /// `account` as a principal, with the tokens that are only in memory.
    private func principal(_ account: AccountID, on credential: Credential) -> Principal? {
        guard var session = credential.sessions.first(where: { $0.account == account }) else { return nil }
        if credential.isShared {
            session.tokens = accounts.table.entry(account)?.tokens.mapValues(\.token) ?? [:]
        }
        return Principal(credential, session: session)
    }
}

extension Error {
    /// Whether the provider's error means that its request changed nothing, so that nothing is under way.
    fileprivate var changesNothing: Bool {
        guard !(self is StillOpen) else { return true }
        switch (self as? AuthError)?.code {
        case .refused, .declined, .configuration: return true
        default: return false
        }
    }
}

extension ProviderRules {
    /// Refuses what the provider does not offer, before anything opens or is sent.
    func check(_ request: SignInRequest) throws(AuthError) {
        switch request {
        case .signIn(let method): try check(method, "sign in")
        case .signUp: try need(.signUp, "make accounts")
        case .recover: try need(.recovery, "get back into an account")
        case .link(let method, _):
            try need(.linking, "add a way to sign in")
            // The provider says which ways can be added: they need not be ways to sign in.
            if case .custom = method { try check(method, "link") }
        case .stepUp: try need(.stepUp, "ask for more proof")
        }
    }

    private func check(_ method: SignInMethod, _ what: String) throws(AuthError) {
        var isOffered = methods.contains(method.kind)
        var name = method.kind.rawValue
        if case .custom(let custom, _) = method {
            isOffered = isOffered && customMethods.contains { $0.name == custom }
            name = "\"\(custom)\""
        }
        if !isOffered { throw unsupported("\(what) by \(name)") }
    }

    private func need(_ capability: ProviderCapability, _ what: String) throws(AuthError) {
        if !capabilities.contains(capability) { throw unsupported(what) }
    }

    private func unsupported(_ what: String) -> AuthError {
        AuthError(
            .configuration(.unsupported), "Provider \"\(binding.provider.name)\" cannot \(what).",
            provider: binding.provider)
    }
}
