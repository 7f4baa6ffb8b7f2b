import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite("Watch: what other processes do is seen without asking")
struct WatchTests {
    /// Two processes over one store that tells; the second has read it once.
    private struct Two {
        let bench = Bench()
        let store: MemoryStore
        let acting: AuthClient
        let watching: AuthClient
        let account: AccountID

        init(
            signedIn: Bool = true,
            _ change: (AuthClient.Builder, Bench) -> AuthClient.Builder = { builder, _ in builder }
        ) async throws {
            let bench = bench
            let store = bench.store.inner
            self.store = store
            acting = try bench.process(seed: 7) { $0.store(store) }
            if signedIn { _ = try await acting.signIn(with: "scripted", .anonymous) }
            watching = try bench.process(seed: 9) { change($0.store(store), bench) }
            if !watching.isLocked { _ = try await watching.accounts() }
            account = AccountID(subject: "alice", of: bench.service.rules.binding)
        }

        /// Events of the watching process up to `last`, the clock running.
        func events(
            until last: AuthEvent, _ work: @escaping @Sendable () async throws -> Void
        ) async throws -> [AuthEvent] {
            let stream = watching.events
            return try await bench.run {
                try await work()
                var heard: [AuthEvent] = []
                for await event in stream {
                    heard.append(event)
                    if event == last { break }
                }
                return heard
            }
        }
    }

    @Test(
        "another process's sign-out takes the token away, and is told as one from elsewhere, once",
        .complaint(.clerk, 19))
    func signOut() async throws {
        let two = try await Two()
        #expect(two.watching.currentToken() != nil)
        let heard = try await two.events(until: .currentChanged(nil)) { [acting = two.acting] in
            try await acting.signOut()
        }
        #expect(heard == [.signedOut(two.account, by: .elsewhere), .currentChanged(nil)])
        #expect(two.watching.currentToken() == nil)
        #expect(await code { try await two.watching.accessToken() } == .signInRequired(.signedOut))
    }

