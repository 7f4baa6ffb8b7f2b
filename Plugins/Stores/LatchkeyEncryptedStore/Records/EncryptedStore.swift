import FoundationEssentials
public import Latchkey
import LatchkeyCrypto
import LatchkeySystem

/// Encrypts each record of another store, such as a database or a keyring. The inner store sees the names of
/// records, their number and their sizes, and nothing else. Someone with access to it cannot read, change, swap or
/// rename them.
///
/// The keys of the records are in the inner store too, in a small vault under ``ringKey``. It is opened like any
/// vault: by a passphrase, a recovery code, or a key that a holder keeps.
///
/// | Case | What happens |
/// | --- | --- |
/// | No keys in the inner store yet | `configuration(.invalid)`; ``initialise(with:)`` makes them, and so does the first ``open(with:)`` if the options say so |
/// | Closed | `locked` |
/// | A record that is not sealed | `store(.damaged)` |
/// | A record that was changed, or moved to another name | `store(.tampered)` |
/// | An older record in place of a newer one that this process has seen | `store(.rolledBack)`, if the policy is ``RollbackPolicy/enforce`` |
public final class EncryptedStore<Inner: SessionStore>: LockableStore {
    /// The key under which the inner store has the keys of the records.
    public static var ringKey: StoreKey { StoreKey(.settings, "latchkey.keyring") }

    private struct State {
        var ring: KeyRing?
        /// The highest number seen of each record.
        var numbers: [StoreKey: UInt64] = [:]
    }

    let inner: Inner
    let options: VaultOptions
    let context: PluginContext
    private let namespace: String
    private let keeper: any VaultKeeper
    private let state = Locked(State())

    /// Creates a closed store over `inner`.
    ///
    /// - Parameters:
    ///   - inner: The store that keeps the sealed records.
    ///   - namespace: Separates stores in one database: a record of one cannot be put into another.
    ///   - options: How the store is made, opened and stretched.
    ///   - context: Time, randomness and files. Default: the system.
    public convenience init(
        wrapping inner: Inner, namespace: String = "", options: VaultOptions = VaultOptions(),
        context: PluginContext = .system
    ) {
        self.init(
            wrapping: inner, namespace: namespace, keptBy: LocalKeeper(context: context), options: options,
            context: context)
    }

    package init(
        wrapping inner: Inner, namespace: String, keptBy keeper: any VaultKeeper, options: VaultOptions,
        context: PluginContext
    ) {
        self.inner = inner
        self.namespace = namespace
        self.keeper = keeper
        self.options = options
        self.context = context
    }

    /// Returns the record under `key`; `nil` if there is none.
    public func read(_ key: StoreKey) async throws -> StoredRecord? {
        try Self.check(key)
        let ring = try opened()
        // What this process writes while the inner store reads may be newer than what that finds.
        let newest = state.withLock { $0.numbers[key] }
        guard let stored = try await inner.read(key) else {
            state.withLock { $0.numbers[key] = nil }
            return nil
        }
        return try unseal(stored, under: key, with: ring, newest: newest)
    }

