import FoundationEssentials

/// What is wrong with an account, and which warnings the person has had.
struct AccountTrouble: Equatable, Sendable {
    static let none = AccountTrouble()

    /// Why the account cannot be used, if waiting does not help: a changed configuration, a damaged record.
    var problem: AuthError?
    /// Why the person must sign in again, though the credential is kept.
    var required: AuthError.SignInRequiredReason?
    /// What the service has refused without ending the session, whichever process asked.
    var refused: Refused = []
    /// The refreshes that failed in a row; `nil` if the last one did not.
    var failing: Failing?
    /// The audiences that the service refused. A refusal says nothing about the others.
    var refusedAudiences: [Audience: AudienceRefusal] = [:]
    /// The fingerprint of the token whose end was warned of.
    var warnedOf: Int?
    /// The ends of the session that were warned of, by what ends.
    var warned: [Expiry.Cause: Lifetime] = [:]
    /// The fingerprints of the tokens that were taken from memory.
    var dropped: [Audience: Int] = [:]

    struct Refused: OptionSet, Sendable {
        let rawValue: UInt8

        /// The refresh token was refused without a reason, and has not been taken since, however long ago that was. It may
        /// be asked again by now; until it takes the token, the person is told to sign in.
        static let token = Refused(rawValue: 1)
        /// This client was refused at the last refresh.
        static let client = Refused(rawValue: 2)
    }

    /// Refreshes that failed in a row.
    struct Failing: Equatable, Sendable {
        var count = 0
        /// What the last one met; `nil` if the next may be tried at once.
        var last: AuthError?
        /// When the next may be tried. A caller that forces a refresh does not wait for this.
        var retryAt: MonotonicInstant?
        /// Since when the service cannot be reached; `nil` if it can.
        var offlineSince: Date?
    }
}

/// A refusal of one audience, which does not refuse the session.
struct AudienceRefusal: Equatable, Sendable {
    var failure: AuthError
    /// How often in a row.
    var count = 0
    /// When it may be asked for again without being forced.
    var retryAt: MonotonicInstant
}

extension AccountEntry {
    /// ``AccountTrouble/problem``.
    var problem: AuthError? { trouble.problem }

    /// ``AccountTrouble/required``.
    var required: AuthError.SignInRequiredReason? { trouble.required }

    /// Whether the service has refused the refresh token without a reason: ``AccountTrouble/Refused/token``.
    var isRefused: Bool { trouble.refused.contains(.token) }

    /// Whether the service has refused this client at the last refresh, whichever process asked.
    var isClientRefused: Bool {
        trouble.refused.contains(.client) || trouble.failing?.last?.code == .configuration(.clientRefused)
    }

    /// Since when the service cannot be reached.
    var offlineSince: Date? { trouble.failing?.offlineSince }

    /// When the next refresh may be tried.
    var retryAt: MonotonicInstant? { trouble.failing?.retryAt }

    /// Why nothing is sent for a token of `audience` now, and until when; `nil` if a request may be sent.
    func rest(_ audience: Audience, at now: MonotonicInstant) -> (failure: AuthError, until: MonotonicInstant)? {
        if let refusal = trouble.refusedAudiences[audience], now < refusal.retryAt {
            return (refusal.failure, refusal.retryAt)
        }
        guard let failing = trouble.failing, let last = failing.last, let retryAt = failing.retryAt, now < retryAt
        else { return nil }
        return (last, retryAt)
    }

    /// Takes over the failures of `former`, an entry of the same login.
    mutating func takeTroubles(of former: AccountEntry) {
        trouble.failing = former.trouble.failing
        trouble.refusedAudiences = former.trouble.refusedAudiences
        (trouble.warnedOf, trouble.warned) = (former.trouble.warnedOf, former.trouble.warned)
    }

    /// Keeps a refusal that is in no record, because people share the credential or the store did not take it, as long as
    /// a call would throw it. A token that lasts is used.
    mutating func keepRefusal(at now: MonotonicInstant) {
        guard required == nil, case .signInRequired(let reason)? = trouble.failing?.last?.code,
            let retryAt, now < retryAt, tokens.allSatisfy({ $0.value.endsAt <= now })
        else { return }
        trouble.required = reason
    }

    /// Ends being offline if the service has answered since `former`, an entry of the same login, whichever process asked.
    mutating func endOffline(since former: AccountEntry, by clock: any AuthClock) {
        guard let known = former.contact else { return }
        // Minting is in no record, so what this process has heard may be later than what is stored.
        if let age = clock.age(of: known), contact.flatMap(clock.age).map({ age < $0 }) ?? true { contact = known }
        // A token that was not there counts as received when its request began, which may be the time of the last answer.
        let isNewer = tokens.contains { audience, snapshot in
            guard let lifetime = snapshot.token.lifetime, lifetime.boot == clock.boot else { return false }
            let isNew = former.tokens[audience]?.token.value != snapshot.token.value
            return known.boot != clock.boot || lifetime.receivedAt > known.at
                || isNew && lifetime.receivedAt == known.at
        }
        guard isNewer || contact != known, offlineSince != nil else { return }
        trouble.failing?.offlineSince = nil
        // The service answers again, so only a pause of its own keeps callers from asking.
        if let failure = trouble.failing?.last, failure.isOutage, failure.retryAfter == nil { trouble.failing = nil }
    }
}
