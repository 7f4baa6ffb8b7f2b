import FoundationEssentials

/// What the lane reads out of a record: which token is good, whether a request may leave.
extension Lane {
    func snapshot(_ want: Want, in record: CredentialRecord) -> TokenSnapshot? {
        guard let session = record.credential?.sessions.first(where: { $0.account == want.account }) else { return nil }
        // Minted ones live in memory.
        if isShared {
            let entry = engine.table.entry(want.account)
            return entry?.login == record.login(of: session) ? entry?.tokens[want.audience] : nil
        }
        guard let token = session.tokens[want.audience] else { return nil }
        return TokenSnapshot(
            token, leeway: engine.settings.leeway, clock: clock,
            serverOffset: engine.offset(for: record))
    }

    /// The record's token, if it need not be refreshed yet.
    func fresh(_ want: Want, in record: CredentialRecord) -> AccessToken? {
        snapshot(want, in: record).flatMap { clock.now() < $0.staleAt ? $0.token : nil }
    }

    /// The record's token, if it has not ended.
    func unexpired(_ want: Want, in record: CredentialRecord) -> AccessToken? {
        snapshot(want, in: record).flatMap { clock.now() < $0.endsAt ? $0.token : nil }
    }

    /// The token while it lasts, else the trouble.
    func good(
        _ want: Want, in record: CredentialRecord, refused: AccessToken?, _ outcome: AuthObservation.RefreshOutcome,
        _ trouble: AuthError?
    ) -> Landing {
        // The person may have left through this process while the request was under way.
        guard !isForgotten(record.login(of: want.account) ?? record.login) else {
            return lost(want, nil, wasLeft: true)
        }
        if let token = unexpired(want, in: record), token != refused {
            return Landing(result: .success(token), outcome: outcome, trouble: trouble)
        }
        let failure = trouble ?? AuthError(.signInRequired(.expired), "The session has ended.")
        return Landing(result: .failure(failure), outcome: outcome, trouble: failure)
    }

    /// The same from memory, where the store cannot be read.
    func fallback(
        _ want: Want, refused: AccessToken?, _ outcome: AuthObservation.RefreshOutcome, _ trouble: AuthError
    ) async -> Landing {
        if let token = remembered(want, refused: refused) {
            return Landing(result: .success(token), outcome: outcome, trouble: trouble)
        }
        return Landing(result: .failure(trouble), outcome: outcome, trouble: trouble)
    }

    /// The token that callers see, if it has not ended.
    nonisolated func remembered(_ want: Want, refused: AccessToken?) -> AccessToken? {
        guard let snapshot = engine.table.entry(want.account)?.tokens[want.audience], clock.now() < snapshot.endsAt,
            snapshot.token != refused
        else { return nil }
        return snapshot.token
    }

    /// What a caller gets whose patience ends before the service has answered.
    func unanswered(_ want: Want, refused: AccessToken?) -> Result<AccessToken, AuthError> {
        if let token = remembered(want, refused: refused) { return .success(token) }
        return .failure(
            AuthError(
                .offline(.unreachable), "The service has not answered yet. Its answer is still awaited: try again soon."
            ))
    }

    /// The login is gone from the store, or was left through this process: memory is emptied of it, and the caller
    /// told why. A login that came after it stays.
    func lost(_ want: Want, _ record: CredentialRecord?, wasLeft: Bool = false) -> Landing {
        // Whoever read the record before this must read it again.
        epoch += 1
        let entry = engine.table.entry(want.account).flatMap { entry in
            if wasLeft { return isForgotten(entry.login) ? entry : nil }
            let isStored = record?.has(entry.login) ?? false
            return isStored || unsavedSignIn?.login == entry.login ? nil : entry
        }
        // The last end of what several people share may be another's.
        let ending = entry.flatMap { record?.ending(of: $0.login) } ?? (isShared ? nil : record?.ended.last)
        let reason = ending?.cause.reason ?? entry?.required ?? .signedOut
        if let entry {
            if reason == .signedOut {
                engine.withdraw(want.account, login: entry.login, by: .elsewhere)
            } else {
                engine.require(reason, of: want.account, login: entry.login)
            }
        }
        let failure = AuthError(.signInRequired(reason), reason.sentence)
        return Landing(result: .failure(failure), outcome: .signedOut, trouble: failure)
    }

