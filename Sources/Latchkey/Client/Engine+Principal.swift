import LatchkeyLocked

/// Conversations about somebody who is signed in: the provider gets the credential in the lane, and what it grants for the
/// same session is stored there as a refresh is.
extension Engine {
    /// Whose account the request is about; `nil`: nobody's.
    func principal(of request: SignInRequest) async throws(AuthError) -> AccountID? {
        switch request {
        case .link(_, let account), .stepUp(_, let account): try await usableEntry(account).account
        case .signIn, .signUp, .recover: nil
        }
    }

    /// Who is meant, as the store has it now; `nil` where it cannot be read.
    func principal(asStored account: AccountID?) async -> Principal? {
        guard let account, let entry = table.entry(account) else { return nil }
        let found = try? await withLane(entry.key) { lane in try await lane.read() }
        guard let credential = found?.record.credential, found?.record.login == entry.login else { return nil }
        return credential.principal(account)
    }

    /// ``exchange(_:about:answering:_:)`` about `account`.
    func exchange(
        _ provider: any AuthProvider, aboutPrincipal account: AccountID, answering answered: String?,
        _ call: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> SignInStep {
        let rules = provider.rules
        let entry = try await usableEntry(account)
        guard entry.binding == rules.binding else {
            throw AuthError(
                .configuration(.invalid), "The account is not one of provider \"\(rules.binding.provider.name)\".",
                provider: rules.binding.provider)
        }
        try await freshen(entry)
        guard !rules.revocationEndsEveryGrant || rules.elevation.replay != .fixed else {
            return try await exchangeInTurn(provider, entry, answering: answered, call)
        }
        // Done to its end, as any operation is: what the service did is stored also where the caller has left.
        let flight = Flight<SignInStep>()
        // As the provider threw it: one that leaves the challenge open must be recognised.
        let refusal = Locked<(any Error)?>(nil)
        let granted = Locked<Turn?>(nil)
        context.start("converse") { [self] in
            do {
                let reached = try await withLane(entry.key) { lane in
                    try await lane.perform(entry, rules.elevation.replay) { [self] credential, context in
                        try await carryOn(credential, account, in: context, call, refusal, granted)
                    }
                }
                // From here on `take` sees to what was granted.
                granted.withLock { $0 = nil }
                let (context, _) = providerContext(rules.binding)
                switch reached {
                case .merged(let session): flight.land(.success(.signedIn(session)))
                case .turn(let turn):
                    flight.land(
                        .success(
                            try await take(turn, provider, in: context, about: account, answering: answered)))
                }
            } catch {
                // The person signed out meanwhile, say: a login of its own would live on unseen.
                if let turn = granted.withLock({ $0 }) {
                    let (context, _) = providerContext(rules.binding)
                    await forgo(turn, provider, in: context)
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

    /// What a call in the lane came to.
    private enum Reached: Sendable {
        /// The session goes on, and the lane stores what changed.
        case merged(AuthSession)
        case turn(Turn)
    }

    private func carryOn(
        _ credential: Credential, _ account: AccountID, in context: ProviderContext,
        _ call: @Sendable (ProviderContext) async throws -> Turn, _ refusal: Locked<(any Error)?>,
        _ granted: Locked<Turn?>
    ) async throws -> (CredentialChange, Reached) {
        guard let principal = credential.principal(account) else {
            throw NotSent(
                AuthError(.signInRequired(.signedOut), AuthError.SignInRequiredReason.signedOut.sentence))
        }
        var context = context
        context.principal = principal
        let begun = clock.now()
        let turn: Turn
        do {
            turn = try await call(context).counted(from: begun, in: clock.boot)
        } catch  where error.changesNothing {
            refusal.withLock { $0 = error }
            throw NotSent(AuthError(error))
        }
        guard case .signedIn(let grant) = turn, let change = grant.change(of: credential),
            let session = grant.sessions.first(where: { $0.id == grant.current })
        else {
            granted.withLock { $0 = turn }
            return (CredentialChange(), .turn(turn))
        }
        return (change, .merged(session))
    }

    /// The same where a revocation ends every grant, and what comes is one of its own: in turn with revocations, which go
    /// from the credential's lane to that one, so the credential's is not held meanwhile.
    private func exchangeInTurn(
        _ provider: any AuthProvider, _ entry: AccountEntry, answering answered: String?,
        _ call: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> SignInStep {
        let (plain, measured) = providerContext(provider.rules.binding)
        var context = plain
        context.principal = await principal(asStored: entry.account)
        let prepared = context
        return try await granting(provider.rules) { [self] in
            let begun = clock.now()
            let turn = try await call(prepared)
            learn(measured, of: provider.rules.binding)
            return try await take(
                turn.counted(from: begun, in: clock.boot), provider, in: prepared, about: entry.account,
                answering: answered)
        }
    }

    /// Refreshes the access token where it is about to end.
    private func freshen(_ entry: AccountEntry) async throws(AuthError) {
        guard let snapshot = entry.tokens[.standard], clock.now() >= snapshot.staleAt else { return }
        _ = try await withLane(entry.key) { lane throws(AuthError) in
            try await lane.token(
                Lane.Want(account: entry.account, audience: .standard), newerThan: snapshot.token, isRefused: false)
        }
    }
}

extension Credential {
    /// `account` as a principal.
    fileprivate func principal(_ account: AccountID) -> Principal? {
        sessions.first { $0.account == account }.map { Principal(self, session: $0) }
    }
}

extension Error {
    /// Whether the provider's word means that its request changed nothing, so that nothing is under way.
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
            // Which ways can be added is the provider's to say: they need not be ways to sign in.
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
