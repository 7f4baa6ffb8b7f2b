public import Latchkey

/// The contract of every ``/Latchkey/SessionStore``.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | an absent key reads as nil | reading |
/// | a record reads as it was written, under the version that replace returned | empty, every byte value, 64 KiB |
/// | a record is replaced at its version, whole | longer, then shorter |
/// | replace at another version throws StoreConflict and changes nothing | stale, foreign, nil, one for an absent key |
/// | nil deletes at the version, and deleting what is absent succeeds | both, and a stale deletion |
/// | no version comes twice for a key | 32 rounds of writing, deleting and writing again |
/// | other keys are never touched | similar names, the same name in other kinds |
/// | keys lists what is there, and only that | every kind, a deletion |
/// | a name may be any text of up to 4,096 bytes | slashes, dots, quotes, line ends, the empty name |
/// | a name beyond that is refused as configuration(.invalid) | 4,097 bytes, U+0000 |
/// | records are read together as each is read alone | 78 of them, absent keys, a key twice, a refused name |
/// | the pages hold every key, and only those | pages of 1, 7 and 1,000; beginnings of names that are patterns elsewhere |
/// | keys that come and go between two pages hide no other | 20 that go, 20 that come |
/// | what a store says of itself are lines of text without a record's content | `health()` |
/// | of writers at one version exactly one wins | eight at once, on a slow disk |
/// | a record that is replaced is never absent | one task replaces, another reads, on a slow disk |
/// | no increment is lost | four tasks that count for 300 ms, ten times each at least |
/// | what is damaged is neither absent nor overwritten | if `damaging` is given |
/// | what is damaged hides nothing that is read together with it | if `damaging` is given |
/// | records and versions outlast a restart | two, and a listing that goes on, if `reopening` is given |
///
/// ``run()`` throws the first ``ContractViolation``, so it fails a test in any framework. A clause
/// that hangs is broken too: see ``ClauseLimit``.
public struct StoreContract<Store: SessionStore>: Sendable {
    /// Makes the record under a key unreadable without going through the store.
    public typealias Damage = @Sendable (Store, StoreKey) async throws -> Void
    /// Opens the same place again, as the next process would.
    public typealias Reopen = @Sendable (Store, PluginContext) async throws -> Store

    let context: PluginContext
    private let make: @Sendable (PluginContext) async throws -> Store
    private let damaging: Damage?
    private let reopening: Reopen?
    let clauses: Clauses

    /// Creates a contract over the stores that `make` creates, each new and empty.
    ///
    /// - Parameters:
    ///   - context: Time, randomness and files. Default: the system.
    ///   - damaging: Makes a record unreadable; `nil` skips that clause.
    ///   - reopening: Opens the place again; `nil` skips that clause.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        context: PluginContext = .system, damaging: Damage? = nil, reopening: Reopen? = nil,
        timeLimit: Duration = ClauseLimit.standard,
        _ make: @escaping @Sendable (PluginContext) async throws -> Store
    ) {
        self.context = context
        self.make = make
        clauses = Clauses(contract: "StoreContract", limit: timeLimit)
        self.damaging = damaging
        self.reopening = reopening
    }

    /// Checks every clause, each with a new store.
    public func run() async throws {
        try await check("an absent key reads as nil", absent)
        try await check("a record reads as it was written, under the version that replace returned", written)
        try await check("a record is replaced at its version, whole", replaced)
        try await check("replace at another version throws StoreConflict and changes nothing", conflicts)
        try await check("nil deletes at the version, and deleting what is absent succeeds", deletions)
        try await check("no version comes twice for a key", versions)
        try await check("other keys are never touched", otherKeys)
        try await check("keys lists what is there, and only that", listed)
        try await check("a name may be any text of up to 4,096 bytes", names)
        try await check("a name beyond that is refused as configuration(.invalid)", refusedNames)
        try await check("records are read together as each is read alone", together)
        try await check("the pages hold every key, and only those", paged)
        try await check("keys that come and go between two pages hide no other", changingPages)
        try await check("what a store says of itself are lines of text without a record's content", healthy)
        let meeting = Meeting()
        try await check("of writers at one version exactly one wins", over: context.onSlowDisk(meeting)) {
            try await oneWinner($0, meeting)
        }
        try await check("a record that is replaced is never absent", over: context.onSlowDisk()) {
            try await StoreReplacing.run(writing: $0, reading: $0)
        }
        try await check("no increment is lost") { try await StoreCounting.run([$0], tasks: 4, by: context.clock) }
        if let damaging {
            try await check("what is damaged is neither absent nor overwritten") { try await damaged($0, damaging) }
        }
        if let damaging {
            try await check("what is damaged hides nothing that is read together with it") {
                try await damagedTogether($0, damaging)
            }
        }
        if let reopening {
            try await check("records and versions outlast a restart") { try await restarted($0, reopening) }
        }
    }

    private func check(
        _ clause: String, over other: PluginContext? = nil, _ body: @escaping @Sendable (Store) async throws -> Void
    ) async throws {
        try await clauses.clause(clause) {
            try await body(try await clauses.given("what makes a store") { try await make(other ?? context) })
        }
    }

    private func damaged(_ store: Store, _ damaging: Damage) async throws {
        let key = StoreKey(.credential, "damaged")
        let version = try await store.replace(key, at: nil, with: StoreSamples.bytes)
        try await clauses.given("what damages a record") { try await damaging(store, key) }
        let isDamaged = { (code: AuthError.Code) in code == .store(.damaged) }
        try await expectError("store(.damaged)", where: isDamaged) { _ = try await store.read(key) }
        for version in [nil, version] {
            try await expectError("store(.damaged)", where: isDamaged) {
                try await store.replace(key, at: version, with: [1])
            }
        }
    }

    private func restarted(_ store: Store, _ reopening: Reopen) async throws {
        let (kept, gone) = (StoreKey(.credential, "kept"), StoreKey(.credential, "gone"))
        let version = try await store.replace(kept, at: nil, with: StoreSamples.bytes)
        // Nothing else is written in between, because another commit could flush what this one left unflushed.
        var again = try await reopening(store, context)
        let found = try await again.read(kept)
        try expect(found?.bytes == StoreSamples.bytes && found?.version == version, "the record is another")
        let old = try await again.replace(gone, at: nil, with: [1])
        try await again.replace(gone, at: old, with: nil)
        again = try await reopening(again, context)
        try expect(try await again.read(kept)?.version == version, "the record is another the second time")
        try expect(try await again.read(gone) == nil, "a deleted record is back")
        let new = try await again.replace(gone, at: nil, with: [1])
        try expect(new != old, "a version came again after the restart")
        try await resumedPages(again, reopening)
    }
}