    /// Returns the records under several keys, which the inner store reads together.
    public func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        let ring = try opened()
        var records: [StoreKey: Result<StoredRecord, AuthError>] = [:]
        let newest = state.withLock { $0.numbers }
        var asked: [StoreKey] = []
        for key in keys {
            do throws(AuthError) {
                try Self.check(key)
                asked.append(key)
            } catch {
                records[key] = .failure(error)
            }
        }
        for (key, stored) in try await inner.records(asked) {
            records[key] = Result { () throws(AuthError) in
                do { return try unseal(stored.get(), under: key, with: ring, newest: newest[key]) } catch {
                    throw AuthError(error)
                }
            }
        }
        return records
    }

    /// - Parameter newest: The number of the newest record that was known before this one was read.
    private func unseal(
        _ stored: StoredRecord, under key: StoreKey, with ring: KeyRing, newest: UInt64?
    ) throws -> StoredRecord {
        let envelope = try RecordEnvelope(stored.bytes)
        guard let secret = ring.keys[envelope.keyID] else {
            throw AuthError(.store(.tampered), "a record is sealed with a key that the store does not have")
        }
        let plain = try envelope.open(with: secret, namespace: namespace, name: VaultBody.name(of: key))
        state.withLock { $0.numbers[key] = max($0.numbers[key] ?? 0, envelope.number) }
        if let newest, envelope.number < newest, options.rollback == .enforce {
            throw AuthError(.store(.rolledBack), "an older record was put in place of one that was seen before")
        }
        return StoredRecord(bytes: plain, version: stored.version)
    }

    /// Replaces the record by the inner store's compare-and-swap.
    @discardableResult
    public func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws
        -> RecordVersion?
    {
        try await replace(key, with: bytes) { try await inner.replace(key, at: version, with: $0) }
    }

    /// Seals `bytes`, and has `put` store them.
    func replace(
        _ key: StoreKey, with bytes: [UInt8]?, _ put: ([UInt8]?) async throws -> RecordVersion?
    ) async throws -> RecordVersion? {
        try Self.check(key)
        let ring = try opened()
        guard let bytes else { return try await put(nil) }
        guard let secret = ring.keys[ring.current] else { throw AuthError(.locked, "the store is closed") }
        // Also grows after a deletion, and in a process that has not read the record.
        let wall = UInt64(max(0, context.clock.wall().timeIntervalSince1970 * 1_000))
        let number = state.withLock { max(($0.numbers[key] ?? 0) + 1, wall) }
        let sealed = try RecordEnvelope.seal(
            bytes, with: secret, id: ring.current, number: number, salt: context.random(32), namespace: namespace,
            name: VaultBody.name(of: key), suite: options.suite)
        let new = try await put(sealed)
        state.withLock { state in
            if state.ring != nil { state.numbers[key] = max(state.numbers[key] ?? 0, number) }
        }
        return new
    }

    /// Returns every key of `kind`.
    public func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
        _ = try opened()
        return try await inner.keys(kind).filter { $0 != Self.ringKey }
    }

    /// Returns a part of the keys, as the inner store does.
    public func page(
        of kind: StoreKey.Kind, startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) async throws -> KeyPage {
        _ = try opened()
        var page = try await inner.page(of: kind, startingWith: prefix, from: cursor, atMost: count)
        page.keys.removeAll { $0 == Self.ringKey }
        return page
    }

    /// Says what the inner store says.
    public func health() async throws -> StoreHealth { try await inner.health() }

    /// Opens the store. If it has no keys yet, makes them if ``VaultOptions/isMadeWhenFirstOpened``.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `refused(.wrongInput)` when the key opens nothing;
    ///   `configuration(.invalid)` when the store has no keys yet; errors of the inner store.
    public func open(with key: UnlockKey) async throws {
        guard let stored = try await inner.read(Self.ringKey) else {
            guard options.isMadeWhenFirstOpened else {
                throw AuthError(.configuration(.invalid), "the store has no keys yet; make them first")
            }
            return try await initialise(with: [NewSlot(key, cost: options.cost)])
        }
        try await keeper.open(stored.bytes, with: key)
        try await take(stored.bytes)
    }

    /// Forgets the keys, which closes the store.
    public func close() async {
        state.withLock { $0 = State() }
        await keeper.close(nil)
    }

    /// Makes the keys of a new store, and leaves it open.
    public func initialise(with slots: [NewSlot]) async throws {
        guard try await inner.read(Self.ringKey) == nil else {
            throw AuthError(.configuration(.invalid), "the store has its keys already")
        }
        for kind in StoreKey.Kind.allCases {
            guard try await inner.keys(kind).isEmpty else {
                throw AuthError(
                    .configuration(.invalid), "the inner store has records that are not sealed; move them first")
            }
        }
        let empty = try await keeper.create(slots, suite: options.suite, at: now)
        var ring = KeyRing()
        ring.add(Secret(context.random(32)), id: 1)
        try await put(ring, after: empty, at: nil)
    }

    /// Makes a new key for new records. Existing records keep theirs until ``reseal()``.
    public func renewKey() async throws {
        guard let stored = try await inner.read(Self.ringKey) else { throw AuthError(.locked, "the store is closed") }
        try await take(stored.bytes)
        var ring = try opened()
        ring.add(Secret(context.random(32)), id: ring.current + 1)
        try await put(ring, after: stored.bytes, at: stored.version)
    }

    /// Seals every record with the newest key, and forgets the other keys. Records that others change meanwhile are
    /// skipped; then the other keys are kept too.
    ///
    /// - Returns: The number of records that were sealed anew.
    @discardableResult
    public func reseal() async throws -> Int {
        guard let stored = try await inner.read(Self.ringKey) else { throw AuthError(.locked, "the store is closed") }
        try await take(stored.bytes)
        var ring = try opened()
        var (count, left) = (0, false)
        for kind in StoreKey.Kind.allCases {
            for key in try await keys(kind) {
                guard let record = try await read(key), let sealed = try await inner.read(key)?.bytes,
                    try RecordEnvelope(sealed).keyID != ring.current
                else { continue }
                do {
                    try await replace(key, at: record.version, with: record.bytes)
                    count += 1
                } catch is StoreConflict {
                    left = true
                }
            }
        }
        if !left, ring.keys.count > 1 {
            ring.keepCurrent()
            try await put(ring, after: stored.bytes, at: stored.version)
        }
        return count
    }

    /// Adds, replaces or removes ways to open the store, as ``VaultKeeper/change(_:of:at:)`` does for a vault.
    public func change(_ change: VaultChange) async throws {
        guard let stored = try await inner.read(Self.ringKey) else { throw AuthError(.locked, "the store is closed") }
        _ = try opened()
        let changed = try await keeper.change(change, of: stored.bytes, at: now)
        try await inner.replace(Self.ringKey, at: stored.version, with: changed)
    }

    private var now: UInt64 { UInt64(max(0, context.clock.wall().timeIntervalSince1970 * 1_000)) }

    func opened() throws -> KeyRing {
        if let missing = CryptoLibrary.missing { throw missing }
        guard let ring = state.withLock({ $0.ring }) else { throw AuthError(.locked, "the store is closed") }
        return ring
    }

    private func take(_ vault: [UInt8]) async throws {
        let records = try await keeper.unseal(vault)
        let body = try VaultBody(records)
        let ring = try KeyRing(body)
        state.withLock { $0.ring = ring }
    }

    private func put(_ ring: KeyRing, after vault: [UInt8], at version: RecordVersion?) async throws {
        var plain = ring.body(at: now).plain()
        defer { Wiping.wipe(&plain) }
        let head = try VaultFileWire.open(vault).0.bytes
        let sealed = try await keeper.seal(Secret(plain), after: head, at: now)
        try await inner.replace(Self.ringKey, at: version, with: sealed)
        state.withLock { $0.ring = ring }
    }

    static func check(_ key: StoreKey) throws(AuthError) {
        guard key != ringKey else {
            throw AuthError(.configuration(.invalid), "that name is the one of the store's own keys")
        }
    }
}
