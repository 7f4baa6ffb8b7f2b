import LatchkeySystem
import LatchkeyTesting
import Proofs
import TaskSettling
import Testing

@testable import Latchkey

@Suite("Accounts that are read when a call names them") struct NamedAccountsTests {
    private let bench = Bench()
    private let store = AskedStore()

    private func client(seed: UInt64) throws -> AuthClient {
        try bench.process(seed: seed) { builder in
            var settings = Bench.settings
            settings.accounts = .whenNamed
            return builder.store(store).settings(settings)
        }
    }

    private func account(_ name: String) -> AccountID { AccountID(subject: name, of: bench.service.rules.binding) }

    private func key(_ name: String) -> StoreKey { StoreKey(.credential, account(name).value) }

    /// A process in which people are signed in, and another that has read nothing yet.
    private func signedIn(_ names: [String]) async throws -> (acting: AuthClient, auth: AuthClient) {
        let acting = try bench.process(seed: 9) { $0.store(store.inner) }
        for name in names {
            bench.service.script(turns: .granted(to: name))
            _ = try await acting.signIn(with: "scripted", .anonymous)
        }
        store.forget()
        return (acting, try client(seed: 7))
    }

    /// Whether `condition` comes to hold, with the pauses between two looks at one record.
    private func comes(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<20 {
            if try await settleTasks(until: condition) { return true }
            bench.clock.advance(by: .milliseconds(100))
        }
        return false
    }

