import FoundationEssentials
import LatchkeyJSON
import LatchkeySystem

/// Which account is meant if none is named, for every process of the store.
final class CurrentAccount: Sendable {
    static let key = StoreKey(.settings, "current")

    private let store: any SessionStore
    private let accounts: Accounts
    /// Counts what was shown as the current account, so that an older reading is not shown over it.
    private let choices = Locked(0)

    init(_ store: any SessionStore, _ accounts: Accounts) {
        self.store = store
        self.accounts = accounts
    }

    var choiceCount: Int { choices.withLock { $0 } }

    /// Makes `account` the current one if nothing was chosen since `count`. Returns whether it did.
    func show(_ account: AccountID?, unlessChosenSince count: Int) -> Bool {
        let isOther = choices.withLock { choices -> Bool? in
            guard choices == count else { return nil }
            choices += 1
            return accounts.table.choose(account)
        }
        if isOther == true { accounts.hub.tell(.currentChanged(account)) }
        return isOther != nil
    }

    /// What the store says; `nil`: nobody has chosen yet.
    func read() async throws -> (account: AccountID?, version: RecordVersion)? {
        guard let stored = try await store.read(Self.key) else { return nil }
        let document = try RecordWire.open(stored.bytes, kind: "latchkey.current")
        return (document["account"].json?.string.map(AccountID.init), stored.version)
    }

    /// Makes `account` the current one, for every process of the store. Returns `false` if another
    /// choice was shown meanwhile; the store knows which of the two came last.
    func choose(_ account: AccountID?) async throws(AuthError) -> Bool {
        let bytes = JSONDraft.members([
            "kind": "latchkey.current", "format": .integer(1), "account": account.map { .string($0.value) },
        ]).serialized()
        do {
            for _ in 0..<Lane.commitTries {
                let before = choiceCount
                let version = try await store.read(Self.key)?.version
                do {
                    try await store.replace(Self.key, at: version, with: bytes)
                } catch  where error.isSettledByReading {
                    continue
                }
                return show(account, unlessChosenSince: before)
            }
        } catch {
            throw AuthError(error)
        }
        throw AuthError(StoreConflict())
    }
}
