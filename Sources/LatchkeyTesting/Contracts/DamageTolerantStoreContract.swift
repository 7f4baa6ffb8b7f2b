public import Latchkey

/// The contract of every ``/Latchkey/DamageTolerantStore``, beside the one of stores.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | where nothing is damaged, the same keys are listed | every kind, an empty store, a deletion |
/// | beside a damaged record, every other key is listed | one of five; the others are read |
/// | a key that nobody stored is never listed | the damaged one's own key may be |
/// | what keeps the whole store from being read is thrown | if `breaking` is given |
///
/// ``run()`` throws the first ``ContractViolation``.
public struct DamageTolerantStoreContract<Store: DamageTolerantStore>: Sendable {
    /// Makes the record under a key unreadable without going through the store, such that the store cannot list it.
    public typealias Damage = @Sendable (Store, StoreKey) async throws -> Void
    /// Makes the whole store unusable.
    public typealias Break = @Sendable (Store) async throws -> Void

    private let context: PluginContext
    private let damaging: Damage
    private let breaking: Break?
    private let make: @Sendable (PluginContext) async throws -> Store
    private let clauses: Clauses

    /// Creates a contract over the stores that `make` creates, each new and empty.
    ///
    /// - Parameters:
    ///   - context: Time, randomness and files. Default: the system.
    ///   - damaging: Makes a record unreadable.
    ///   - breaking: Makes the store unusable; `nil` skips that clause.
    ///   - timeLimit: How long a clause may take, in real time.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        context: PluginContext = .system, damaging: @escaping Damage, breaking: Break? = nil,
        timeLimit: Duration = ClauseLimit.standard,
        _ make: @escaping @Sendable (PluginContext) async throws -> Store
    ) {
        (self.context, self.damaging, self.breaking, self.make) = (context, damaging, breaking, make)
        clauses = Clauses(contract: "DamageTolerantStoreContract", limit: timeLimit)
    }

    /// Checks every clause, each with a new store.
    public func run() async throws {
        try await check("where nothing is damaged, the same keys are listed", undamaged)
        try await check("beside a damaged record, every other key is listed", beside)
        try await check("a key that nobody stored is never listed", invented)
        if let breaking {
            try await check("what keeps the whole store from being read is thrown") { store in
                _ = try await filled(store)
                try await clauses.given("what breaks the store") { try await breaking(store) }
                do { _ = try await store.readableKeys(.credential) } catch is AuthError { return }
                throw Broken("a store that cannot be read listed keys, or none")
            }
        }
    }

    private func check(_ clause: String, _ body: @escaping @Sendable (Store) async throws -> Void) async throws {
        try await clauses.clause(clause) {
            try await body(try await clauses.given("what makes a store") { try await make(context) })
        }
    }

    private func filled(_ store: Store) async throws -> [StoreKey] {
        let keys = (0..<5).map { StoreKey(.credential, "person \($0)") }
        for key in keys + [StoreKey(.settings, "person 0")] {
            _ = try await store.replace(key, at: nil, with: StoreSamples.bytes)
        }
        return keys
    }

    private func damage(_ store: Store, _ key: StoreKey) async throws {
        try await clauses.given("what damages a record") { try await damaging(store, key) }
    }

    private func undamaged(_ store: Store) async throws {
        for kind in StoreKey.Kind.allCases {
            try expect(try await store.readableKeys(kind).isEmpty, "a new store lists keys")
        }
        let keys = try await filled(store)
        try await store.replace(keys[4], at: try await store.read(keys[4])?.version, with: nil)
        for kind in StoreKey.Kind.allCases {
            let (all, readable) = (try await store.keys(kind), try await store.readableKeys(kind))
            try expect(Set(all) == Set(readable) && all.count == readable.count, "it lists others than keys does")
        }
    }

    private func beside(_ store: Store) async throws {
        let keys = try await filled(store)
        try await damage(store, keys[2])
        let found = Set(try await store.readableKeys(.credential))
        let others = keys.filter { $0 != keys[2] }
        try expect(found.isSuperset(of: others), "damage to one record hid another")
        for key in others {
            try expect(try await store.read(key)?.bytes == StoreSamples.bytes, "damage to one record changed another")
        }
        let settings = try await store.readableKeys(.settings)
        try expect(settings == [StoreKey(.settings, "person 0")], "damage to one kind hid another")
    }

    private func invented(_ store: Store) async throws {
        let keys = try await filled(store)
        for key in keys.prefix(2) { try await damage(store, key) }
        let found = try await store.readableKeys(.credential)
        try expect(Set(found).isSubset(of: keys) && found.count == Set(found).count, "it lists others, or one twice")
    }
}