    @Test("a session that another process finds ended is not called offline here, though it was", .law(19))
    func endedAfterOutage() async throws {
        let two = try await Two()
        two.bench.clock.advance(by: .seconds(3_601))
        two.bench.service.script(
            refreshes: .failed(TransportError(.unreachable, wasSent: false)),
            .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await two.watching.refresh() } == .offline(.unreachable))
        #expect(await code { try await two.acting.refresh() } == .signInRequired(.refused))
        try await two.bench.run { [watching = two.watching, bench = two.bench] in
            try await bench.until { try await watching.accounts().map(\.state) == [.signInRequired(.refused)] }
        }
    }

    @Test(
        "another process's sign-in is shown as one, with its token and as the current account", .complaint(.clerk, 18))
    func signIn() async throws {
        let two = try await Two(signedIn: false)
        let account = two.account
        let heard = try await two.events(until: .currentChanged(account)) { [acting = two.acting] in
            _ = try await acting.signIn(with: "scripted", .anonymous)
        }
        #expect(heard == [.stateChanged(account, .fresh), .signedIn(account), .currentChanged(account)])
        #expect(two.watching.currentToken()?.value.revealText() == "access-1")
    }

    @Test("another process's refresh brings its token here, without a request")
    func refresh() async throws {
        let two = try await Two()
        let heard = try await two.events(until: .refreshed(two.account, .standard)) { [acting = two.acting] in
            try await acting.refresh()
        }
        #expect(heard == [.refreshed(two.account, .standard)])
        #expect(two.watching.currentToken()?.value.revealText() == "access-2")
        #expect(two.bench.service.refreshCount == 1)
    }

    @Test("a sign-in over the account elsewhere is told as a sign-in, and the old token is gone")
    func over() async throws {
        let two = try await Two()
        let account = two.account
        let heard = try await two.events(until: .signedIn(account)) { [acting = two.acting] in
            _ = try await acting.signIn(with: "scripted", .anonymous)
        }
        #expect(heard == [.refreshed(account, .standard), .signedIn(account)])
        #expect(two.watching.currentToken()?.value.revealText() == "access-2")
    }

    @Test("a session that the service ended elsewhere asks for a sign-in here, with the reason")
    func refused() async throws {
        let two = try await Two()
        two.bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        let state = AuthEvent.stateChanged(two.account, .signInRequired(.refused))
        let heard = try await two.events(until: state) { [acting = two.acting] in
            _ = await code { try await acting.refresh() }
        }
        #expect(heard == [.authenticationRequired(two.account, .refused), state])
        #expect(two.watching.currentToken() == nil)
    }

    @Test(
        "own sign-in, refresh, switch and sign-out are told once each, though the store tells of them too",
        .complaint(.supabase, 6), .complaint(.clerk, 18))
    func ownChanges() async throws {
        let two = try await Two(signedIn: false)
        let account = two.account
        let heard = try await two.events(until: .currentChanged(nil)) { [watching = two.watching] in
            _ = try await watching.signIn(with: "scripted", .anonymous)
            try await watching.refresh()
            try await watching.signOut()
        }
        #expect(
            heard == [
                .stateChanged(account, .fresh), .currentChanged(account), .signedIn(account),
                .refreshed(account, .standard), .signedOut(account, by: .app), .currentChanged(nil),
            ])
        // What the store told meanwhile has been looked at when a change of another process is.
        let later = try await two.events(until: .currentChanged(account)) { [acting = two.acting] in
            _ = try await acting.signIn(with: "scripted", .anonymous)
        }
        #expect(later == [.stateChanged(account, .fresh), .signedIn(account), .currentChanged(account)])
    }

    @Test("who is there is told before who of them is the current one, though the store tells of that first")
    func currentFirst() async throws {
        let bench = Bench()
        let store = SparingStore()
        let acting = try bench.process { $0.store(store.inner) }
        let watching = try bench.process(seed: 9) { $0.store(store) }
        _ = try await watching.accounts()
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        let stream = watching.events
        func heard(until last: AuthEvent) async throws -> [AuthEvent] {
            store.feed.tell(CurrentAccount.key)
            return try await bench.run {
                var heard: [AuthEvent] = []
                for await event in stream {
                    heard.append(event)
                    if event == last { break }
                }
                return heard
            }
        }
        _ = try await acting.signIn(with: "scripted", .anonymous)
        #expect(
            try await heard(until: .currentChanged(account)) == [
                .stateChanged(account, .fresh), .signedIn(account), .currentChanged(account),
            ])
        try await acting.signOut()
        #expect(
            try await heard(until: .currentChanged(nil)) == [
                .signedOut(account, by: .elsewhere), .currentChanged(nil),
            ])
    }

    @Test("while locked nothing is shown; unlocking shows what happened meanwhile")
    func locked() async throws {
        let two = try await Two {
            $0.unlock(
                ScriptedUnlock(clock: $1.clock), reason: "Show", policy: UnlockPolicy(atLaunch: false, shields: false))
        }
        await two.watching.lock()
        let stream = two.watching.events
        try await two.acting.signOut()
        // The watch has heard of it when it keeps it.
        try await two.bench.run { [missed = two.watching.engine.accounts.missed] in
            while missed.isEmpty { await Task.yield() }
        }
        #expect(two.watching.engine.table.entries.count == 1)
        try await two.watching.unlock()
        #expect(two.watching.engine.table.entries.isEmpty)
        var reader = stream.makeAsyncIterator()
        #expect(await reader.next() == .unlocked)
        #expect(await reader.next() == .signedOut(two.account, by: .elsewhere))
    }

    @Test("one change reads one record, whatever the number of accounts")
    func oneRecord() async throws {
        let bench = Bench()
        let counted = CountingStore()
        // Of a process that looks at nothing, so that no look at a sign-in comes late and is counted.
        var settings = EngineSettings()
        (settings.followsStore, settings.refresh) = (false, .onDemand)
        let filling = try bench.process(seed: 8) { [settings] in $0.store(counted).settings(settings) }
        let context = ProviderContext(world: bench.world, transport: ScriptedTransport(), cache: KeepingCache())
        for number in 1...50 {
            bench.service.script(turns: .turn(.signedIn(bench.service.grant(subject: "p\(number)", in: context))))
            _ = try await filling.signIn(with: "scripted", .anonymous)
        }
        let acting = try bench.process { $0.store(counted) }
        let watching = try bench.process(seed: 9) { $0.store(counted) }
        for auth in [filling, acting, watching] { _ = try await auth.accounts() }
        let stream = watching.events
        let account = AccountID(subject: "p7", of: bench.service.rules.binding)
        let reads = counted.total
        try await acting.refresh(of: account)
        let own = counted.total - reads
        try await bench.run {
            for await event in stream where event == .refreshed(account, .standard) { break }
        }
        // The acting process reads its record for the refresh; each of the two looks at each of the two commits.
        #expect(counted.total - reads - own <= 4)
        #expect(counted.lists == 3)
    }

    @Test("a storm of changes costs a trickle of readings, and its last state is shown")
    func storm() async throws {
        let bench = Bench()
        let counted = CountingStore()
        let acting = try bench.process { $0.store(counted) }
        _ = try await acting.signIn(with: "scripted", .anonymous)
        let watching = try bench.process(seed: 9) { $0.store(counted) }
        _ = try await watching.accounts()
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        let key = StoreKey(.credential, account.value)
        let reads = counted.total
        for _ in 0..<1_000 {
            let found = try #require(try counted.inner.read(key))
            try counted.inner.replace(key, at: found.version, with: found.bytes)
        }
        try await acting.refresh()
        try await bench.run { try await bench.until { watching.currentToken()?.value.revealText() == "access-2" } }
        #expect(counted.total - reads < 100)
    }

    @Test("a client that is let go listens no longer, and nothing of it is left", .complaint(.supabase, 12))
    func lifetime() async throws {
        let bench = Bench()
        let store = EndingStore()
        var auth: AuthClient? = try bench.process { $0.store(store) }
        _ = try await auth?.accounts()
        weak let engine = auth?.engine
        #expect(store.readers.count == 1)
        auth = nil
        for _ in 0..<3_000_000 where store.readers.count > 0 || engine != nil { await Task.yield() }
        #expect(store.readers.count == 0)
        #expect(engine == nil)
    }

    @Test("a client that is told not to follow hears nothing")
    func notFollowing() async throws {
        var settings = EngineSettings()
        settings.followsStore = false
        let (store, chosen) = (EndingStore(), settings)
        let auth = try Bench().process { $0.store(store).settings(chosen) }
        _ = try await auth.accounts()
        #expect(store.readers.count == 0)
    }
}

