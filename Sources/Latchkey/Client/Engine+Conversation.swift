import FoundationEssentials
import LatchkeyLocked

/// Signing in: begin, challenges that are stored and answered, and the grant at the end.
extension Engine {
    /// The most challenges that wait at a time; the oldest goes when another comes.
    private static let challengeLimit = 32

    func begin(
        _ request: SignInRequest, _ name: ProviderID, _ options: SignInOptions
    ) async throws -> SignInStep {
        let provider = try provider(named: name)
        try provider.rules.check(request)
        let about = try await principal(of: request)
        let step = try await exchange(provider, about: about) { context in
            try await provider.begin(request, options, in: context)
        }
        if case .continuesElsewhere = step, !request.mayEndElsewhere { throw Self.endedWithoutSession(name) }
        return step
    }

    /// One call of a conversation, and what follows from its turn.
    ///
    /// - Parameters:
    ///   - about: Who is signed in already, where it is about them.
    ///   - answered: The challenge that the call answers.
    func exchange(
        _ provider: any AuthProvider, about: AccountID?, answering answered: String? = nil,
        _ call: @escaping @Sendable (ProviderContext) async throws -> Turn
    ) async throws -> SignInStep {
        if let about { return try await exchange(provider, aboutPrincipal: about, answering: answered, call) }
        if provider.rules.sharesCredential {
            // What is stored is to be known, so that what another account was is told from what it becomes.
            try await restore()
            let key = sharedKey(provider.rules)
            if let step = try await exchange(provider, sharing: key, answering: answered, call) { return step }
        }
        let (context, measured) = providerContext(provider.rules.binding)
        return try await granting(provider.rules) { [self] in
            let begun = clock.now()
            let turn = try await call(context)
            learn(measured, of: provider.rules.binding)
            return try await take(
                turn.counted(from: begun, in: clock.boot), provider, in: context, about: nil, answering: answered)
        }
    }

    /// Runs what may end in a grant: in turn with revocations, where one of those would end it with the others.
    func granting(
        _ rules: ProviderRules, _ work: @Sendable () async throws -> SignInStep
    ) async throws -> SignInStep {
        guard let grants = grantsKey(rules) else { return try await work() }
        return try await withLane(grants) { lane in try await lane.alone(work) }
    }

