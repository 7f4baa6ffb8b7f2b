package import FoundationEssentials
package import LatchkeyJSON

/// What is stored under a credential's key: one unit of compare-and-swap.
///
/// See `Documentation/Lane.md`, section 1. A record that is not ``live`` is a tombstone: it says which logins ended and
/// which revocations the service is still owed.
package struct CredentialRecord: Sendable {
    /// Made anew by each commit; by it a writer recognises its own write.
    package var writeID: String
    /// Made at sign-in; constant across refreshes. If several people share the credential, it is the credential's own:
    /// each session has another, and `login(of:)` tells it.
    package var login: String
    /// Names the refresh token without telling it: made anew whenever the secret is.
    package var refreshTokenID: String
    /// The credential of those who are signed in; `nil`: nobody is.
    package var live: Live?
    /// When the service last answered well.
    package var contact: Stamp?
    /// How far the service's clock is ahead of this machine's.
    package var serverOffset: Duration = .zero
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
        /// What ``credential`` was read from, as long as it is the same: most commits change something beside it.
        var source: JSONDocument.Field?
        /// A request that may be under way.
        package var mark: Mark?
        /// The successor is not refreshed earlier than this after a fast replay.
        package var notBefore: Stamp?
        /// When the service last refused without a reason.
        package var unexplained: Stamp?

        package init(_ credential: Credential) { self.credential = credential }
    }

    /// An instant that any process can judge: boot-time clock within its boot, wall clock across.
    package struct Stamp: Hashable, Sendable {
        package var boot: String
        package var at: MonotonicInstant
        package var wall: Date
    }

    /// A refresh request that left, or was about to.
    package struct Mark: Hashable, Sendable {
        package var id: String
        /// The ``CredentialRecord/refreshTokenID`` of the secret it carries.
        package var refreshTokenID: String
        /// Who sends it: for messages only.
        package var by: String
        package var sent: Stamp
        /// How long after ``sent`` it may still arrive.
        package var deadline: Duration
        /// What sending the secret again does to what it did, where that is worse than the provider's rule says of a
        /// refresh.
        package var replay: ProviderRules.RefreshRule?
        /// Members that this version does not know.
        package var unknown: [String: JSON] = [:]
    }

    /// A login that is over.
    package struct Ended: Hashable, Sendable {
        package enum Cause: String, Sendable {
            case signedOut, replaced, interrupted, revoked, expired, banned, other
        }
        package var login: String
        package var cause: Cause
        package var at: Stamp
        /// The name to show, kept while the person has not left: who is asked to sign in again should know as whom.
        package var label: String?
        /// Whose it was, where the record's key does not say so.
        package var account: AccountID?
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
        /// Members that this version does not know.
        package var unknown: [String: JSON] = [:]
    }

    /// A record of somebody who has just signed in, or of nobody.
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

    /// Whether something in here happened later than `wall`: the clock was set back, and tells no token's age.
    func isAhead(of wall: Date) -> Bool {
        let stamps = [contact, unexplained, mark?.sent, ended.last?.at].compactMap(\.self)
        // Machines that share a store may differ by this much.
        return stamps.contains { $0.wall.timeIntervalSince(wall) > 60 }
    }

    /// How `login` ended, as far as remembered.
    package func ending(of login: String) -> Ended? { ended.last { $0.login == login } }

    /// Notes that `login` is over: its session is gone, and with the last one the credential.
    mutating func end(_ login: String, _ cause: Ended.Cause, at stamp: Stamp) {
        guard let credential else { return }
        let gone = credential.sessions.filter { self.login(of: $0) == login }
        let label = cause == .signedOut ? nil : gone.lazy.compactMap(\.label).first
        let account = gone.first.flatMap { $0.login == nil ? nil : $0.account }
        note(Ended(login: login, cause: cause, at: stamp, label: label, account: account))
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

    /// Puts what a service answered in place of what it replaces.
    mutating func merge(_ change: CredentialChange, refreshTokenID fresh: String) {
        guard let sent = credential else { return }
        live?.credential.apply(change)
        if change.refreshToken != nil { refreshTokenID = fresh }
        live?.unexplained = nil
        if let new = change.refreshToken, let old = sent.refreshToken { replacePending(old, of: sent.id, by: new) }
    }
}

extension AuthClock {
    var stamp: CredentialRecord.Stamp { CredentialRecord.Stamp(boot: boot, at: now(), wall: wall()) }

    /// How long ago `stamp` was; never negative. Across boots the wall clock tells, and one that stands before the
    /// stamp tells nothing: `nil`.
    func age(of stamp: CredentialRecord.Stamp) -> Duration? {
        if stamp.boot == boot {
            let age = now() - stamp.at
            return age >= .zero ? age : nil
        }
        let seconds = wall().timeIntervalSince(stamp.wall)
        return seconds >= 0 && seconds < 1e10 ? .seconds(seconds) : nil
    }
}
