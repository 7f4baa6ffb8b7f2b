import LatchkeyJSON

extension CredentialRecord {
    private static let kind = "latchkey.credential"
    private static let known = [
        "kind", "format", "writeID", "login", "renewalID", "credential", "mark", "notBefore", "unexplained", "contact",
        "serverOffset", "slowestAnswer", "ended", "pending", "pause",
    ]

    /// The stored bytes. They hold the secrets.
    func bytes() -> [UInt8] {
        JSONDraft.members(
            [
                "contact": contact?.record(),
                "credential": live.flatMap { $0.source.map(JSONDraft.source) ?? $0.credential.record() },
                "ended": .array(ended.map { $0.record() }), "format": .integer(format), "kind": .string(Self.kind),
                "login": .string(login), "mark": mark?.record(), "notBefore": notBefore?.record(),
                "pause": live?.pause?.record(), "pending": .array(pending.map { $0.record() }),
                "renewalID": .string(refreshTokenID),
                "serverOffset": .nanoseconds(serverOffset),
                "slowestAnswer": slowestAnswer.map { .nanoseconds($0) }, "unexplained": unexplained?.record(),
                "writeID": .string(writeID),
            ], adding: unknown
        ).serialized()
    }

    /// Reads stored bytes. A higher format is read as far as it goes; ``format`` then tells that it is read-only.
    ///
    /// - Throws: ``AuthError`` `store(.damaged)`, naming the path.
    package init(_ bytes: [UInt8]) throws(AuthError) {
        let document = try RecordWire.open(bytes, kind: Self.kind)
        do {
            try self.init(document)
        } catch {
            throw RecordWire.damaged(error)
        }
    }

    private init(_ document: JSONDocument.Field) throws(JSONError) {
        writeID = try document["writeID"].string()
        login = try document["login"].string()
        refreshTokenID = try document["renewalID"].string()
        if let field = document["credential"].optional { live = try Live(record: field, in: document) }
        if let field = document["contact"].optional { contact = try Stamp(record: field) }
        serverOffset = try document["serverOffset"].optional?.duration() ?? .zero
        slowestAnswer = try document["slowestAnswer"].optional?.duration()
        for field in try document["ended"].list() { ended.append(try Ended(record: field)) }
        for field in try document["pending"].list() { pending.append(try Pending(record: field)) }
        format = try document["format"].integer()
        unknown = document.members(except: Self.known)
    }
}

extension CredentialRecord.Live {
    fileprivate init(
        record field: JSONDocument.Field, in document: JSONDocument.Field
    ) throws(JSONError) {
        self.init(try Credential(record: field))
        source = field
        if let field = document["mark"].optional { mark = try CredentialRecord.Mark(record: field) }
        if let field = document["notBefore"].optional { notBefore = try CredentialRecord.Stamp(record: field) }
        if let field = document["unexplained"].optional { unexplained = try CredentialRecord.Stamp(record: field) }
        if let field = document["pause"].optional { pause = try ServicePause(record: field) }
    }
}

extension CredentialRecord.Stamp {
    func record() -> JSONDraft { ["at": .integer(at.nanoseconds), "boot": .string(boot), "wall": .date(wall)] }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            boot: try record["boot"].string(), at: MonotonicInstant(nanoseconds: try record["at"].integer()),
            wall: try record["wall"].date())
    }
}

extension CredentialRecord.Mark {
    private static let known = ["id", "renewalID", "by", "sent", "deadline", "replay", "holder", "left"]

    func record() -> JSONDraft {
        .members(
            [
                "by": .string(by), "deadline": .nanoseconds(deadline), "holder": holder?.record(), "id": .string(id),
                "left": left?.record(), "renewalID": .string(refreshTokenID), "replay": replay.map { .string($0.word) },
                "sent": sent.record(),
            ], adding: unknown)
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            id: try record["id"].string(), refreshTokenID: try record["renewalID"].string(),
            by: try record["by"].string(),
            holder: try record["holder"].optional.map { field throws(JSONError) in try ProcessIdentity(record: field) },
            left: try record["left"].optional.map { field throws(JSONError) in
                try CredentialRecord.Left(record: field)
            },
            sent: try CredentialRecord.Stamp(record: record["sent"]), deadline: try record["deadline"].duration(),
            // A rule that this version does not know counts as the worst.
            replay: try record["replay"].optional.map { field throws(JSONError) in
                ProviderRules.RefreshRule(word: try field.string()) ?? .killsFamily
            },
            unknown: record.members(except: Self.known))
    }
}

extension CredentialRecord.Left {
    fileprivate func record() -> JSONDraft { ["since": since.record(), "waited": .nanoseconds(waited)] }

    fileprivate init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            since: try CredentialRecord.Stamp(record: record["since"]), waited: try record["waited"].duration())
    }
}

extension ProcessIdentity {
    fileprivate func record() -> JSONDraft {
        ["began": .string(began), "number": .integer(Int64(number)), "space": .string(space)]
    }

    fileprivate init(record: JSONDocument.Field) throws(JSONError) {
        let number = try record["number"].integer()
        self.init(
            space: try record["space"].string(), number: Int(number), began: try record["began"].string())
    }
}

extension ProviderRules.RefreshRule {
    fileprivate var word: String {
        switch self {
        case .killsFamily: "killsFamily"
        case .newSuccessor: "newSuccessor"
        case .sameSuccessor: "sameSuccessor"
        case .fixed, .mints: "notRotated"
        }
    }

    fileprivate init?(word: String) {
        let all: [Self] = [.killsFamily, .newSuccessor, .sameSuccessor, .fixed]
        guard let rule = all.first(where: { $0.word == word }) else { return nil }
        self = rule
    }
}

extension CredentialRecord.Ended {
    private static let known = ["login", "cause", "at", "label", "account", "session"]

    func record() -> JSONDraft {
        .members(
            [
                "account": account.map { .string($0.value) }, "at": at.record(), "cause": .string(cause.rawValue),
                "label": label.map { .string($0) }, "login": .string(login),
                "session": session.map { .string($0.value) },
            ], adding: unknown)
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            login: try record["login"].string(), cause: Cause(rawValue: try record["cause"].string()) ?? .other,
            at: try CredentialRecord.Stamp(record: record["at"]), label: try record["label"].optional?.string(),
            account: try record["account"].optional.map { field throws(JSONError) in AccountID(try field.string()) },
            session: try record["session"].optional.map { field throws(JSONError) in
                AuthSession.ID(try field.string())
            }, unknown: record.members(except: Self.known))
    }
}

extension CredentialRecord.Pending {
    private static let known = ["login", "credential", "mark", "scope", "since", "pause"]

    func record() -> JSONDraft {
        .members(
            [
                "credential": credential.record(), "login": .string(login), "mark": mark?.record(),
                "pause": pause?.record(), "scope": .string(scope.rawValue), "since": since.record(),
            ], adding: unknown)
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            login: try record["login"].string(), credential: try Credential(record: record["credential"]),
            mark: try record["mark"].optional.map { field throws(JSONError) in
                try CredentialRecord.Mark(record: field)
            },
            scope: SignOutScope(rawValue: try record["scope"].string()) ?? .thisSession,
            since: try CredentialRecord.Stamp(record: record["since"]),
            pause: try record["pause"].optional.map { field throws(JSONError) in try ServicePause(record: field) },
            unknown: record.members(except: Self.known))
    }
}