    /// Answers the stored challenge called `id`.
    func answer(_ answer: Answer, to id: String) async throws -> SignInStep {
        let (key, stored, record) = try await waiting(id)
        let provider = try provider(for: record.challenge.binding)
        if case .declined = answer {
            let told = try await giveUp(key, at: stored.version, record)
            try? await told?.value()
            throw AuthError(.declined, "The person declined.", provider: record.challenge.binding.provider)
        }
        let isUsed = record.challenge.isUsed(by: answer)
        // A redirect is good for one answer, unless the provider says that it was perhaps not the person's.
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
            // As it was, so that its time does not begin anew.
            if isUsed { _ = try? await store.replace(key, at: nil, with: stored.bytes) }
            throw AuthError(open, provider: record.challenge.binding.provider)
        }
        if case .asked(let next) = step, next.id == id { return step }
        if !isUsed { try? await drop(key, at: nil) }
        return step
    }

    /// The stored challenge called `id`, which can still be answered.
    func waiting(_ id: String) async throws -> (key: StoreKey, stored: StoredRecord, record: ChallengeRecord) {
        let key = StoreKey(.challenge, id)
        guard let stored = try await store.read(key) else { throw Self.noChallenge }
        let record = try ChallengeRecord(stored.bytes)
        guard deadline(of: record) > clock.now() else {
            _ = try await giveUp(key, at: stored.version, record)
            throw AuthError(
                .refused(.expired), "The challenge has expired.", provider: record.challenge.binding.provider)
        }
        return (key, stored, record)
    }

    /// The stored challenges that can still be answered.
    func pendingChallenges() async throws -> [Challenge] {
        var found: [ChallengeRecord] = []
        for key in try await store.keys(.challenge) {
            guard let stored = try await store.read(key) else { continue }
            guard let record = try? ChallengeRecord(stored.bytes) else {
                try? await drop(key, at: stored.version)
                continue
            }
            guard deadline(of: record) > clock.now() else {
                _ = try? await giveUp(key, at: stored.version, record)
                continue
            }
            found.append(record)
        }
        return found.sorted { $0.since.wall < $1.since.wall }.map(\.challenge)
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
            return .signedIn(try await admit(grant, provider))
        case .continuesElsewhere(let place):
            return .continuesElsewhere(place)
        }
    }

    /// - Parameter context: What the provider dated the challenge by. The answer may have taught another offset of
    ///   the service's clock since, and that one must not shorten the wait.
    private func keep(_ challenge: Challenge, in context: ProviderContext, about: AccountID?) async throws {
        let key = StoreKey(.challenge, challenge.id)
        let stated = challenge.expiresAt.map {
            Duration.seconds(min(86_400, $0.timeIntervalSince(context.serverNow)))
        }
        let version = try await store.read(key)
        let known = version.flatMap { try? ChallengeRecord($0.bytes) }
        let record = ChallengeRecord(
            challenge, since: known?.since ?? clock.stamp, lasts: known?.lasts ?? stated ?? settings.challengeLifetime,
            principal: about)
        try await store.replace(key, at: version?.version, with: record.bytes())
    }

    private func makeRoom() async throws {
        let keys = try await store.keys(.challenge)
        guard keys.count >= Self.challengeLimit else { return }
        let waiting = try await pendingChallenges()
        for challenge in waiting.prefix(max(0, waiting.count - Self.challengeLimit + 1)) {
            _ = await giveUp(challenge.id)
        }
    }

    /// Nobody will answer the challenge any more.
    ///
    /// - Returns: Lands when the provider was told; `nil` where there is nothing to tell.
    func giveUp(_ id: String) async -> Flight<Void>? {
        let key = StoreKey(.challenge, id)
        guard let stored = try? await store.read(key) else { return nil }
        guard let record = try? ChallengeRecord(stored.bytes) else {
            try? await drop(key, at: stored.version)
            return nil
        }
        return try? await giveUp(key, at: stored.version, record)
    }

    /// Drops the challenge; then the provider may end what the service holds half-way. Whether it can changes nothing.
    private func giveUp(
        _ key: StoreKey, at version: RecordVersion, _ record: ChallengeRecord
    ) async throws -> Flight<Void>? {
        do { try await store.replace(key, at: version, with: nil) } catch is StoreConflict {
            // Somebody else answers it, or gave it up.
            return nil
        }
        guard let provider = try? provider(for: record.challenge.binding) else { return nil }
        let told = Flight<Void>()
        // Its own task: the caller's may be cancelled.
        context.start("give up") { [self] in
            var (context, _) = providerContext(record.challenge.binding, until: clock.now() + settings.requestDeadline)
            context.principal = await principal(asStored: record.principal)
            _ = try? await provider.answer(.declined, to: record.challenge, in: context)
            told.land(.success(()))
        }
        return told
    }

    private func drop(_ key: StoreKey, at version: RecordVersion?) async throws {
        var known = version
        if known == nil { known = try await store.read(key)?.version }
        guard let known else { return }
        do { try await store.replace(key, at: known, with: nil) } catch is StoreConflict {}
    }

    /// Until when the challenge can be answered. One of another boot is judged by the wall clock.
    func deadline(of record: ChallengeRecord) -> MonotonicInstant {
        guard let age = clock.age(of: record.since) else { return clock.now() }
        return clock.now() + (record.lasts - age)
    }

    /// The time left to answer the stored challenge called `id`.
    func deadline(ofChallenge id: String) async throws -> MonotonicInstant {
        guard let stored = try await store.read(StoreKey(.challenge, id)) else { throw Self.noChallenge }
        return deadline(of: try ChallengeRecord(stored.bytes))
    }

    static var noChallenge: AuthError {
        AuthError(.refused(.expired), "No such challenge waits for an answer; it was answered, or has expired.")
    }

    /// Stores what was granted, then shows it.
    private func admit(_ grant: Grant, _ provider: any AuthProvider) async throws -> AuthSession {
        let rules = provider.rules
        guard let session = grant.sessions.first(where: { $0.id == grant.current }) else {
            throw AuthError(
                .untrusted(.malformed), "The service granted no session for this sign-in.",
                provider: rules.binding.provider)
        }
        let credential = Credential(
            id: Credential.ID(context.randomName()), binding: rules.binding, refreshToken: grant.refreshToken,
            sessions: grant.sessions, state: grant.state)
        let account = session.account
        let login = context.randomName()
        let flight = Flight<AuthSession>()
        context.start("admit") { [self] in
            do {
                let offset = offset(of: rules.binding)
                var present: AuthSession?
                if grant.isTakenOver {
                    present = try await placeTakenOver(credential, of: account, login: login, contact: offset)
                } else {
                    try await place(credential, of: account, login: login, contact: offset)
                }
                if let present {
                    // Another process has signed it in a moment ago, and says for all who is current.
                    if table.current == nil { _ = table.choose(session.account) }
                    return flight.land(.success(present))
                }
                await welcome(session)
                flight.land(.success(session))
                await gate.offer(self)
            } catch {
                if !grant.isTakenOver { _ = table.choose(session.account) }
                flight.land(.failure(AuthError(error, provider: rules.binding.provider)))
            }
        }
        return try await flight.value()
    }

    /// Somebody is signed in and stored: they are the current account now.
    func welcome(_ session: AuthSession) async {
        goodbyes.withLock { $0[session.account] = nil }
        // Who is current is a convenience: the session is stored, and that is what counts.
        do { try await choose(session.account) } catch { _ = table.choose(session.account) }
        hub.tell(.signedIn(session.account))
    }
}

extension Challenge {
    /// Whether `answer` uses the challenge up, good or not.
    func isUsed(by answer: Answer) -> Bool {
        switch (ask, answer) {
        case (.visit, _), (.openedLink, .redirected): true
        default: false
        }
    }

    /// Whether a wrong answer may be corrected.
    var mayBeCorrected: Bool {
        switch ask {
        case .code, .totp, .backupCode, .enrolment, .password, .newPassword, .fields: true
        default: false
        }
    }
}