    @Test("the first token of one reads that record and no other, and lists nothing") func oneOfMany() async throws {
        let (_, auth) = try await signedIn((0..<20).map { "person \($0)" })
        #expect(
            try await auth.accessToken(of: account("person 7")).value
                == auth.currentToken(of: account("person 7"))?.value)
        #expect(store.asked.listings == 0 && store.asked.together.isEmpty)
        #expect(store.asked.reads.filter { $0.kind == .credential } == [key("person 7")])
        #expect(try await auth.accounts().map(\.id) == [account("person 7")])
        #expect(auth.currentToken(of: account("person 8")) == nil)
        #expect(try await auth.restore().map(\.id) == [account("person 7")])
    }

    @Test("however many call at once, the record is read once, and a caller that leaves takes nothing from the others")
    func atOnce() async throws {
        let (_, auth) = try await signedIn(["alice"])
        let alice = account("alice")
        _ = try? await auth.accounts()
        store.forget()
        let latch = Latch()
        store.afterReads { key in if key.kind == .credential { try await latch.wait() } }
        let leaving = Task { try await auth.accessToken(of: alice) }
        let callers = (0..<20).map { _ in Task { try await auth.accessToken(of: alice) } }
        #expect(await settleTasks { store.asked.reads.count == 1 })
        leaving.cancel()
        #expect(await code { try await leaving.value } == .cancelled)
        latch.open()
        for caller in callers { #expect(try await caller.value.value.revealText().hasPrefix("access")) }
        #expect(store.asked.reads.count == 1)
    }

    @Test("what others do to a known account is seen, and what they do to another is not even read", .law(24))
    func followed() async throws {
        let (acting, auth) = try await signedIn(["alice", "bob"])
        _ = try await auth.accessToken(of: account("alice"))
        let told = Told(auth)
        store.forget()
        try await acting.signOut(of: account("bob"))
        #expect(try await !comes { store.asked.reads.contains(key("bob")) })
        #expect(try await auth.accounts().map(\.id) == [account("alice")])
        try await acting.signOut(of: account("alice"))
        #expect(try await comes { auth.currentToken(of: account("alice")) == nil })
        #expect(await code { try await auth.accessToken(of: account("alice")) } == .signInRequired(.signedOut))
        #expect(told.seen.contains { if case .signedOut(account("alice"), _) = $0 { true } else { false } })
        #expect(!told.seen.contains { if case .signedOut(account("bob"), _) = $0 { true } else { false } })
        // Nothing is remembered of somebody who was not signed in.
        bench.service.script(turns: .granted(to: "alice"))
        _ = try await acting.signIn(with: "scripted", .anonymous)
        #expect(try await auth.accessToken(of: account("alice")).value == acting.currentToken()?.value)
    }

    @Test("a sign-out that comes while the record is on its way to its first reader is seen", .law(5), .law(24))
    func meanwhile() async throws {
        let (acting, auth) = try await signedIn(["alice"])
        _ = try await auth.accounts()
        let alice = account("alice")
        let clock = bench.clock
        store.afterNextRead { key in
            guard key.kind == .credential else { return }
            try await acting.signOut(of: alice)
            // All of the store's news reach the client before the record does.
            for _ in 0..<5 {
                await settleTasks()
                clock.advance(by: .milliseconds(100))
            }
        }
        _ = try? await auth.accessToken(of: alice)
        #expect(auth.currentToken(of: alice) == nil)
        #expect(store.asked.reads.count { $0.kind == .credential } > 1)
        #expect(await code { try await auth.accessToken(of: alice) } == .signInRequired(.signedOut))
    }

    @Test("nobody is the current account unless one was chosen, so that a call that names nobody reaches nobody")
    func noneNamed() async throws {
        let auth = try client(seed: 7)
        for name in ["alice", "bob"] {
            bench.service.script(turns: .granted(to: name))
            _ = try await auth.signIn(with: "scripted", .anonymous)
        }
        #expect(auth.currentAccount == nil)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        try await auth.switchAccount(to: account("alice"))
        #expect(try await auth.accessToken().value == auth.currentToken(of: account("alice"))?.value)
        let other = try client(seed: 8)
        #expect(try await other.accessToken().value == auth.currentToken()?.value)
        try await auth.signOut()
        #expect(auth.currentAccount == nil && auth.currentToken(of: account("bob")) != nil)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(await code { try await auth.switchAccount(to: account("nobody")) } == .signInRequired(.signedOut))
    }

    @Test("a record that cannot be read fails the calls that name it, until it can be", arguments: [true, false])
    func unreadable(isDamaged: Bool) async throws {
        let (_, auth) = try await signedIn(["alice", "bob"])
        let failure = AuthError(.store(isDamaged ? .damaged : .unavailable), "as the test says")
        _ = try await auth.accounts()
        store.fail(key("bob"), failure)
        #expect(await code { try await auth.accessToken(of: account("bob")) } == failure.code)
        #expect(
            try await auth.accessToken(of: account("alice")).value == auth.currentToken(of: account("alice"))?.value)
        #expect(await code { try await auth.signOut(of: account("bob")) } == failure.code)
        store.fail(key("bob"), nil)
        #expect(try await auth.accessToken(of: account("bob")).value == auth.currentToken(of: account("bob"))?.value)
        #expect(try await auth.unreadableRecords().isEmpty)
        #expect(try await auth.signOut(of: account("bob")) == .revoked)
    }

    @Test("names that nobody can have leave nothing behind, however many are tried") func noNames() async throws {
        let (_, auth) = try await signedIn(["alice"])
        for number in 0..<100 {
            let name = AccountID(String(repeating: "n", count: 5_000) + "\(number)")
            #expect(await code { try await auth.accessToken(of: name) } == .configuration(.invalid))
            #expect(await code { try await auth.accessToken(of: account("\(number)")) } == .signInRequired(.signedOut))
        }
        #expect(try await auth.unreadableRecords().isEmpty)
        #expect(auth.engine.lanes.count == 0 && auth.engine.table.entries.isEmpty)
    }

    @Test("all accounts of the store are listed by pages, without being read or known") func pages() async throws {
        let names = (0..<10).map { "person \($0)" }
        let (acting, auth) = try await signedIn(names)
        try await acting.signOut(of: account("person 3"))
        store.forget()
        var found: [AccountID] = []
        var cursor: KeyCursor?
        repeat {
            let page = try await auth.storedAccounts(from: cursor, atMost: 3)
            #expect(page.accounts.count <= 3)
            found += page.accounts
            cursor = page.next
        } while cursor != nil
        #expect(Set(found) == Set(names.map(account)) && found.count == 10)
        #expect(store.asked.reads.allSatisfy { $0.kind != .credential })
        #expect(try await auth.accounts().isEmpty)
        #expect(
            await code { try await auth.storedAccounts(from: KeyCursor([1])) } == .configuration(.invalid))
    }

    @Test("what is owed of others is settled without knowing them")
    func owed() async throws {
        let (acting, auth) = try await signedIn(["alice", "bob"])
        bench.service.script(
            revocations: .failed(AuthError(.offline(.unreachable), "no network")),
            .failed(AuthError(.offline(.unreachable), "no network")))
        try await acting.signOut(of: account("alice"))
        await acting.finish()
        #expect(try await auth.owedRevocations() == 1)
        #expect(try await auth.accounts().isEmpty)
        let isSettled = try await comes {
            try await auth.settleRevocations()
            return try await auth.owedRevocations() == 0
        }
        #expect(isSettled)
        #expect(try await auth.accounts().isEmpty)
    }

    @Test("naming an account is no sign-in, and tells of none") func noNews() async throws {
        let (acting, auth) = try await signedIn(["alice"])
        _ = try await auth.accounts()
        let told = Told(auth)
        _ = try await auth.accessToken(of: account("alice"))
        try await acting.signOut(of: account("alice"))
        #expect(try await comes { told.seen.contains { if case .signedOut = $0 { true } else { false } } })
        #expect(!told.seen.contains { if case .signedIn = $0 { true } else { false } })
        // The return of somebody whose sign-out was told is news, whoever finds it.
        bench.service.script(turns: .granted(to: "alice"))
        _ = try await acting.signIn(with: "scripted", .anonymous)
        _ = try await auth.accessToken(of: account("alice"))
        #expect(try await comes { told.seen.contains { if case .signedIn = $0 { true } else { false } } })
    }

    @Test("an unlock is refused where accounts are read by name") func unlock() {
        var settings = Bench.settings
        settings.accounts = .whenNamed
        #expect(throws: AuthError.self) {
            try bench.process { builder in
                builder.settings(settings).unlock(
                    ScriptedUnlock(clock: bench.clock), reason: "r", policy: UnlockPolicy())
            }
        }
    }
}

