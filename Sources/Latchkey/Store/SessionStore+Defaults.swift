/// What a store need not have of its own. A store behind a network should: each of these is one request there.
extension SessionStore {
    /// Reads one record after the other.
    public func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        var records: [StoreKey: Result<StoredRecord, AuthError>] = [:]
        for key in keys where records[key] == nil {
            do {
                if let record = try await read(key) { records[key] = .success(record) }
            } catch let error as AuthError {
                if error.concernsEveryRecord { throw error }
                records[key] = .failure(error)
            }
        }
        return records
    }

    /// Lists every key, and returns a page of them.
    public func page(
        of kind: StoreKey.Kind, startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) async throws -> KeyPage {
        try KeyPage(cutting: try await keys(kind), startingWith: prefix, from: cursor, atMost: count)
    }

    /// Says that nothing is known.
    public func health() async throws -> StoreHealth { StoreHealth(.unknown) }
}
