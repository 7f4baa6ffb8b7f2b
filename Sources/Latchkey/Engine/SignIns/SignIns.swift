import FoundationEssentials
import LatchkeySystem

/// Conversations: how they begin, the challenges that are stored and answered, and the grant at the
/// end. Nothing of them is only in memory, so another process can go on with each.
struct SignIns: Sendable {
    let store: any SessionStore
    let accounts: Accounts
    let lanes: Lanes
    let reader: StoreReader
    let gate: Gate

    var services: Services { accounts.services }
    var clock: any AuthClock { accounts.clock }
}

extension SignIns {
    func begin(
        _ request: SignInRequest, _ name: ProviderID, _ options: SignInOptions
    ) async throws -> SignInStep {
        let provider = try services.provider(named: name)
        try provider.rules.check(request)
        let about = try await principal(of: request)
        let step = try await services.signInRests.during(SignInRests.Request(request, of: name), of: name, clock) {
            try await exchange(provider, about: about) { context in
                try await provider.begin(request, options, in: context)
            }
        }
        if case .continuesElsewhere = step, !request.mayEndElsewhere { throw Self.endedWithoutSession(name) }
        return step
    }

    /// Makes one call of a conversation, and does what follows from its turn.
    ///
    /// - Parameters:
    ///   - about: The account that the conversation is about, if it is signed in already.
    ///   - answered: The challenge that the call answers.
    func exchange(
        _ provider: any AuthProvider, about: AccountID?, answering answered: String? = nil,
        _ unguarded: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> SignInStep {
        let call = takingBack(provider, unguarded)
        return try await converse(at: answered.map(Self.key)) { [self] exchange in
            try await exchangeToItsEnd(provider, about: about, answering: answered) { context in
                try await call(context.within(exchange))
            }
        }
    }

    /// Runs a call of a conversation that answers the challenge of `key`, if it answers one.
    func converse(
        at key: StoreKey?, _ work: @escaping @Sendable (OpenExchange) async throws -> SignInStep
    ) async throws -> SignInStep {
        try await services.exchanges.run(at: key, in: services.context) { [gate, accounts] exchange in
            // From here on, the store is not closed before the exchange has ended. It may be closed already.
            if gate.isKeyed, !accounts.isOpen { throw AuthError(.locked, "The sessions are locked.") }
            return try await work(exchange)
        }
    }

    private func exchangeToItsEnd(
        _ provider: any AuthProvider, about: AccountID?, answering answered: String?,
        _ call: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> SignInStep {
        if let about { return try await exchange(provider, aboutPrincipal: about, answering: answered, call) }
        if provider.rules.sharesCredential {
            // Read the store first: what is told of another account depends on what it was before.
            try await reader.restore()
            let key = services.sharedKey(provider.rules)
            if let step = try await exchange(provider, sharing: key, answering: answered, call) { return step }
        }
        let (context, measured) = services.callContext(provider.rules.binding)
        return try await granting(provider) { [self] in
            let begun = clock.now()
            let turn = try await call(context)
            services.learn(measured, context, of: provider.rules.binding)
            return try await take(
                turn.counted(from: begun, in: clock.boot), provider, in: context, about: nil, answering: answered)
        }
    }

    /// Runs what may end in a grant. If a revocation may end other grants, it runs in turn with revocations.
    func granting(
        _ provider: any AuthProvider, _ work: @escaping @Sendable () async throws -> SignInStep
    ) async throws -> SignInStep {
        guard let grants = services.grantsKey(provider) else { return try await work() }
        return try await lanes.alone(grants, waits: true, work)
    }

    /// Answers the stored challenge called `id`.
    func answer(_ answer: Answer, to id: String) async throws -> SignInStep {
        let (key, stored, record) = try await waiting(id)
        let provider = try services.provider(for: record.challenge.binding)
        if case .declined = answer {
            let told = try await giveUp(key, at: stored.version, record)
            try? await told?.value()
            throw AuthError(.declined, "The person declined.", provider: record.challenge.binding.provider)
        }
        let request = SignInRests.Request(answer, to: id)
        try services.signInRests.check(request, at: clock.now(), of: record.challenge.binding.provider)
        let isUsed = record.challenge.isUsed(by: answer)
        // A redirect is good for one answer, unless the provider says that it may not have been the person's. If the
        // store's answer is lost, another caller may have it: it is not sent, and the sign-in begins anew.
        if isUsed {
            do { try await store.replace(key, at: stored.version, with: nil) } catch is StoreConflict {
                throw Self.noChallenge
            }
        }
        let step: SignInStep
        do {
            step = try await exchange(provider, about: record.principal, answering: id) { context in
                try await provider.answer(answer, to: record.challenge, in: context)
            }
        } catch let open as StillOpen {
            // Put back as it was, so that its time does not begin anew.
            if isUsed { _ = try? await store.replace(key, at: nil, with: stored.bytes) }
            throw AuthError(open, provider: record.challenge.binding.provider)
        } catch {
            services.signInRests.note(error, for: request, at: clock.now())
            throw error
        }
        if case .asked(let next) = step, next.id == id { return step }
        if !isUsed { try? await drop(key, at: nil) }
        return step
    }

    /// Stores what a turn brought.
    func take(
        _ turn: Turn, _ provider: any AuthProvider, in context: ProviderContext, about: AccountID?,
        answering answered: String?
    ) async throws -> SignInStep {
        switch turn {
        case .asked(let challenge) where challenge.id == answered:
            try await keep(challenge, in: context, about: about)
            return .asked(challenge)
        case .asked(let challenge):
            guard challenge.binding == provider.rules.binding, challenge.id.utf8.count >= 16 else {
                throw AuthError(
                    .configuration(.invalid), "The provider made a challenge without a proper id or binding.",
                    provider: provider.rules.binding.provider)
            }
            try await makeRoom()
            try await keep(challenge, in: context, about: about)
            return .asked(challenge)
        case .signedIn(let grant):
            return .signedIn(try await complete(grant, provider, about: about))
        case .continuesElsewhere(let place):
            return .continuesElsewhere(place)
        }
    }

    /// Stores what was granted, then shows it.
    private func complete(
        _ grant: Grant, _ provider: any AuthProvider, about: AccountID?
    ) async throws -> AuthSession {
        let rules = provider.rules
        guard let session = grant.sessions.first(where: { $0.id == grant.current }) else {
            throw AuthError(
                .untrusted(.malformed), "The service granted no session for this sign-in.",
                provider: rules.binding.provider)
        }
        let credential = Credential(
            id: Credential.ID(services.context.randomName()), binding: rules.binding, refreshToken: grant.refreshToken,
            sessions: grant.sessions, state: grant.state)
        let account = session.account
        let login = services.context.randomName()
        // A link or a proof may bring the session of another person, or of one whose own has ended meanwhile.
        let isSignIn = about != account || accounts.entry(account).map { $0.required != nil } ?? true
        let flight = Flight<AuthSession>()
        services.context.start("sign-in") { [self] in
            do {
                let offset = services.offset(of: rules.binding)
                var present: AuthSession?
                if grant.isTakenOver {
                    present = try await lanes.placeTakenOver(credential, of: account, login: login, contact: offset)
                } else {
                    await dropOwed(sparing: credential, of: account, provider)
                    try await lanes.place(credential, of: account, login: login, contact: offset)
                }
                if let present {
                    // Another process signed the account in a moment ago, and chooses the current
                    // account for all.
                    if accounts.table.current == nil { choose(session.account) }
                    return flight.land(.success(present))
                }
                await endThoseGivingWay(to: session, on: credential, provider)
                await welcome(session, isSignIn: isSignIn)
                await services.documents?.store(rules.binding)
                flight.land(.success(session))
                await gate.offer()
            } catch {
                if !grant.isTakenOver { choose(session.account) }
                flight.land(.failure(AuthError(error, provider: rules.binding.provider)))
            }
        }
        return try await flight.value()
    }

    /// Makes `account` the current one in this process, unless each account is named.
    private func choose(_ account: AccountID) { if !reader.opensByName { accounts.choose(account) } }

    /// Makes an account that is signed in and stored the current one, and tells of it.
    ///
    /// - Parameter isSignIn: `false` if the person was signed in, and linked a way to sign in or proved more.
    func welcome(_ session: AuthSession, isSignIn: Bool = true) async {
        accounts.unstoredSignOuts.withLock { $0[session.account] = nil }
        // The choice of the current account is a convenience: what counts is that the session is stored.
        if !reader.opensByName {
            do { try await reader.choose(session.account) } catch { choose(session.account) }
        }
        accounts.firstToken.noteSignIn()
        // In the lane, where the account's end would be told, so that the events come in their order.
        guard let entry = accounts.entry(session.account) else { return }
        await lanes.with(entry.key) { lane in await lane.tellReturn(of: entry.account, isSignIn: isSignIn) }
    }
}