@Suite("Records that are read together at the first use") struct ReadTogetherTests {
    private let bench = Bench()
    private let store = AskedStore()

    private func client() throws -> AuthClient { try bench.process(seed: 7) { $0.store(store) } }

    private func signedIn(_ count: Int) async throws -> AuthClient {
        let acting = try bench.process(seed: 9) { $0.store(store.inner) }
        for number in 0..<count {
            bench.service.script(turns: .granted(to: "person \(number)"))
            _ = try await acting.signIn(with: "scripted", .anonymous)
        }
        store.forget()
        return acting
    }

    @Test("a hundred records are two questions, and what one of them says is shown") func questions() async throws {
        let acting = try await signedIn(100)
        let auth = try client()
        #expect(try await auth.accounts().count == 100)
        #expect(store.asked.together == [64, 36])
        #expect(store.asked.reads.allSatisfy { $0.kind != .credential })
        #expect(auth.currentToken()?.value == acting.currentToken()?.value)
    }

    @Test("one that cannot be read takes nothing from the others, and its error is told") func damaged() async throws {
        _ = try await signedIn(3)
        let bad = StoreKey(.credential, AccountID(subject: "person 1", of: bench.service.rules.binding).value)
        store.fail(bad, AuthError(.store(.damaged), "as the test says"))
        let auth = try client()
        #expect(try await auth.accounts().count == 2)
        #expect(try await auth.unreadableRecords().map(\.code) == [.store(.damaged)])
        #expect(await code { try await auth.accessToken(of: AccountID(bad.name)) } == .store(.damaged))
    }

