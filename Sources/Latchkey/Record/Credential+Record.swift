import LatchkeyJSON

extension Credential {
    private static let known: Set<String> = ["id", "provider", "authority", "client", "renewal", "sessions", "state"]

    /// The stored form, unknown members included. Holds the secrets.
    func record() -> JSON {
        .members(
            [
                "id": .string(id.value), "provider": .string(binding.provider.name),
                "authority": .string(binding.authority), "client": .string(binding.client),
                "renewal": renewal.map(JSON.secret), "sessions": .array(sessions.map { $0.record() }), "state": state,
            ], adding: unknown)
    }

    /// Takes back what ``record()`` gave. A missing or mistyped member is named by its path.
    init(record: JSONField) throws(JSONError) {
        var sessions: [Session] = []
        for field in try record["sessions"].array() { sessions.append(try Session(record: field)) }
        guard !sessions.isEmpty else { throw JSONError(.missing, at: "\(record.path).sessions[0]") }
        self.init(
            id: ID(try record["id"].string()),
            binding: Binding(
                provider: ProviderID(try record["provider"].string()), authority: try record["authority"].string(),
                client: try record["client"].string()),
            renewal: try record["renewal"].optional?.secret(), sessions: sessions,
            state: record["state"].value ?? .object([:]))
        unknown = RecordWire.rest(of: record, without: Self.known)
    }
}

extension Session {
    private static let known: Set<String> = ["id", "account", "label", "tokens", "authenticatedAt", "state"]

    func record() -> JSON {
        .members(
            [
                "id": .string(id.value), "account": .string(account.value), "label": label.map(JSON.string),
                "tokens": .object(
                    Dictionary(uniqueKeysWithValues: tokens.map { ($0.key.name, $0.value.record()) })),
                "authenticatedAt": authenticatedAt.map(JSON.date), "state": state,
            ], adding: unknown)
    }

    init(record: JSONField) throws(JSONError) {
        var tokens: [Audience: AccessToken] = [:]
        for name in (try record["tokens"].optional?.object() ?? [:]).keys {
            tokens[Audience(name)] = try AccessToken(record: record["tokens"][name])
        }
        self.init(
            id: ID(try record["id"].string()), account: AccountID(try record["account"].string()),
            label: try record["label"].optional?.string(), tokens: tokens,
            authenticatedAt: try record["authenticatedAt"].optional?.date(),
            state: record["state"].value ?? .object([:]))
        unknown = RecordWire.rest(of: record, without: Self.known)
    }
}

extension AccessToken {
    private static let known: Set<String> = ["value", "scheme", "lifetime", "scopes"]

    func record() -> JSON {
        .members(
            [
                "value": .secret(value), "scheme": .string(scheme), "lifetime": lifetime?.record(),
                "scopes": scopes.map { .array($0.map(JSON.string)) },
            ], adding: unknown)
    }

    init(record: JSONField) throws(JSONError) {
        var scopes: [String]?
        if let field = record["scopes"].optional {
            scopes = []
            for scope in try field.array() { scopes?.append(try scope.string()) }
        }
        var lifetime: Lifetime?
        if let field = record["lifetime"].optional { lifetime = try Lifetime(record: field) }
        self.init(
            try record["value"].secret(), scheme: try record["scheme"].string(), lifetime: lifetime, scopes: scopes,
            unknown: RecordWire.rest(of: record, without: Self.known))
    }
}

extension Lifetime {
    func record() -> JSON {
        [
            "boot": .string(boot), "receivedAt": .integer(receivedAt.nanoseconds), "wall": .date(wall),
            "lasts": .nanoseconds(lasts),
        ]
    }

    init(record: JSONField) throws(JSONError) {
        self.init(
            receivedAt: MonotonicInstant(nanoseconds: try record["receivedAt"].integer()),
            boot: try record["boot"].string(), wall: try record["wall"].date(), lasts: try record["lasts"].duration())
    }
}
