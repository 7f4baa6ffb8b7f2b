public import Latchkey

/// The contract of every ``/Latchkey/CrossProcessStore``, in addition to ``StoreContract``. It uses
/// two instances over one place.
///
/// | Clause | Checked by |
/// | --- | --- |
/// | what one instance commits the other sees | writing, deleting, listing |
/// | a record that is replaced is never absent | one replaces, the other reads, on a slow disk |
/// | a version of one instance is good at the other, and a stale one conflicts | both ways |
/// | no increment of two instances is lost | 300 ms, `rounds` each at least |
/// | a lock excludes everyone else, busy at the deadline | both instances, at zero and at 20 ms |
/// | a lock that is let go goes to the one who waits | across instances |
/// | letting go twice frees nobody else's lock | a hold released again |
/// | locks of other keys are free | another name, another kind |
/// | a lock holds up neither reads nor commits | both, by the other instance |
/// | a cancelled waiter throws CancellationError and holds nothing | cancelled while it waits, and before |
///
/// With the system's context this takes a few tenths of a second of real time.
public struct CrossProcessStoreContract<Store: CrossProcessStore>: Sendable {
    private let context: PluginContext
    private let rounds: Int
    private let make: @Sendable (PluginContext) async throws -> (Store, Store)
    private let clauses: Clauses
    private let key = StoreKey(.credential, "alice")

    /// Creates a contract over the pairs that `make` creates: two instances over one new, empty place.
    ///
    /// - Parameters:
    ///   - context: Time, randomness and files. Default: the system.
    ///   - rounds: The fewest increments of each instance.
    ///   - timeLimit: How long a clause may take, in real time. A clause that takes longer is broken
    ///     and left behind.
    ///   - make: Creates what is tested. It is called once for each clause.
    public init(
        context: PluginContext = .system, rounds: Int = 20, timeLimit: Duration = ClauseLimit.standard,
        _ make: @escaping @Sendable (PluginContext) async throws -> (Store, Store)
    ) {
        self.context = context
        self.rounds = rounds
        self.make = make
        clauses = Clauses(contract: "CrossProcessStoreContract", limit: timeLimit)
    }

    /// Checks every clause, each with a new place.
    public func run() async throws {
        try await check("what one instance commits the other sees", seen)
        try await check("a record that is replaced is never absent", over: context.onSlowDisk()) {
            try await StoreReplacing.run(writing: $0, reading: $1)
        }
        try await check("a version of one instance is good at the other, and a stale one conflicts", versions)
        try await check("no increment of two instances is lost") { first, second in
            try await StoreCounting.run([first, second], tasks: 2, fewest: rounds, by: context.clock)
        }
        try await check("a lock excludes everyone else, busy at the deadline", exclusive)
        try await check("a lock that is let go goes to the one who waits", handedOver)
        try await check("letting go twice frees nobody else's lock", releasedTwice)
        try await check("locks of other keys are free", otherLocks)
        try await check("a lock holds up neither reads nor commits", besides)
        try await check("a cancelled waiter throws CancellationError and holds nothing", cancelled)
    }

    private func check(
        _ clause: String, over other: PluginContext? = nil,
        _ body: @escaping @Sendable (Store, Store) async throws -> Void
    ) async throws {
        try await clauses.clause(clause) {
            let (first, second) = try await clauses.given("what makes two stores") {
                try await make(other ?? context)
            }
            try await body(first, second)
        }
    }

    private func expectBusy(_ store: Store, deadline: Duration = .zero) async throws {
        try await expectError("busy", where: { $0 == .busy }) {
            await (try store.lock(key, deadline: deadline)).release()
        }
    }
}

extension CrossProcessStoreContract {
    private func seen(_ first: Store, _ second: Store) async throws {
        let version = try await first.replace(key, at: nil, with: StoreSamples.bytes)
        let found = try await second.read(key)
        try expect(found?.bytes == StoreSamples.bytes && found?.version == version, "the other reads otherwise")
        // An instance that remembers what it has read does not see the next change.
        try expect(try await first.read(key)?.version == version, "it reads its own otherwise")
        try expect(try await second.keys(.credential) == [key], "the other lists otherwise")
        try await second.replace(key, at: version, with: nil)
        try expect(try await first.read(key) == nil, "what the other deleted is there")
    }

    private func versions(_ first: Store, _ second: Store) async throws {
        let one = try await first.replace(key, at: nil, with: [1])
        let two = try await second.replace(key, at: one, with: [2])
        try await expectConflict { try await first.replace(key, at: one, with: [3]) }
        try await expectConflict { try await second.replace(key, at: nil, with: [3]) }
        try await first.replace(key, at: two, with: nil)
        let three = try await second.replace(key, at: nil, with: [1])
        try expect(Set([one, two, three]).count == 3, "a version came twice")
    }

    private func exclusive(_ first: Store, _ second: Store) async throws {
        let hold = try await first.lock(key, deadline: .zero)
        for store in [first, second] {
            try await expectBusy(store)
            try await expectBusy(store, deadline: .milliseconds(20))
        }
        await hold.release()
    }

    private func handedOver(_ first: Store, _ second: Store) async throws {
        let hold = try await first.lock(key, deadline: .zero)
        async let next: Void = second.lock(key, deadline: .seconds(30)).release()
        async let third: Void = first.lock(key, deadline: .seconds(30)).release()
        await Task.yield()
        await hold.release()
        _ = try await (next, third)
    }

    private func releasedTwice(_ first: Store, _ second: Store) async throws {
        let hold = try await first.lock(key, deadline: .zero)
        await hold.release()
        let next = try await second.lock(key, deadline: .seconds(5))
        await hold.release()
        try await expectBusy(first)
        await next.release()
    }

    private func otherLocks(_ first: Store, _ second: Store) async throws {
        let hold = try await first.lock(key, deadline: .zero)
        for other in [StoreKey(.credential, "bob"), StoreKey(.settings, "alice")] {
            await (try second.lock(other, deadline: .zero)).release()
        }
        await hold.release()
    }

    private func besides(_ first: Store, _ second: Store) async throws {
        let hold = try await first.lock(key, deadline: .zero)
        let version = try await second.replace(key, at: nil, with: [1])
        try expect(try await second.read(key)?.version == version, "the other reads otherwise")
        try await first.replace(key, at: version, with: [2])
        await hold.release()
    }

    private func cancelled(_ first: Store, _ second: Store) async throws {
        let hold = try await first.lock(key, deadline: .zero)
        for store in [first, second] {
            let waiter = Task { try await store.lock(key, deadline: .seconds(30)) }
            await Task.yield()
            waiter.cancel()
            do {
                await (try waiter.value).release()
                throw Broken("it was given a lock that another holds")
            } catch is CancellationError {}
        }
        await hold.release()
        await (try second.lock(key, deadline: .seconds(5))).release()
        await (try first.lock(key, deadline: .seconds(5))).release()
    }
}