/// Counts what is read of a store that tells.
private final class CountingStore: CrossProcessStore, WatchableStore {
    let inner = MemoryStore()
    private let counts = Locked((reads: 0, lists: 0))

    var total: Int { counts.withLock { $0.reads } }
    var lists: Int { counts.withLock { $0.lists } }

    func read(_ key: StoreKey) throws -> StoredRecord? {
        if key.kind == .credential { counts.withLock { $0.reads += 1 } }
        return try inner.read(key)
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) -> [StoreKey] {
        if kind == .credential { counts.withLock { $0.lists += 1 } }
        return inner.keys(kind)
    }

    func changes() -> AsyncStream<StoreKey> { inner.changes() }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await inner.lock(key, deadline: deadline)
    }
}

/// Knows how many listen to it.
private final class EndingStore: WatchableStore {
    final class Readers: Sendable {
        private let number = Locked(0)
        var count: Int { number.withLock { $0 } }
        func add(_ difference: Int) { number.withLock { $0 += difference } }
    }

    let readers = Readers()
    private let feed = ChangeFeed()

    func read(_ key: StoreKey) -> StoredRecord? { nil }
    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) -> RecordVersion? { nil }
    func keys(_ kind: StoreKey.Kind) -> [StoreKey] { [] }

    func changes() -> AsyncStream<StoreKey> {
        readers.add(1)
        return feed.listen { [readers] in readers.add(-1) }
    }
}

/// Tells what it is told to tell.
private final class SparingStore: WatchableStore {
    let inner = MemoryStore()
    let feed = ChangeFeed()

    func read(_ key: StoreKey) throws -> StoredRecord? { try inner.read(key) }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) -> [StoreKey] { inner.keys(kind) }
    func changes() -> AsyncStream<StoreKey> { feed.listen {} }
}