    /// Whether a refresh may be tried at all, and with whom.
    func usable(_ record: CredentialRecord, _ credential: Credential) -> Result<any AuthProvider, AuthError> {
        let provider: any AuthProvider
        do { provider = try engine.provider(for: credential.binding) } catch { return .failure(error) }
        if record.format > CredentialRecord.currentFormat {
            return .failure(
                AuthError(
                    .store(.newerVersion), "The stored session was written by a newer version of this software."))
        }
        if credential.refreshToken == nil, provider.rules.refresh != .fixed {
            return .failure(AuthError(.signInRequired(.expired), "The session has ended and nothing can refresh it."))
        }
        if let refused = record.unexplained, let age = clock.age(of: refused), age < engine.settings.unexplainedRetry {
            return .failure(
                AuthError(
                    .signInRequired(.refusedWithoutReason), "The service refused the session without a reason.",
                    provider: credential.binding.provider, retryAfter: engine.settings.unexplainedRetry - age))
        }
        return .success(provider)
    }

    /// What a refresh that has failed comes to until it may be tried again; `nil`: it may.
    func rest(_ want: Want, refused: AccessToken?) -> Result<AccessToken, AuthError>? {
        let now = clock.now()
        guard let entry = engine.table.entry(want.account),
            case (var failure, let until)? = entry.rest(want.audience, at: now)
        else { return nil }
        if let snapshot = entry.tokens[want.audience], now < snapshot.endsAt, snapshot.token != refused {
            return .success(snapshot.token)
        }
        failure.retryAfter = until - now
        return .failure(failure)
    }

    enum HoldOff: Equatable {
        case none
        /// Nothing is sent before `until`; with `keepsToken`, nothing at all while the present token is of use.
        case rest(until: MonotonicInstant?, keepsToken: Bool)
    }

    /// Step 3: somebody's request may be under way. `rule`: what sending the secret now would do.
    func holdOff(_ record: CredentialRecord, _ rule: ProviderRules.RefreshRule) -> HoldOff {
        guard rule != .fixed else { return .none }
        guard let mark = record.mark else {
            guard let rest = record.notBefore, rest.boot == clock.boot, clock.now() < rest.at else { return .none }
            return .rest(until: rest.at, keepsToken: true)
        }
        let replay = rule.worse(mark.replay)
        switch replay {
        case .fixed, .mints, .sameSuccessor: return .none
        case .killsFamily, .newSuccessor:
            let until = ending(of: mark)
            let keepsToken = replay == .killsFamily
            if clock.now() < until { return .rest(until: until, keepsToken: keepsToken) }
            return keepsToken ? .rest(until: nil, keepsToken: true) : .none
        }
    }

    /// When a marked request can no longer arrive. A mark of another boot, or of the future, is counted from when
    /// this process first saw it.
    func ending(of mark: CredentialRecord.Mark) -> MonotonicInstant {
        let deadline = min(max(mark.deadline, .zero), .seconds(120))
        let now = clock.now()
        if mark.sent.boot == clock.boot, mark.sent.at <= now { return mark.sent.at + deadline }
        // One that was renewed is another one.
        let name = "\(mark.id) \(mark.sent.at.nanoseconds)"
        let seen = seenMarks[name] ?? now
        if seenMarks.count > 64 { seenMarks = [:] }
        seenMarks[name] = seen
        return seen + deadline
    }
}

extension CredentialRecord.Ended.Cause {
    var reason: AuthError.SignInRequiredReason {
        switch self {
        case .interrupted: .interrupted
        case .revoked: .refused
        case .expired: .expired
        case .banned: .banned
        case .signedOut, .replaced, .other: .signedOut
        }
    }
}

extension AuthError.SignInRequiredReason {
    /// What is written down of a refusal that means this.
    var cause: CredentialRecord.Ended.Cause {
        switch self {
        case .interrupted: .interrupted
        case .expired: .expired
        case .banned: .banned
        default: .revoked
        }
    }

    var sentence: String {
        switch self {
        case .signedOut: "Nobody is signed in."
        case .refused: "The service ended the session."
        case .refusedWithoutReason: "The service refused the session without a reason."
        case .interrupted: "A refresh was interrupted, and its answer is lost for good."
        case .expired: "The session has ended and nothing can refresh it."
        case .banned: "The service has banned the account."
        case .notAccepted: "A resource refuses the newest token of the session."
        }
    }
}