    @Test("a store that has gone in between has no accounts to show, and is no empty one") func gone() async throws {
        _ = try await signedIn(3)
        let auth = try client()
        store.failTogether(AuthError(.store(.unavailable), "as the test says"))
        #expect(await code { try await auth.accounts() } == .store(.unavailable))
        store.failTogether(nil)
        #expect(try await auth.accounts().count == 3)
    }

    @Test("what this process reads meanwhile is newer: a login whose end it has seen is not shown", .law(5))
    func late() async throws {
        let acting = try await signedIn(2)
        let late = try client()
        let one = AccountID(subject: "person 1", of: bench.service.rules.binding)
        store.afterNextTogether {
            try await acting.signOut(of: one)
            #expect(try await late.owedRevocations() == 0)
        }
        #expect(try await late.accounts().count == 1)
        #expect(late.currentToken(of: one) == nil)
    }
}

/// The events of a client.
private final class Told: Sendable {
    private let events = Locked<[AuthEvent]>([])

    init(_ auth: AuthClient) {
        let (stream, events) = (auth.events, events)
        Task { for await event in stream { events.withLock { $0.append(event) } } }
    }

    var seen: [AuthEvent] { events.withLock { $0 } }
}

/// Remembers what it is asked, and does something in between.
private final class AskedStore: CrossProcessStore, WatchableStore {
    struct Asked {
        var reads: [StoreKey] = []
        /// How many keys each question for several records had.
        var together: [Int] = []
        var listings = 0
    }

    typealias Work = @Sendable (StoreKey) async throws -> Void

    private struct State {
        var asked = Asked()
        var always: Work?
        var once: Work?
        var onceTogether: (@Sendable () async throws -> Void)?
        var failing: [StoreKey: AuthError] = [:]
        var failingTogether: AuthError?
    }

    let inner = MemoryStore()
    private let state = Locked(State())

    var asked: Asked { state.withLock { $0.asked } }
    func forget() { state.withLock { $0.asked = Asked() } }
    func afterReads(_ work: @escaping Work) { state.withLock { $0.always = work } }
    func afterNextRead(_ work: @escaping Work) { state.withLock { $0.once = work } }
    func afterNextTogether(_ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.onceTogether = work }
    }
    func fail(_ key: StoreKey, _ error: AuthError?) { state.withLock { $0.failing[key] = error } }
    func failTogether(_ error: AuthError?) { state.withLock { $0.failingTogether = error } }

    func read(_ key: StoreKey) async throws -> StoredRecord? {
        let (failure, always) = state.withLock { state in
            state.asked.reads.append(key)
            return (state.failing[key], state.always)
        }
        if let failure { throw failure }
        let found = try inner.read(key)
        let once = state.withLock { state in
            defer { if key.kind == .credential { state.once = nil } }
            return key.kind == .credential ? state.once : nil
        }
        try await once?(key)
        try await always?(key)
        return found
    }

    func records(_ keys: [StoreKey]) async throws -> [StoreKey: Result<StoredRecord, AuthError>] {
        let (failing, failure) = state.withLock { state in
            state.asked.together.append(keys.count)
            return (state.failing, state.failingTogether)
        }
        if let failure { throw failure }
        var records = try await inner.records(keys)
        for (key, error) in failing where records[key] != nil { records[key] = .failure(error) }
        let then = state.withLock { state in
            defer { state.onceTogether = nil }
            return state.onceTogether
        }
        try await then?()
        return records
    }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) throws -> RecordVersion? {
        try inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) -> [StoreKey] {
        state.withLock { $0.asked.listings += 1 }
        return inner.keys(kind)
    }

    func page(
        of kind: StoreKey.Kind, startingWith prefix: String, from cursor: KeyCursor?, atMost count: Int
    ) async throws -> KeyPage {
        try await inner.page(of: kind, startingWith: prefix, from: cursor, atMost: count)
    }

    func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        try await inner.lock(key, deadline: deadline)
    }

    func changes() -> AsyncStream<StoreKey> { inner.changes() }
}
