import LatchkeyJSON

extension CredentialRecord {
    private static let kind = "latchkey.credential"
    private static let known: Set<String> = [
        "kind", "format", "writeID", "login", "renewalID", "credential", "mark", "notBefore", "unexplained", "contact",
        "serverOffset", "ended", "pending",
    ]

    /// The stored bytes. Hold the secrets.
    func bytes() -> [UInt8] {
        JSON.members(
            [
                "kind": .string(Self.kind), "format": .integer(format), "writeID": .string(writeID),
                "login": .string(login), "renewalID": .string(renewalID), "credential": credential?.record(),
                "mark": mark?.record(), "notBefore": notBefore?.record(), "unexplained": unexplained?.record(),
                "contact": contact?.record(), "serverOffset": .nanoseconds(serverOffset),
                "ended": .array(ended.map { $0.record() }), "pending": .array(pending.map { $0.record() }),
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

    private init(_ document: JSONField) throws(JSONError) {
        writeID = try document["writeID"].string()
        login = try document["login"].string()
        renewalID = try document["renewalID"].string()
        if let field = document["credential"].optional { credential = try Credential(record: field) }
        if let field = document["mark"].optional { mark = try Mark(record: field) }
        if let field = document["notBefore"].optional { notBefore = try Stamp(record: field) }
        if let field = document["unexplained"].optional { unexplained = try Stamp(record: field) }
        if let field = document["contact"].optional { contact = try Stamp(record: field) }
        serverOffset = try document["serverOffset"].optional?.duration() ?? .zero
        for field in try document["ended"].list() { ended.append(try Ended(record: field)) }
        for field in try document["pending"].list() { pending.append(try Pending(record: field)) }
        format = try document["format"].integer()
        unknown = RecordWire.rest(of: document, without: Self.known)
    }
}

extension CredentialRecord.Stamp {
    func record() -> JSON { ["boot": .string(boot), "at": .integer(at.nanoseconds), "wall": .date(wall)] }

    init(record: JSONField) throws(JSONError) {
        self.init(
            boot: try record["boot"].string(), at: MonotonicInstant(nanoseconds: try record["at"].integer()),
            wall: try record["wall"].date())
    }
}

extension CredentialRecord.Mark {
    private static let known: Set<String> = ["id", "renewalID", "by", "sent", "deadline", "replay"]

    func record() -> JSON {
        .members(
            [
                "id": .string(id), "renewalID": .string(renewalID), "by": .string(by), "sent": sent.record(),
                "deadline": .nanoseconds(deadline), "replay": replay.map { .string($0.word) },
            ], adding: unknown)
    }

    init(record: JSONField) throws(JSONError) {
        self.init(
            id: try record["id"].string(), renewalID: try record["renewalID"].string(), by: try record["by"].string(),
            sent: try CredentialRecord.Stamp(record: record["sent"]), deadline: try record["deadline"].duration(),
            // One that this version does not know is taken for the worst.
            replay: try record["replay"].optional.map { field throws(JSONError) in
                ProviderRules.ReplayRule(word: try field.string()) ?? .killsFamily
            },
            unknown: RecordWire.rest(of: record, without: Self.known))
    }
}

extension ProviderRules.ReplayRule {
    fileprivate var word: String {
        switch self {
        case .killsFamily: "killsFamily"
        case .newSuccessor: "newSuccessor"
        case .sameSuccessor: "sameSuccessor"
        case .notRotated: "notRotated"
        }
    }

    fileprivate init?(word: String) {
        let all: [Self] = [.killsFamily, .newSuccessor, .sameSuccessor, .notRotated]
        guard let rule = all.first(where: { $0.word == word }) else { return nil }
        self = rule
    }
}

extension CredentialRecord.Ended {
    private static let known: Set<String> = ["login", "cause", "at"]

    func record() -> JSON {
        .members(
            ["login": .string(login), "cause": .string(cause.rawValue), "at": at.record()], adding: unknown)
    }

    init(record: JSONField) throws(JSONError) {
        self.init(
            login: try record["login"].string(), cause: Cause(rawValue: try record["cause"].string()) ?? .other,
            at: try CredentialRecord.Stamp(record: record["at"]),
            unknown: RecordWire.rest(of: record, without: Self.known))
    }
}

extension CredentialRecord.Pending {
    private static let known: Set<String> = ["login", "credential", "mark", "scope", "since"]

    func record() -> JSON {
        .members(
            [
                "login": .string(login), "credential": credential.record(), "mark": mark?.record(),
                "scope": .string(scope.rawValue), "since": since.record(),
            ], adding: unknown)
    }

    init(record: JSONField) throws(JSONError) {
        self.init(
            login: try record["login"].string(), credential: try Credential(record: record["credential"]),
            mark: try record["mark"].optional.map { field throws(JSONError) in
                try CredentialRecord.Mark(record: field)
            },
            scope: SignOutScope(rawValue: try record["scope"].string()) ?? .thisSession,
            since: try CredentialRecord.Stamp(record: record["since"]),
            unknown: RecordWire.rest(of: record, without: Self.known))
    }
}
