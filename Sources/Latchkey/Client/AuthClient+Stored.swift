/// A part of the accounts of a store.
public struct AccountPage: Hashable, Sendable {
    /// The accounts, in no particular order. There may be none, though more follow.
    public var accounts: [AccountID]
    /// Where the next page begins; `nil` after the last one.
    public var next: KeyCursor?

    /// Creates a page.
    public init(_ accounts: [AccountID], next: KeyCursor? = nil) { (self.accounts, self.next) = (accounts, next) }
}

extension AuthClient {
    /// Returns a part of the accounts that the store has a record of, for stores with very many
    /// (``EngineSettings/AccountReading/whenNamed``). Their records are not read: one may have signed out lately, or its
    /// session may have ended.
    ///
    /// - Parameters:
    ///   - cursor: The ``AccountPage/next`` of the page before; `nil` begins. It can be used in another process.
    ///   - count: How many there should be. The store may return more of them, or fewer. An account may come twice.
    /// - Throws: ``AuthError``: `locked`, a `store` code; `configuration(.invalid)` for a cursor of another store.
    public func storedAccounts(from cursor: KeyCursor? = nil, atMost count: Int = 1_000) async throws(AuthError)
        -> AccountPage
    {
        try await engine.gate.requireOpen()
        try await engine.reader.restore()
        let services = engine.services
        do {
            let page = try await engine.reader.store.page(
                of: .credential, startingWith: "", from: cursor, atMost: count)
            // People who share a credential have no keys of their own, and are known once that was read.
            let shared = cursor == nil ? engine.table.entries.filter { services.sharedKeys.contains($0.key) } : []
            let own = page.keys.filter { !services.sharedKeys.contains($0) }.map { AccountID($0.name) }
            return AccountPage(shared.map(\.account) + own, next: page.next)
        } catch {
            throw AuthError(error)
        }
    }
}
