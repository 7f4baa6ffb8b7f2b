public import Latchkey

/// Many records in one question, and what the server promises.
extension RedisStore {
    /// Returns the records under several keys, by one script.
    public func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        guard !keys.isEmpty else { return [:] }
        let answer = try await question(["EVAL", Self.readAll, "\(keys.count)"] + keys.map { try name($0) })
        guard let list = answer.list, list.count == keys.count else {
            throw AuthError(.store(.unavailable), "Redis answered otherwise than its script does.")
        }
        var records: [StoreKey: Result<StoredRecord, AuthError>] = [:]
        for (key, found) in zip(keys, list) {
            switch (found.list?.first?.bytes, found.list?.last?.bytes) {
            case (nil, nil): break
            case (let version?, let bytes?):
                records[key] = .success(StoredRecord(bytes: bytes, version: RecordVersion(version)))
            default:
                records[key] = .failure(
                    AuthError(.store(.damaged), "a record in Redis has no bytes or no version"))
            }
        }
        return records
    }

    /// Returns a part of the keys, as far as the server's own cursor goes on. What begins otherwise is left out here: the
    /// server's patterns would take some letters for others.
    public func page(
        of kind: StoreKey.Kind, startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) async throws -> KeyPage {
        let from = cursor.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "0"
        guard UInt64(from) != nil else {
            throw AuthError(.configuration(.invalid), "The cursor is of another listing.")
        }
        let answer = try await question(["SSCAN", index(of: kind), from, "COUNT", "\(max(1, count))"])
        guard let next = answer.list?.first?.text, let page = answer.list?.last?.list else {
            throw AuthError(.store(.damaged), "the list of keys in Redis is none")
        }
        let names = page.compactMap(\.text).filter { $0.utf8.starts(with: prefix.utf8) }
        return KeyPage(names.map { StoreKey(kind, $0) }, next: next == "0" ? nil : KeyCursor(Array(next.utf8)))
    }

    /// Asks the server when it writes to its disk, and whether it removes records when its memory is full.
    public func health() async throws -> StoreHealth {
        let version = try await question(["INFO", "server"]).text?.split(whereSeparator: \.isNewline)
            .first { $0.hasPrefix("redis_version:") }?.dropFirst("redis_version:".count)
        let server = "Redis \(version ?? "of an unknown version") at \(place.host):\(place.port)"
        let configured: [String: String]
        do {
            configured = try await setting("appendonly").merging(setting("appendfsync")) { $1 }
                .merging(setting("maxmemory-policy")) { $1 }
        } catch let error as AuthError where error.message.hasPrefix("Redis refused") {
            return StoreHealth(
                .unknown, at: server, findings: ["The server does not let this user ask for its configuration."])
        }
        var findings: [String] = []
        if let policy = configured["maxmemory-policy"], policy != "noeviction" {
            findings.append("The server removes records when its memory is full (maxmemory-policy \(policy)).")
        }
        switch (configured["appendonly"], configured["appendfsync"]) {
        case ("yes", "always"): return StoreHealth(.onReturn, at: server, findings: findings)
        case ("yes", "everysec"): return StoreHealth(.within(.seconds(2)), at: server, findings: findings)
        default:
            findings.append("The server writes to its disk only when it makes a snapshot (appendonly is not yes).")
            return StoreHealth(.unknown, at: server, findings: findings)
        }
    }

    private func setting(_ name: String) async throws -> [String: String] {
        let words = try await question(["CONFIG", "GET", name]).list?.compactMap(\.text) ?? []
        return words.count == 2 ? [words[0]: words[1]] : [:]
    }

    private static let readAll = """
        local found = {}
        for number, key in ipairs(KEYS) do found[number] = redis.call('HMGET', key, 'version', 'bytes') end
        return found
        """
}
