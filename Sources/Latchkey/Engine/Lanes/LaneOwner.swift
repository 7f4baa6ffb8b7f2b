/// What a lane needs from its owner. The lane does not keep its owner alive.
protocol LaneOwner: AnyObject, Sendable {
    /// Notes whether the lane of `key` has something under way, or something that the store has not taken; why the store
    /// has not taken it, `nil` if it has; and whether the lane must stay for that or for what it remembers.
    func note(_ key: StoreKey, owes: Bool, unstored: AuthError?, remembers: Bool)

    /// Runs `work` in turn with every exchange that grants or revokes under the grants key `key`.
    ///
    /// - Parameter waits: Whether to wait until it is free. If not, this throws `busy` at once.
    func alone<Value: Sendable>(
        _ key: StoreKey, waits: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value

    /// Stores what was granted to `account` under the first of its keys that has room for it, with what the service
    /// is still owed of the same credential. Returns the key.
    func place(
        _ credential: Credential, of account: AccountID, login: String, contact offset: Duration,
        owing owed: [CredentialRecord.Pending]
    ) async throws(AuthError) -> StoreKey?

    /// Ends `login` of `account`, which is stored under `key`.
    func signOut(_ account: AccountID, login: String, at key: StoreKey) async
}
