import FoundationEssentials

/// One account as callers see it.
struct AccountEntry: Sendable {
    var account: AccountID
    var key: StoreKey
    var binding: Binding
    var login: String
    var session: Session.ID
    var label: String?
    var authenticatedAt: Date?
    var tokens: [Audience: TokenSnapshot] = [:]
    var isDurable = true
    var pendingRevocations = 0
    /// What keeps the account from being used, other than time: a changed configuration, a damaged record.
    var problem: AuthError?
    /// Why the person must sign in again, though the credential is kept.
    var required: AuthError.SignInRequiredReason?
    /// Since when the service cannot be reached.
    var offlineSince: Date?
    /// When the service last answered well.
    var contact: CredentialRecord.Stamp?
    /// How often in a row a renewal failed, and when the next may be tried without being asked by name.
    var failures = 0
    var retryAt: MonotonicInstant?
    var lastFailure: AuthError?
    /// When the engine renews the next token by itself: a time drawn once for each token, so that accounts that were
    /// restored together do not renew together.
    var renewAt: MonotonicInstant?
}

/// An access token and what the clock says about it.
struct TokenSnapshot: Sendable {
    var token: AccessToken
    /// From here on it is renewed before it is handed out, if that can be done.
    var staleAt: MonotonicInstant
    /// From here on it is not handed out.
    var endsAt: MonotonicInstant

    /// - Parameter leeway: The most time before the end at which the token counts as stale; a quarter of the lifetime
    ///   if that is less. A token without a stated lifetime is good until a resource refuses it.
    init(_ token: AccessToken, leeway: Duration, clock: any AuthClock, serverOffset: Duration) {
        self.token = token
        guard let lifetime = token.lifetime else {
            staleAt = MonotonicInstant(nanoseconds: .max)
            endsAt = MonotonicInstant(nanoseconds: .max)
            return
        }
        endsAt = lifetime.ends(
            boot: clock.boot, now: clock.now(),
            serverNow: clock.wall().addingTimeInterval(serverOffset.inSeconds))
        staleAt = endsAt - min(leeway, lifetime.lasts / 4)
    }
}
