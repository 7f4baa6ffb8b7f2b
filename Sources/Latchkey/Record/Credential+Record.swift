import LatchkeyJSON

extension Credential {
    private static let known = ["id", "provider", "authority", "client", "renewal", "sessions", "state"]

    /// The stored form, unknown members included. Holds the secrets.
    func record() -> JSONDraft {
        .members(
            [
                "authority": .string(binding.authority), "client": .string(binding.client), "id": .string(id.value),
                "provider": .string(binding.provider.name), "renewal": refreshToken.map(JSONDraft.secret),
                "sessions": .array(sessions.map { $0.record() }),
                "state": .value(state),
            ], adding: unknown)
    }

    /// Reads what ``record()`` wrote. The error names a missing or mistyped member by its path.
    init(record: JSONDocument.Field) throws(JSONError) {
        var sessions: [AuthSession] = []
        for field in try record["sessions"].array() { sessions.append(try AuthSession(record: field)) }
        guard !sessions.isEmpty else { throw JSONError(.missing, at: "\(record.path).sessions[0]") }
        self.init(
            id: ID(try record["id"].string()),
            binding: ProviderBinding(
                provider: ProviderID(try record["provider"].string()), authority: try record["authority"].string(),
                client: try record["client"].string()),
            refreshToken: try record["renewal"].optional?.secret(), sessions: sessions,
            state: record["state"].json ?? .object([:]))
        unknown = record.members(except: Self.known)
    }
}

extension AuthSession {
    private static let known = ["id", "account", "label", "limits", "login", "tokens", "authenticatedAt", "state"]

    func record() -> JSONDraft {
        .members(
            [
                "account": .string(account.value), "authenticatedAt": authenticatedAt.map(JSONDraft.date),
                "id": .string(id.value), "label": label.map(JSONDraft.string), "limits": limits?.record(),
                "login": login.map(JSONDraft.string),
                "state": .value(state),
                "tokens": .object(tokens.map { (name: $0.key.name, value: $0.value.record()) }),
            ], adding: unknown)
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        var tokens: [Audience: AccessToken] = [:]
        for (name, token) in try record["tokens"].optional?.members() ?? [] {
            tokens[Audience(name)] = try AccessToken(record: token)
        }
        self.init(
            id: ID(try record["id"].string()), account: AccountID(try record["account"].string()),
            label: try record["label"].optional?.string(), tokens: tokens,
            authenticatedAt: try record["authenticatedAt"].optional?.date(),
            state: record["state"].json ?? .object([:]))
        login = try record["login"].optional?.string()
        limits = try record["limits"].optional.map { field throws(JSONError) in try SessionLimits(record: field) }
        unknown = record.members(except: Self.known)
    }
}

extension AccessToken {
    private static let known = ["value", "scheme", "lifetime", "scopes", "refused", "refusedAt"]

    func record() -> JSONDraft {
        .members(
            [
                "lifetime": lifetime?.record(), "refused": isRefused ? .bool(true) : nil,
                "refusedAt": refusedAt.isEmpty ? nil : .array(refusedAt.map(JSONDraft.string)),
                "scheme": .string(scheme),
                "scopes": scopes.map { .array($0.map(JSONDraft.string)) }, "value": .secret(value),
            ], adding: unknown)
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        var scopes: [String]?
        if let field = record["scopes"].optional {
            scopes = []
            for scope in try field.array() { scopes?.append(try scope.string()) }
        }
        var lifetime: Lifetime?
        if let field = record["lifetime"].optional { lifetime = try Lifetime(record: field) }
        var refusedAt: [String] = []
        for origin in try record["refusedAt"].optional?.array() ?? [] { refusedAt.append(try origin.string()) }
        self.init(
            try record["value"].secret(), scheme: try record["scheme"].string(), lifetime: lifetime, scopes: scopes,
            isRefused: try record["refused"].optional?.bool() ?? false, refusedAt: refusedAt,
            unknown: record.members(except: Self.known))
    }
}

extension SessionLimits {
    func record() -> JSONDraft { .members(["absolute": absolute?.record(), "idle": idle?.record()]) }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init()
        if let field = record["absolute"].optional { absolute = try Lifetime(record: field) }
        if let field = record["idle"].optional { idle = try Lifetime(record: field) }
    }
}

extension Lifetime {
    func record() -> JSONDraft {
        [
            "boot": .string(boot), "lasts": .nanoseconds(lasts), "receivedAt": .integer(receivedAt.nanoseconds),
            "wall": .date(wall),
        ]
    }

    init(record: JSONDocument.Field) throws(JSONError) {
        self.init(
            receivedAt: MonotonicInstant(nanoseconds: try record["receivedAt"].integer()),
            boot: try record["boot"].string(), wall: try record["wall"].date(), lasts: try record["lasts"].duration())
    }
}
