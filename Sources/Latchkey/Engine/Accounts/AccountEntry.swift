import FoundationEssentials

/// One account as callers see it.
struct AccountEntry: Sendable {
    var account: AccountID
    var key: StoreKey
    var binding: ProviderBinding
    var login: String
    var session: AuthSession.ID
    var label: String?
    var authenticatedAt: Date?
    var tokens: [Audience: TokenSnapshot] = [:]
    var isDurable = true
    /// Whether nothing can refresh the session: it is over when the last token has ended.
    var endsWithToken = false
    var pendingRevocations = 0
    /// When the service last answered well.
    var contact: CredentialRecord.Stamp?
    /// When the engine refreshes the next token by itself: a time drawn once for each token, so that accounts that were
    /// restored together do not refresh together.
    var refreshAt: MonotonicInstant?
    private var box: Box?
    private var limitsBox: LimitsBox?
}

extension AccountEntry {
    /// What is wrong with an account. Most accounts have none of it, so it is kept apart to save memory.
    private struct Trouble: Sendable {
        var problem: AuthError?
        var required: AuthError.SignInRequiredReason?
        var isRefused = false
        var isClientRefused = false
        var offlineSince: Date?
        var failures = 0
        var retryAt: MonotonicInstant?
        var lastFailure: AuthError?
        var refusals: [Audience: AudienceRefusal] = [:]
        var warnedOf: Int?
        var dropped: [Audience: Int] = [:]
        var warned: [Expiry.Cause: Lifetime] = [:]

        var isNone: Bool {
            problem == nil && required == nil && !isRefused && !isClientRefused && offlineSince == nil && failures == 0
                && retryAt == nil && lastFailure == nil && refusals.isEmpty && warnedOf == nil && warned.isEmpty
                && dropped.isEmpty
        }
    }

    private final class Box: Sendable {
        let trouble: Trouble

        init(_ trouble: Trouble) { self.trouble = trouble }
    }

    private final class LimitsBox: Sendable {
        let limits: SessionLimits

        init(_ limits: SessionLimits) { self.limits = limits }
    }

    /// Until when the service lets the session live. Most services do not say, so it is kept apart, too.
    var limits: SessionLimits? {
        get { limitsBox?.limits }
        set { limitsBox = newValue.map(LimitsBox.init) }
    }

    private var trouble: Trouble {
        get { box?.trouble ?? Trouble() }
        set { box = newValue.isNone ? nil : Box(newValue) }
    }

    /// Why the account cannot be used, if waiting does not help: a changed configuration, a damaged record.
    var problem: AuthError? {
        get { box?.trouble.problem }
        set { trouble.problem = newValue }
    }

    /// Why the person must sign in again, though the credential is kept.
    var required: AuthError.SignInRequiredReason? {
        get { box?.trouble.required }
        set { trouble.required = newValue }
    }

    /// Whether the service has refused the refresh token without a reason, and has not taken it since, however long ago
    /// that was. It may be asked again by now; until it takes the token, the person is told to sign in.
    var isRefused: Bool {
        get { box?.trouble.isRefused ?? false }
        set { trouble.isRefused = newValue }
    }

    /// Whether the service has refused this client at the last refresh, whichever process asked.
    var isClientRefused: Bool {
        get { box?.trouble.isClientRefused ?? false || lastFailure?.code == .configuration(.clientRefused) }
        set { trouble.isClientRefused = newValue }
    }

    /// Since when the service cannot be reached.
    var offlineSince: Date? {
        get { box?.trouble.offlineSince }
        set { trouble.offlineSince = newValue }
    }

    /// How often in a row a refresh failed.
    var failures: Int {
        get { box?.trouble.failures ?? 0 }
        set { trouble.failures = newValue }
    }

    /// When the next refresh may be tried. A caller that forces a refresh does not wait for this.
    var retryAt: MonotonicInstant? {
        get { box?.trouble.retryAt }
        set { trouble.retryAt = newValue }
    }

    /// The audiences that the service refused. A refusal says nothing about the others.
    var refusals: [Audience: AudienceRefusal] {
        get { box?.trouble.refusals ?? [:] }
        set { trouble.refusals = newValue }
    }

    /// Why nothing is sent for a token of `audience` now, and until when; `nil` if a request may be sent.
    func rest(_ audience: Audience, at now: MonotonicInstant) -> (failure: AuthError, until: MonotonicInstant)? {
        if let refusal = refusals[audience], now < refusal.retryAt { return (refusal.failure, refusal.retryAt) }
        guard let lastFailure, let retryAt, now < retryAt else { return nil }
        return (lastFailure, retryAt)
    }

