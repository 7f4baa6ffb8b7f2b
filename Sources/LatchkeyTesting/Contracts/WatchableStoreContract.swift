public import Latchkey
import LatchkeySystem

/// The contract of every ``/Latchkey/WatchableStore``, in addition to ``StoreContract``. It uses
/// two instances over one place.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | changes are told from the call on | a change between the call and the first reading |
/// | what the other instance makes, replaces and deletes is told | one key, three changes |
/// | each reader is told of everything | two readers, one of them late |
/// | other keys are told by their own name | three kinds, unusual names |
/// | repeats may be missed, the last change never | 100 changes before the first reading |
/// | reading, listing and a lost commit tell nothing | a known change afterwards comes first |
/// | a reader that is cancelled ends promptly | while it waits |
/// | a stream that is let go takes nothing along | another reader continues |
///
/// It waits in real time, a few tenths of a second in total. A change that is not reported within
/// `patience` breaks its clause.
public struct WatchableStoreContract<Store: WatchableStore>: Sendable {
    private let context: PluginContext
    private let patience: Duration
    private let make: @Sendable (PluginContext) async throws -> (Store, Store)
    private let clauses: Clauses
    private let key = StoreKey(.credential, "alice")

    /// Creates a contract over the pairs that `make` creates: two instances over one new, empty
    /// place. For a store that reaches no further than its instance, return the same one twice.
    ///
    /// - Parameters:
    ///   - context: Time, randomness and files. Default: the system.
    ///   - patience: How long a change may take to be reported.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind. `nil` means more than a clause may wait with `patience`.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        context: PluginContext = .system, patience: Duration = .seconds(10),
        timeLimit: Duration? = nil,
        _ make: @escaping @Sendable (PluginContext) async throws -> (Store, Store)
    ) {
        self.context = context
        self.patience = patience
        self.make = make
        clauses = Clauses(
            contract: "WatchableStoreContract", limit: timeLimit ?? max(ClauseLimit.standard, patience * 4))
    }

    /// Checks every clause, each with a new place.
    public func run() async throws {
        try await check("changes are told from the call on", fromTheCallOn)
        try await check("what the other instance makes, replaces and deletes is told", told)
        try await check("each reader is told of everything", readers)
        try await check("other keys are told by their own name", otherKeys)
        try await check("repeats may be missed, the last change never", repeats)
        try await check("reading, listing and a lost commit tell nothing", silence)
        try await check("a reader that is cancelled ends promptly", cancelled)
        try await check("a stream that is let go takes nothing along", letGo)
    }

    private func check(_ clause: String, _ body: @escaping @Sendable (Store, Store) async throws -> Void) async throws {
        try await clauses.clause(clause) {
            let (first, second) = try await clauses.given("what makes two stores") { try await make(context) }
            try await body(first, second)
        }
    }
}

extension WatchableStoreContract {
    private func told(_ first: Store, _ second: Store) async throws {
        let reader = ChangeReader(try await first.changes(), patience)
        let made = try await second.replace(key, at: nil, with: [1])
        try await reader.expect(key, "the making")
        try await settle(second, reader)
        let replaced = try await second.replace(key, at: made, with: [2])
        try await reader.expect(key, "the replacing")
        try expect(try await first.read(key)?.bytes == [2], "what was told of is not there yet")
        try await settle(second, reader)
        try await second.replace(key, at: replaced, with: nil)
        try await reader.expect(key, "the deletion")
        try expect(try await first.read(key) == nil, "what was told to be deleted is there")
    }

    /// Changes another key and waits for it, so that every earlier change has been reported.
    private func settle(_ store: Store, _ reader: ChangeReader) async throws {
        let other = StoreKey(.credential, "settle")
        try await store.replace(other, at: try await store.read(other)?.version, with: [0])
        try await reader.expect(other, "a change of another key")
    }

    private func fromTheCallOn(_ first: Store, _ second: Store) async throws {
        let stream = try await first.changes()
        try await second.replace(key, at: nil, with: [1])
        try await ChangeReader(stream, patience).expect(key, "a change before the first reading")
    }

