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
    private var troubleBox: TroubleBox?
    private var limitsBox: LimitsBox?

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

extension AccountEntry {
    private final class TroubleBox: Sendable {
        let trouble: AccountTrouble

        init(_ trouble: AccountTrouble) { self.trouble = trouble }
    }

    /// What is wrong with the account. Most accounts have no trouble, so it is kept apart to save memory.
    var trouble: AccountTrouble {
        get { troubleBox?.trouble ?? .none }
        set { troubleBox = newValue == .none ? nil : TroubleBox(newValue) }
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

    /// When the standard token ends, or else the last one that is there; `nil` without any.
    var lastEnd: MonotonicInstant? { tokens[.standard]?.endsAt ?? tokens.values.map(\.endsAt).max() }

    /// The fingerprints of the tokens that were taken from memory: by locking, or as refused.
    var dropped: [Audience: Int] { trouble.dropped }

    /// Takes the tokens from memory, and keeps what tells them from newer ones.
    mutating func dropTokens() {
        for audience in tokens.keys { dropToken(for: audience) }
    }

    /// Takes one token from memory, and keeps what tells it from a newer one.
    mutating func dropToken(for audience: Audience) {
        guard let snapshot = tokens.removeValue(forKey: audience) else { return }
        trouble.dropped[audience] = snapshot.token.fingerprint
    }
}
