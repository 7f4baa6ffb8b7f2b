package import FoundationEssentials
package import LatchkeyJSON

/// What is stored under a credential's key: one unit of compare-and-swap.
///
/// See `Documentation/Internals/Lane.md`, section 1. A record that is not ``live`` is a tombstone: it says which logins ended and
/// which revocations the service is still owed.
package struct CredentialRecord: Sendable {
    /// New in each commit, so that a writer recognises its own write.
    package var writeID: String
    /// Made at sign-in; constant across refreshes. If several people share the credential, this is
    /// the credential's own: each session has a login of its own, which `login(of:)` returns.
    package var login: String
    /// Names the refresh token without revealing it. New whenever the token is.
    package var refreshTokenID: String
    /// The credential, if somebody is signed in.
    package var live: Live?
    /// When the service last answered well.
    package var contact: Stamp?
    /// How far the service's clock is ahead of this machine's.
    package var serverOffset: Duration = .zero
    /// How long the service's slowest recent answer took; `nil` if none was seen.
    package var slowestAnswer: Duration?
    /// The last logins that ended here, oldest first.
    package var ended: [Ended] = []
    /// Revocations still owed.
    package var pending: [Pending] = []
    /// Members of a record that this version does not know.
    package var unknown: [String: JSON] = [:]
    /// The record's format version; one above ``currentFormat`` is read and never written.
    package var format = currentFormat

    package static let currentFormat: Int64 = 1
    package static let endedLimit = 8
    package static let pendingLimit = 16
    package static let pendingLifetime = Duration.seconds(7 * 86_400)

    /// A credential, and what is known of its requests.
    package struct Live: Sendable {
        package var credential: Credential { didSet { source = nil } }
        /// What ``credential`` was read from, as long as it is unchanged. It is written back as it
        /// is, since most commits change something else.
        var source: JSONDocument.Field?
        /// A request that may be under way.
        package var mark: Mark?
        /// After a fast replay, the successor is not refreshed earlier than this.
        package var notBefore: Stamp?
        /// When the service last refused without a reason.
        package var unexplained: Stamp?
        /// How long the service wants to be left alone.
        package var pause: ServicePause?

        package init(_ credential: Credential) { self.credential = credential }
    }

    /// An instant that any process can judge: by the boot-time clock within its boot, else by the wall clock.
    package struct Stamp: Hashable, Sendable {
        package var boot: String
        package var at: MonotonicInstant
        package var wall: Date
    }

    /// A request with the refresh token that was sent, or was about to be.
    package struct Mark: Hashable, Sendable {
        package var id: String
        /// The ``CredentialRecord/refreshTokenID`` of the secret it carries.
        package var refreshTokenID: String
        /// The sender, for messages only.
        package var by: String
        /// The sender, if others can tell whether it still runs.
        package var holder: ProcessIdentity?
        /// Since when the sender no longer waits for an answer.
        package var left: Left?
        package var sent: Stamp
        /// How long after ``sent`` it may still arrive.
        package var deadline: Duration
        /// What sending the secret again would do to this request, if that is worse than the
        /// provider's rule says of a refresh.
        package var replay: ProviderRules.RefreshRule?
        /// Members that this version does not know.
        package var unknown: [String: JSON] = [:]
    }

    /// A sender that no longer waits for its answer: what is sent from now on takes nothing from it.
    package struct Left: Hashable, Sendable {
        package var since: Stamp
        /// How long it had waited.
        package var waited: Duration
    }

    /// A login that is over.
    package struct Ended: Hashable, Sendable {
        package enum Cause: String, Sendable {
            case signedOut, replaced, interrupted, revoked, expired, banned, other
        }
        package var login: String
        package var cause: Cause
        package var at: Stamp
        /// The name to show, kept unless the person signed out: a person who is asked to sign in
        /// again should see for which account.
        package var label: String?
        /// The account, if the record's key does not name it.
        package var account: AccountID?
        /// The session, if the service was to be told that it is over: nobody takes it over again.
        package var session: AuthSession.ID?
        /// Members that this version does not know.
        package var unknown: [String: JSON] = [:]
    }

    /// A revocation that the service is owed.
    package struct Pending: Sendable {
        package var login: String
        package var credential: Credential
        package var mark: Mark?
        package var scope: SignOutScope
        package var since: Stamp
        /// How long the service wants to be left alone.
        package var pause: ServicePause?
        /// Members that this version does not know.
        package var unknown: [String: JSON] = [:]
    }

    /// Creates the record of a new sign-in; without a credential, of nobody.
    package init(writeID: String, login: String, refreshTokenID: String, credential: Credential?) {
        self.writeID = writeID
        self.login = login
        self.refreshTokenID = refreshTokenID
        live = credential.map(Live.init)
    }

    package var credential: Credential? { live?.credential }
    package var mark: Mark? { live?.mark }
    package var notBefore: Stamp? { live?.notBefore }
    package var unexplained: Stamp? { live?.unexplained }

    /// Whether the record has a time later than `wall`. Then the clock was set back, and cannot
    /// tell the age of a token.
    func isAhead(of wall: Date) -> Bool {
        let stamps = [contact, unexplained, mark?.sent, ended.last?.at].compactMap(\.self)
        // The clocks of machines that share a store may differ by this much.
        return stamps.contains { $0.wall.timeIntervalSince(wall) > 60 }
    }

    /// How `login` ended, as far as remembered.
    package func ending(of login: String) -> Ended? { ended.last { $0.login == login } }

    /// Notes that `login` has ended: its session is removed, and with the last session the credential.
    ///
    /// - Parameter isOwed: Whether the service is to be told that the session is over.
    mutating func end(_ login: String, _ cause: Ended.Cause, at stamp: Stamp, isOwed: Bool = false) {
        guard let credential else { return }
        let gone = credential.sessions.filter { self.login(of: $0) == login }
        let label = cause == .signedOut ? nil : gone.lazy.compactMap(\.label).first
        let account = gone.first.flatMap { $0.login == nil ? nil : $0.account }
        let session = isOwed ? gone.first?.id : nil
        note(Ended(login: login, cause: cause, at: stamp, label: label, account: account, session: session))
        guard !gone.isEmpty else { return }
        let kept = credential.sessions.filter { self.login(of: $0) != login }
        if kept.isEmpty { live = nil } else { live?.credential.sessions = kept }
    }

    mutating func note(_ ending: Ended) {
        ended.removeAll { $0.login == ending.login }
        ended.append(ending)
        ended.removeFirst(max(0, ended.count - Self.endedLimit))
    }

    /// Puts a revocation on the list of those still owed. Returns `false` if the list is full and the oldest entry had
    /// to go.
    mutating func addPending(_ entry: Pending) -> Bool {
        pending.removeAll { $0.login == entry.login }
        pending.append(entry)
        guard pending.count > Self.pendingLimit else { return true }
        pending.removeFirst(pending.count - Self.pendingLimit)
        return false
    }

    /// Takes revocations off the list whose credential `isSpared`. Returns the provider of each.
    mutating func dropPending(where isSpared: (Credential) -> Bool) -> [ProviderID] {
        let gone = pending.filter { isSpared($0.credential) }.map(\.login)
        defer { pending.removeAll { gone.contains($0.login) } }
        return pending.filter { gone.contains($0.login) }.map(\.credential.binding.provider)
    }

    /// Merges a service's answer into the record.
    ///
    /// - Parameter isOfToken: Whether it answers a request that sent the refresh token. What the service said of that before
    ///   is over then. Any other answer, such as one to a person's call, says nothing of it.
    mutating func merge(_ change: CredentialChange, refreshTokenID fresh: String, isOfToken: Bool = true) {
        guard let sent = credential else { return }
        live?.credential.apply(change)
        if change.refreshToken != nil { refreshTokenID = fresh }
        if isOfToken {
            live?.unexplained = nil
            live?.pause = nil
        }
        if let new = change.refreshToken, let old = sent.refreshToken { replacePending(old, of: sent.id, by: new) }
    }
}

extension AuthClock {
    var stamp: CredentialRecord.Stamp { CredentialRecord.Stamp(boot: boot, at: now(), wall: wall()) }

    /// How long ago `stamp` was; never negative. A stamp of another boot is judged by the wall
    /// clock. `nil` if the clock stands before the stamp.
    func age(of stamp: CredentialRecord.Stamp) -> Duration? {
        if stamp.boot == boot {
            let age = now() - stamp.at
            return age >= .zero ? age : nil
        }
        let seconds = wall().timeIntervalSince(stamp.wall)
        return seconds >= 0 && seconds < 1e10 ? .seconds(seconds) : nil
    }
}