    /// Why the last refresh failed.
    var lastFailure: AuthError? {
        get { box?.trouble.lastFailure }
        set { trouble.lastFailure = newValue }
    }

    /// The fingerprint of the token whose end was warned of.
    var warnedOf: Int? {
        get { box?.trouble.warnedOf }
        set { trouble.warnedOf = newValue }
    }

    /// When the standard token ends, or else the last one that is there; `nil` without any.
    var lastEnd: MonotonicInstant? { tokens[.standard]?.endsAt ?? tokens.values.map(\.endsAt).max() }

    /// The fingerprints of the tokens that were taken from memory: by locking, or as refused.
    var dropped: [Audience: Int] { box?.trouble.dropped ?? [:] }

    /// Takes the tokens from memory, and keeps what tells them from newer ones.
    mutating func dropTokens() {
        for audience in tokens.keys { dropToken(for: audience) }
    }

    /// Takes one token from memory, and keeps what tells it from a newer one.
    mutating func dropToken(for audience: Audience) {
        guard let snapshot = tokens.removeValue(forKey: audience) else { return }
        trouble.dropped[audience] = snapshot.token.fingerprint
    }

    /// The ends of the session that were warned of, by what ends.
    var warned: [Expiry.Cause: Lifetime] {
        get { box?.trouble.warned ?? [:] }
        set { trouble.warned = newValue }
    }

    /// Takes over the failures of `former`, an entry of the same login.
    mutating func takeTroubles(of former: AccountEntry) {
        offlineSince = former.offlineSince
        (failures, retryAt, lastFailure) = (former.failures, former.retryAt, former.lastFailure)
        refusals = former.refusals
        (warnedOf, warned) = (former.warnedOf, former.warned)
    }

    /// Keeps a refusal that is in no record, because people share the credential or the store did not take it, as long as
    /// a call would throw it. A token that lasts is used.
    mutating func keepRefusal(at now: MonotonicInstant) {
        guard required == nil, case .signInRequired(let reason)? = lastFailure?.code, let retryAt, now < retryAt,
            tokens.allSatisfy({ $0.value.endsAt <= now })
        else { return }
        required = reason
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
        offlineSince = nil
        // The service answers again, so only a pause of its own keeps callers from asking.
        if let failure = lastFailure, failure.isOutage, failure.retryAfter == nil {
            (failures, retryAt, lastFailure) = (0, nil, nil)
        }
    }

    /// Creates the entry of a login of which nothing is shown yet.
    init(
        account: AccountID, key: StoreKey, binding: ProviderBinding, login: String, session: AuthSession.ID,
        label: String? = nil,
        authenticatedAt: Date? = nil
    ) {
        self.account = account
        self.key = key
        self.binding = binding
        self.login = login
        self.session = session
        self.label = label
        self.authenticatedAt = authenticatedAt
    }
}

/// A refusal of one audience, which does not refuse the session.
struct AudienceRefusal: Sendable {
    var failure: AuthError
    /// How often in a row.
    var count = 0
    /// When it may be asked for again without being forced.
    var retryAt: MonotonicInstant
}

/// An access token and what the clock says about it.
struct TokenSnapshot: Sendable {
    var token: AccessToken
    /// From this instant on it is refreshed before it is handed out, if that can be done.
    var staleAt: MonotonicInstant
    /// From this instant on it is not handed out.
    var endsAt: MonotonicInstant

    /// - Parameter leeway: The most time before the end at which the token counts as stale; a quarter of the lifetime
    ///   if that is less. A token without a stated lifetime is good until a resource refuses it; one that was refused
    ///   has ended.
    init(_ token: AccessToken, leeway: Duration, clock: any AuthClock, by serverTime: ServerTime) {
        self.token = token
        guard !token.isRefused else {
            staleAt = clock.now()
            endsAt = staleAt
            return
        }
        guard let lifetime = token.lifetime else {
            staleAt = MonotonicInstant(nanoseconds: .max)
            endsAt = MonotonicInstant(nanoseconds: .max)
            return
        }
        switch serverTime {
        case .offset(let offset):
            endsAt = lifetime.ends(
                boot: clock.boot, now: clock.now(), serverNow: clock.wall().addingTimeInterval(offset.inSeconds))
        case .setBack: endsAt = lifetime.boot == clock.boot ? lifetime.receivedAt + lifetime.lasts : clock.now()
        }
        staleAt = endsAt - min(leeway, lifetime.lasts / 4)
    }
}
