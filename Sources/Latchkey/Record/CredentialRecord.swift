import FoundationEssentials
import LatchkeyJSON

/// What is stored under a credential's key: one unit of compare-and-swap.
///
/// See `Documentation/Lane.md`, section 1. A record without ``credential`` is a tombstone: it says which logins ended
/// and which revocations the service is still owed.
struct CredentialRecord: Sendable {
    /// Made anew by each commit; recognises one's own write.
    var writeID: String
    /// Made at sign-in; constant across refreshes.
    var login: String
    /// Names the renewal secret without telling it: made anew whenever the secret is.
    var renewalID: String
    /// `nil`: signed out.
    var credential: Credential?
    /// A request that may be under way.
    var mark: Mark?
    /// The successor is not refreshed earlier than this after a fast replay.
    var notBefore: Stamp?
    /// When the service last refused without a reason.
    var unexplained: Stamp?
    /// When the service last answered well.
    var contact: Stamp?
    /// How far the service's clock is ahead of this machine's.
    var serverOffset: Duration = .zero
    /// The last logins that ended here, oldest first.
    var ended: [Ended] = []
    /// Revocations still owed.
    var pending: [Pending] = []
    /// Members of a record that this version does not know.
    var unknown: [String: JSON] = [:]
    /// The record's format version; one above ``currentFormat`` is read and never written.
    var format = currentFormat

    static let currentFormat: Int64 = 1
    static let endedLimit = 8
    static let pendingLimit = 16
    static let pendingLifetime = Duration.seconds(7 * 86_400)

    /// An instant that any process can judge: boot-time clock within its boot, wall clock across.
    struct Stamp: Hashable, Sendable {
        var boot: String
        var at: MonotonicInstant
        var wall: Date
    }

    /// A renewal request that left, or was about to.
    struct Mark: Hashable, Sendable {
        var id: String
        /// The ``CredentialRecord/renewalID`` of the secret it carries.
        var renewalID: String
        /// Who sends it: for messages only.
        var by: String
        var sent: Stamp
        /// How long after ``sent`` it may still arrive.
        var deadline: Duration
        /// Members that this version does not know.
        var unknown: [String: JSON] = [:]
    }

    /// A login that is over.
    struct Ended: Hashable, Sendable {
        enum Cause: String, Sendable {
            case signedOut, replaced, interrupted, revoked, other
        }
        var login: String
        var cause: Cause
        var at: Stamp
        /// Members that this version does not know.
        var unknown: [String: JSON] = [:]
    }

    /// A revocation that the service is owed.
    struct Pending: Sendable {
        var login: String
        var credential: Credential
        var mark: Mark?
        var scope: SignOutScope
        var since: Stamp
        /// Members that this version does not know.
        var unknown: [String: JSON] = [:]
    }

    /// Whether something in here happened later than `wall`: the clock was set back, and tells no token's age.
    func isAhead(of wall: Date) -> Bool {
        let stamps = [contact, unexplained, mark?.sent, ended.last?.at].compactMap(\.self)
        // Machines that share a store may differ by this much.
        return stamps.contains { $0.wall.timeIntervalSince(wall) > 60 }
    }

    /// How `login` ended, as far as remembered.
    func ending(of login: String) -> Ended? { ended.last { $0.login == login } }

    /// Notes that the present login is over and its credential gone.
    mutating func end(_ cause: Ended.Cause, at stamp: Stamp) {
        note(Ended(login: login, cause: cause, at: stamp))
        credential = nil
        mark = nil
        notBefore = nil
        unexplained = nil
    }

    mutating func note(_ ending: Ended) {
        ended.removeAll { $0.login == ending.login }
        ended.append(ending)
        ended.removeFirst(max(0, ended.count - Self.endedLimit))
    }

    /// Puts the credential's revocation on the list. Returns `false` when the list is full and the oldest entry had
    /// to go.
    mutating func owe(_ entry: Pending) -> Bool {
        pending.removeAll { $0.login == entry.login }
        pending.append(entry)
        guard pending.count > Self.pendingLimit else { return true }
        pending.removeFirst(pending.count - Self.pendingLimit)
        return false
    }

    /// Puts what a service answered in place of what it replaces.
    mutating func merge(_ renewal: Renewal, renewalID fresh: String) {
        guard var credential else { return }
        credential.apply(renewal)
        if renewal.renewal != nil { renewalID = fresh }
        self.credential = credential
        unexplained = nil
    }
}

extension Credential {
    /// Merges a change: sessions first, then tokens, so that two mints never undo each other.
    mutating func apply(_ change: Renewal) {
        if let renewal = change.renewal { self.renewal = renewal }
        if let state = change.state { self.state = state }
        if let sessions = change.sessions {
            self.sessions = sessions.map { session in
                var merged = session
                if let known = self.session(session.id) {
                    merged.tokens = known.tokens.merging(session.tokens) { _, new in new }
                    merged.unknown = known.unknown
                }
                return merged
            }
        }
        for index in sessions.indices {
            sessions[index].tokens.merge(change.minted[sessions[index].id] ?? [:]) { _, new in new }
        }
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
