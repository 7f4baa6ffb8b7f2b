/// A request as it was, or will be, sent.
struct Sent: Sendable {
    /// The record that carries the mark, as stored.
    var found: RecordPlace.Found
    /// What was sent.
    var credential: Credential
    /// The mark that was open before ours.
    var earlierMark: CredentialRecord.Mark?
    /// When it was marked, or sent without a mark.
    var begun: MonotonicInstant
    /// When the request must be over.
    var until: MonotonicInstant
    /// Whether the request carries a mark of its own. One that spends nothing carries none.
    var isMarked = true
    /// Whether it was sent without the lane, beside others.
    var isWithoutLock = false

    var record: CredentialRecord { found.record }

    /// The mark of this very request, if it has one.
    var ownMark: CredentialRecord.Mark? {
        isMarked && record.mark?.id != earlierMark?.id ? record.mark : nil
    }

    /// Takes note of the record as it is stored by now.
    mutating func update(_ found: RecordPlace.Found) {
        self.found = found
        if let credential = found.record.credential { self.credential = credential }
    }
}

/// A successful answer of the service that is not stored yet.
struct Answered: Sendable {
    var change: CredentialChange
    var sent: Sent
    var offset: Duration
    /// The new name of the refresh token, the same in every try to store it.
    var refreshTokenID: String
    /// Why nothing but the refresh token of this answer is used.
    var trouble: AuthError?
    /// When it came, if it waits to be stored.
    var contact: CredentialRecord.Stamp?

    /// The session that a sign-in joins, if it was there before: a service with one session for each client gives it again.
    var foundAgain: AuthSession.ID? { change.joining.flatMap { sent.credential.session($0.id)?.id } }

    /// Whether the answer holds a token of `want`; it may be the same text as before with a new lifetime.
    func brings(_ want: Want) -> Bool {
        let sessions = change.sessions ?? sent.credential.sessions
        guard let session = sessions.first(where: { $0.account == want.account }) else { return false }
        let stated = change.sessions.flatMap { _ in session.tokens[want.audience] }
        return change.minted[session.id]?[want.audience] != nil
            || stated.map { $0.lifetime != sent.credential.session(session.id)?.tokens[want.audience]?.lifetime }
                ?? false
    }
}

/// What came back.
enum Reply: Sendable {
    case answered(Answered)
    case notSent(AuthError)
    case unknown(AuthError)
    case refused(Refusal, offset: Duration)

    /// Whether the service refused, or gave nothing of use.
    func isEmpty(for want: Want) -> Bool {
        switch self {
        case .answered(let answer): !answer.brings(want)
        case .refused(let refusal, _): refusal.kind == .definite
        case .notSent, .unknown: false
        }
    }
}
