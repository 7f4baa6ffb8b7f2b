import Latchkey

extension LaneRecord {
    init(_ record: CredentialRecord) {
        self.init(write: record.writeID, login: record.login)
        renewal = record.renewalID
        token = record.credential.map { $0.renewal?.revealText() ?? "" }
        access = record.credential.map(Self.access) ?? []
        mark = record.mark.map(Mark.init)
        rest = record.notBefore.map { Instant(boot: $0.boot, at: $0.at) }
        ended = record.ended.map { Ended(login: $0.login, cause: $0.cause.rawValue) }
        pending = record.pending.map {
            Pending(login: $0.login, token: $0.credential.renewal?.revealText() ?? "", mark: $0.mark.map(Mark.init))
        }
    }

    private static func access(_ credential: Credential) -> [String] {
        credential.sessions.flatMap { $0.tokens.values.map { $0.value.revealText() } }.sorted()
    }
}

extension LaneRecord.Mark {
    fileprivate init(_ mark: CredentialRecord.Mark) {
        self.init(
            id: mark.id, renewal: mark.renewalID,
            sent: LaneRecord.Instant(boot: mark.sent.boot, at: mark.sent.at), deadline: mark.deadline,
            isWorse: mark.replay != nil)
    }
}
