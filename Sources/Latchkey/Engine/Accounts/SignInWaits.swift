import LatchkeySystem

/// Since when accounts wait for a new sign-in, so that the sign-in can tell how long that took.
final class SignInWaits: Sendable {
    struct Wait: Sendable {
        var reason: AuthError.SignInRequiredReason
        var since: MonotonicInstant
        /// Whether calls without an account meant this one. Then another account may take its place.
        var wasCurrent: Bool
    }

    /// A client with more waiting accounts than this measures the first ones.
    static let bound = 4_096
    private let waits = Locked<[AccountID: Wait]>([:])

    /// Notes that `account` waits. An account that waits already goes on with its first reason.
    func begin(_ account: AccountID, _ wait: Wait) {
        waits.withLock { waits in
            if waits[account] == nil, waits.count < Self.bound { waits[account] = wait }
        }
    }

    /// Notes that `account` need not sign in any more, if it had to for one of these reasons.
    func lapse(_ account: AccountID, _ reasons: Set<AuthError.SignInRequiredReason>) {
        waits.withLock { if ($0[account]?.reason).map(reasons.contains) ?? false { $0[account] = nil } }
    }

    /// Ends the wait that a sign-in of `account` ends: its own, or else the longest of those that it takes the place of.
    func end(by account: AccountID) -> (Wait, AuthObservation.Returning)? {
        waits.withLock { waits in
            if let own = waits.removeValue(forKey: account) { return (own, .sameAccount) }
            guard let longest = waits.filter(\.value.wasCurrent).min(by: { $0.value.since < $1.value.since }) else {
                return nil
            }
            waits[longest.key] = nil
            return (longest.value, .otherAccount)
        }
    }
}

/// What is told of accounts whose person must sign in again, and of their return.
extension Accounts {
    /// Tells that the person of `account` must sign in again.
    func tellRequired(_ reason: AuthError.SignInRequiredReason, of account: AccountID, at provider: ProviderID) {
        services.context.observer.observe(.signInRequired(provider, reason))
        beginWait(of: account, reason, since: clock.now())
        hub.tell(.authenticationRequired(account, reason))
    }

    func beginWait(of account: AccountID, _ reason: AuthError.SignInRequiredReason, since: MonotonicInstant) {
        let current = table.current
        waits.begin(
            account, SignInWaits.Wait(reason: reason, since: since, wasCurrent: current == nil || current == account))
    }

    /// Tells that `account` is signed in, by this process or another one, unless its end was told already.
    ///
    /// - Parameter isSignIn: `false` if it was signed in before: of the new session, its token is told already.
    func tellReturn(of account: AccountID, isSignIn: Bool = true) {
        guard let entry = table.entry(account) else { return }
        _ = openings.takeGone(account)
        if case .signInRequired = state(of: entry) { return }
        if let (wait, who) = waits.end(by: account) {
            services.context.observer.observe(.reauthentication(wait.reason, by: who, after: clock.now() - wait.since))
        }
        if isSignIn { hub.tell(.signedIn(account)) }
    }
}
