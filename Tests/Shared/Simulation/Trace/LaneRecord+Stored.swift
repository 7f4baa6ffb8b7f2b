import Latchkey

extension LaneRecord {
    init(_ record: CredentialRecord) {
        self.init(write: record.writeID, login: record.login)
        refresh = record.refreshTokenID
        token = record.credential.map { $0.refreshToken?.revealText() ?? "" }
        access = record.credential.map(Self.access) ?? []
        mark = record.mark.map(Mark.init)
        rest = record.notBefore.map { Instant(boot: $0.boot, at: $0.at) }
        ended = record.ended.map { Ended(login: $0.login, cause: $0.cause.rawValue) }
        pending = record.pending.map {
            Pending(
                login: $0.login, token: $0.credential.refreshToken?.revealText() ?? "", mark: $0.mark.map(Mark.init))
        }
    }

    private static func access(_ credential: Credential) -> [String] {
        credential.sessions.flatMap { $0.tokens.values.map { $0.value.revealText() } }.sorted()
    }
}

extension LaneRecord.Mark {
    fileprivate init(_ mark: CredentialRecord.Mark) {
        self.init(
            id: mark.id, refresh: mark.refreshTokenID,
            sent: LaneRecord.Instant(boot: mark.sent.boot, at: mark.sent.at), deadline: mark.deadline,
            isWorse: mark.replay != nil)
    }
}
