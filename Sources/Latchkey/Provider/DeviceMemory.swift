import LatchkeyJSON

/// What a provider remembers about this device between sign-ins, such as a device key or the service's
/// trust in the device. It survives a sign-out; ``AuthClient/forgetDevice(at:account:)`` deletes it.
///
/// It belongs to the provider's configuration (``ProviderBinding``), and to one account if that is
/// known. The engine stores it beside the sessions, and it is as secret as they are.
public struct DeviceMemory: Sendable {
    /// The most bytes in one entry.
    public static let limit = 16_384

    /// One remembered entry. Its bytes are secret and are never printed.
    public struct Entry: Sendable, CustomStringConvertible, CustomReflectable {
        /// The content.
        public var bytes: [UInt8]
        /// The version to pass to ``DeviceMemory/replace(of:at:with:)``.
        public var version: RecordVersion

        /// The size.
        public var description: String { "memory of \(bytes.count) bytes" }

        /// Empty, so that `dump` shows nothing.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    private static let kind = "latchkey.device"
    private let store: any SessionStore
    private let binding: ProviderBinding

    /// Creates the memory of the provider with this binding, kept in `store`.
    public init(_ store: any SessionStore, of binding: ProviderBinding) {
        self.store = store
        self.binding = binding
    }

    /// Returns what is remembered for `account`; `nil` means for the configuration as a whole.
    ///
    /// - Throws: ``AuthError`` with a `store` code.
    public func read(of account: AccountID? = nil) async throws(AuthError) -> Entry? {
        do {
            guard let stored = try await store.read(key(account)) else { return nil }
            return Entry(bytes: try content(of: stored.bytes).bytes, version: stored.version)
        } catch {
            throw AuthError(error, provider: binding.provider)
        }
    }

    /// Remembers `bytes` if nothing has changed since `version` was read (compare-and-swap). `nil`
    /// bytes delete the entry; a `nil` version means that nothing was there.
    ///
    /// - Returns: The new version; `nil` after a deletion.
    /// - Throws: ``StoreConflict`` if another writer was first; ``AuthError``
    ///   `configuration(.invalid)` for more than ``limit`` bytes, or a `store` code.
    @discardableResult
    public func replace(
        of account: AccountID? = nil, at version: RecordVersion?, with bytes: [UInt8]?
    ) async throws -> RecordVersion? {
        guard bytes?.count ?? 0 <= Self.limit else {
            throw AuthError(
                .configuration(.invalid), "A device's memory holds \(Self.limit) bytes at most.",
                provider: binding.provider)
        }
        let next = bytes.map { record($0, account) }
        do { return try await store.replace(key(account), at: version, with: next) } catch {
            guard AuthError(error).code == .store(.unknownOutcome) else { throw error }
            // The entry says what came of it: the same bytes are this writer's or as good.
            let found = try await store.read(key(account))
            if found?.bytes == next { return found?.version }
            guard found?.version != version else { throw error }
            throw StoreConflict(found: found?.version)
        }
    }

    /// Returns the accounts for which something is remembered.
    ///
    /// - Throws: ``AuthError`` with a `store` code.
    public func accounts() async throws(AuthError) -> [AccountID] {
        do {
            var found: [AccountID] = []
            for key in try await store.keys(.device) where key.name.hasPrefix(accountPrefix) {
                guard let stored = try await store.read(key), let account = try content(of: stored.bytes).account
                else { continue }
                found.append(account)
            }
            return found.sorted { $0.value < $1.value }
        } catch {
            throw AuthError(error, provider: binding.provider)
        }
    }

    /// Deletes what is remembered for `account`; `nil` means everything of the configuration.
    func forget(_ account: AccountID?) async throws {
        let keys = try await store.keys(.device).filter { key in
            account.map { key == self.key($0) } ?? (key == self.key(nil) || key.name.hasPrefix(accountPrefix))
        }
        for key in keys {
            // A writer at the same moment loses: the person's decision is the last word.
            for _ in 0..<8 {
                guard let stored = try await store.read(key) else { break }
                do { try await store.replace(key, at: stored.version, with: nil) } catch  where error.isSettledByReading
                {
                    continue
                }
            }
        }
    }

    private var name: String { "\(binding.provider.name) \(binding.authority) \(binding.client)" }
    /// Includes the name's length, so that one client's name is never mistaken for another's name and account.
    private var accountPrefix: String { "account \(name.utf8.count) \(name) " }

    private func key(_ account: AccountID?) -> StoreKey {
        StoreKey(.device, account.map { accountPrefix + $0.value } ?? "any \(name)")
    }

    private func record(_ bytes: [UInt8], _ account: AccountID?) -> [UInt8] {
        JSONDraft.members([
            "kind": .string(Self.kind), "format": .integer(1), "account": account.map { .string($0.value) },
            "content": .secret(Secret(bytes)),
        ]).serialized()
    }

    private func content(of bytes: [UInt8]) throws(AuthError) -> (bytes: [UInt8], account: AccountID?) {
        let document = try RecordWire.open(bytes, kind: Self.kind)
        do {
            let account = try document["account"].optional?.string()
            return (try document["content"].secret().reveal(), account.map(AccountID.init))
        } catch {
            throw RecordWire.damaged(error)
        }
    }
}
