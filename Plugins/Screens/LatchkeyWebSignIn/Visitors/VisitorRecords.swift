import FoundationEssentials
import Latchkey
import LatchkeyCrypto

/// The web's own records in the shared store: of browsers, of people, and the server's key.
struct VisitorRecords: Sendable {
    let store: any SessionStore
    let context: PluginContext

    var now: Int64 { Int64(context.clock.wall().timeIntervalSince1970) }

    private static func visitor(_ id: String) -> StoreKey { StoreKey(.settings, "web/visitor/\(id)") }

    private static func person(_ account: AccountID) -> StoreKey {
        StoreKey(.settings, "web/person/" + Base64URL.encode(Hash.digest(Array(account.value.utf8))))
    }

    /// Returns the server's key, the same for every process that uses the store.
    func serverKey() async throws -> ServerKey {
        let key = StoreKey(.settings, "web/key")
        while true {
            if let stored = try await store.read(key) {
                guard stored.bytes.count == SessionCookie.proofLength else {
                    throw AuthError(.store(.damaged), "The server's key for forms is damaged.")
                }
                return ServerKey(secret: Secret(stored.bytes))
            }
            do {
                try await store.replace(key, at: nil, with: context.random(SessionCookie.proofLength))
            } catch  where error.isSettledByReading {}
        }
    }

    func visitor(_ id: String) async throws -> VisitorRecord? {
        try await store.read(Self.visitor(id)).map { try VisitorRecord($0.bytes) }
    }

    /// Changes the record of a browser; `nil` deletes it.
    @discardableResult
    func change(
        _ id: String, _ change: @Sendable (VisitorRecord?) -> VisitorRecord?
    ) async throws -> VisitorRecord? {
        try await changing(Self.visitor(id)) { bytes in
            let record = change(try bytes.map { try VisitorRecord($0) })
            return (record, record?.bytes)
        }
    }

    func browsers(of account: AccountID) async throws -> [PersonRecord.Browser] {
        try await store.read(Self.person(account)).map { try PersonRecord($0.bytes).browsers } ?? []
    }

    /// Adds a browser to the list of `account`.
    ///
    /// - Returns: The IDs of those that it pushed out, because there are too many.
    func add(_ browser: PersonRecord.Browser, to account: AccountID) async throws -> [String] {
        let limit = PersonRecord.limit
        let before = try await browsers(of: account).filter { $0.id != browser.id }
        try await change(browsersOf: account) { browsers in
            browsers.removeAll { $0.id == browser.id }
            browsers = browsers.suffix(limit - 1) + [browser]
        }
        return before.dropLast(limit - 1).map(\.id)
    }

    /// Removes a browser from the list of `account`.
    func remove(_ id: String, from account: AccountID) async throws {
        try await change(browsersOf: account) { $0.removeAll { $0.id == id } }
    }

    private func change(
        browsersOf account: AccountID, _ change: @Sendable (inout [PersonRecord.Browser]) -> Void
    ) async throws {
        _ = try await changing(Self.person(account)) { bytes -> (Bool, [UInt8]?) in
            var record = try bytes.map { try PersonRecord($0) } ?? PersonRecord()
            change(&record.browsers)
            return (true, record.browsers.isEmpty ? nil : record.bytes)
        }
    }

    /// Commits a change of one record, as often as another process is quicker. No bytes delete it.
    func changing<Value: Sendable>(
        _ key: StoreKey, _ change: @Sendable ([UInt8]?) throws -> (Value, [UInt8]?)
    ) async throws -> Value {
        while true {
            let stored = try await store.read(key)
            let (value, bytes) = try change(stored?.bytes)
            if bytes == stored?.bytes { return value }
            do {
                try await store.replace(key, at: stored?.version, with: bytes)
                return value
            } catch  where error.isSettledByReading {
                try Task.checkCancellation()
                // After a lost answer, what was to be written may be there.
                if !(error is StoreConflict), try await store.read(key)?.bytes == bytes { return value }
            }
        }
    }
}