    private func readers(_ first: Store, _ second: Store) async throws {
        let early = ChangeReader(try await first.changes(), patience)
        try await second.replace(key, at: nil, with: [1])
        try await early.expect(key, "the first change")
        let late = ChangeReader(try await first.changes(), patience)
        let other = StoreKey(.credential, "bob")
        try await second.replace(other, at: nil, with: [1])
        try await early.expect(other, "the second change, to the first reader")
        try await late.expect(other, "the second change, to the second reader")
    }

    private func otherKeys(_ first: Store, _ second: Store) async throws {
        let reader = ChangeReader(try await first.changes(), patience)
        for name in ["alice", "", "a/b", "日本語"] {
            for kind in StoreKey.Kind.allCases {
                try await second.replace(StoreKey(kind, name), at: nil, with: [1])
                try await reader.expect(StoreKey(kind, name), "a change of another key")
            }
        }
    }

    private func repeats(_ first: Store, _ second: Store) async throws {
        let stream = try await first.changes()
        var version = try await second.replace(key, at: nil, with: [0])
        for number in 1...100 { version = try await second.replace(key, at: version, with: [UInt8(number)]) }
        let reader = ChangeReader(stream, patience)
        try await reader.expect(key, "any of the changes")
        var found = try await first.read(key)?.bytes
        while found != [100] {
            try await reader.expect(key, "the last change")
            found = try await first.read(key)?.bytes
        }
    }

    private func silence(_ first: Store, _ second: Store) async throws {
        let known = try await second.replace(key, at: nil, with: [1])
        let reader = ChangeReader(try await first.changes(), patience)
        _ = try await second.read(key)
        _ = try await second.keys(.credential)
        try await expectConflict { try await second.replace(key, at: nil, with: [2]) }
        let other = StoreKey(.credential, "bob")
        try await second.replace(other, at: nil, with: [1])
        let said = try await reader.next()
        try expect(said == other, "a reading or a lost commit was told")
        try expect(try await second.read(key)?.version == known, "the record was changed")
    }

    private func cancelled(_ first: Store, _ second: Store) async throws {
        let stream = try await first.changes()
        let task = Task { for await _ in stream {} }
        await Task.yield()
        task.cancel()
        let hasEnded = await within(patience) { await task.value } != nil
        try expect(hasEnded, "it still waits")
        try await second.replace(key, at: nil, with: [1])
    }

    private func letGo(_ first: Store, _ second: Store) async throws {
        let kept = ChangeReader(try await first.changes(), patience)
        for _ in 0..<3 { _ = try await first.changes() }
        try await second.replace(key, at: nil, with: [1])
        try await kept.expect(key, "a change after another stream was let go")
        let new = ChangeReader(try await first.changes(), patience)
        let other = StoreKey(.credential, "bob")
        try await second.replace(other, at: nil, with: [1])
        try await new.expect(other, "a change to a new stream")
    }
}

/// One reader of a stream, with a deadline for each read.
private final class ChangeReader: Sendable {
    private let patience: Duration
    private let found = Tally()
    private let keys = Locked<[StoreKey]>([])
    private let next = Locked(0)
    private let task: Task<Void, Never>

    init(_ stream: AsyncStream<StoreKey>, _ patience: Duration) {
        self.patience = patience
        task = Task { [keys, found] in
            for await key in stream {
                keys.withLock { $0.append(key) }
                found.add()
            }
        }
    }

    deinit { task.cancel() }

    /// Returns the next key that is reported.
    func next() async throws -> StoreKey {
        let index = next.withLock { next in
            next += 1
            return next - 1
        }
        _ = await within(patience) { [found] in try? await found.wait(for: index + 1) }
        let key = keys.withLock { $0.count > index ? $0[index] : nil }
        guard let key else { throw Broken("nothing was told") }
        return key
    }

    /// Reads on until `key` is reported.
    func expect(_ key: StoreKey, _ what: String) async throws {
        do {
            while try await next() != key {}
        } catch is Broken {
            throw Broken("\(what) was not told")
        }
    }
}
