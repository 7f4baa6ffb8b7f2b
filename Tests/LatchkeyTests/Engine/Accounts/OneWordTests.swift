import FoundationEssentials
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// The state of an account, the last event about it and a call for its token say the same.
@Suite("One word") struct OneWordTests {
    private let bench = Bench()
    private let notes = EventNotes()
    private var alice: AccountID { AccountID(subject: "alice", of: bench.service.rules.binding) }

    /// What may become of a refresh.
    enum Fate: String, CaseIterable, Sendable {
        case outage, trouble, rest, refused, refusedWithoutReason, factorRequired, answered

        var step: ScriptedProvider.RefreshStep {
            switch self {
            case .outage: .failed(TransportError(.unreachable, wasSent: false))
            case .trouble: .failed(AuthError(.serviceTrouble, "broken"))
            case .rest: .failed(AuthError(.rateLimited, "later", retryAfter: .seconds(5)))
            case .refused: .refused(Refusal(.definite, code: "invalid_grant"))
            case .refusedWithoutReason: .refused(Refusal(.unexplained, code: ""))
            case .factorRequired: .failed(NotSent(AuthError(.signInRequired(.factorRequired), "more is wanted")))
            case .answered: .rotated
            }
        }
    }

    /// A state, without how long the token lasts.
    private func word(_ state: AccountState?) -> String {
        switch state {
        case .fresh?, .stale?: "signed in"
        case .offline?: "offline"
        case .signInRequired(let reason)?: "sign-in required: \(reason)"
        case nil, .signedOut?: "signed out"
        default: "\(String(describing: state))"
        }
    }

    private func isSame(_ call: Result<AccessToken, AuthError>, _ state: AccountState?) -> Bool {
        switch (call, state) {
        case (.success, .fresh?), (.success, .stale?), (.success, .offline?): return true
        case (.failure(let error), let state):
            switch (error.code, state) {
            case (.offline, .offline?), (.serviceTrouble, .offline?), (.rateLimited, .offline?): return true
            case (.signInRequired(.signedOut), nil): return true
            case (.signInRequired(let reason), .signInRequired(let told)?): return reason == told
            default: return false
            }
        default: return false
        }
    }

    private func check(_ auth: AuthClient, _ line: Comment) async throws {
        for _ in 0..<2 {
            let call: Result<AccessToken, AuthError>
            do throws(AuthError) { call = .success(try await auth.accessToken()) } catch { call = .failure(error) }
            let state = try await auth.accounts().first?.state
            #expect(isSame(call, state), line)
            #expect(word(notes.states.last) == word(state), line)
        }
    }

    @Test(
        "whatever becomes of two refreshes, one after the other, at every age of the token", .law(23),
        arguments: Fate.allCases, [0, 3_400, 3_700])
    func refreshes(_ first: Fate, _ age: Int) async throws {
        for second in Fate.allCases {
            let table = OneWordTests()
            let auth = try table.bench.process { $0.observer(table.notes) }
            _ = try await auth.signIn(with: "scripted", .anonymous)
            table.bench.clock.advance(by: .seconds(age))
            for fate in [first, second] {
                table.bench.service.script(refreshes: fate.step, .failed(TransportError(.unreachable, wasSent: false)))
                _ = try? await auth.refresh(ignoresPause: true)
                try await table.check(auth, "\(first), \(second) at \(age) s, after \(fate)")
                table.bench.clock.advance(by: .seconds(10))
            }
        }
    }

    @Test(
        "the end of the last token is told when it comes, after a refusal without a reason, in a later process, too",
        .law(23))
    func refused() async throws {
        let auth = try bench.process { $0.observer(notes) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: Fate.refusedWithoutReason.step)
        _ = try await auth.accessToken()
        #expect(notes.events.contains(.authenticationRequired(alice, .refusedWithoutReason)))
        #expect(word(notes.states.last) == "signed in")
        let later = EventNotes()
        let next = try bench.process(seed: 9) { $0.observer(later) }
        try await next.restore()
        #expect(word(later.states.last) == "signed in")
        // It never asks for an account.
        let latest = EventNotes()
        let third = try bench.process(seed: 10) { $0.observer(latest) }
        try await third.settleRevocations()
        #expect(word(latest.states.last) == "signed in")
        try await bench.run { [bench, notes] in
            try await bench.until {
                [notes, later, latest].allSatisfy { $0.states.last == .signInRequired(.refusedWithoutReason) }
            }
        }
        for client in [auth, next, third] {
            #expect(try await client.accounts().map(\.state) == [.signInRequired(.refusedWithoutReason)])
            #expect(client.currentToken() == nil)
        }
        #expect(bench.service.refreshCount == 1)
    }

    @Test(
        "a session that nothing can refresh is told to be over when its token ends, and once", .law(23),
        arguments: [true, false])
    func endsWithToken(_ isLimited: Bool) async throws {
        let lifetime = Lifetime(
            receivedAt: bench.clock.now(), boot: bench.clock.boot, wall: bench.clock.wall(), lasts: .seconds(600))
        var session = AuthSession(
            id: AuthSession.ID("s"), account: alice, label: "alice",
            tokens: [.standard: AccessToken(Secret("only"), lifetime: lifetime)])
        if isLimited {
            session.limits = SessionLimits(
                absolute: Lifetime(
                    receivedAt: bench.clock.now(), boot: bench.clock.boot, wall: bench.clock.wall(),
                    lasts: .seconds(900)))
        }
        bench.service.script(turns: .turn(.signedIn(Grant(refreshToken: isLimited ? Secret("r") : nil, session))))
        let auth = try bench.process { $0.observer(notes) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let begun = bench.clock.now()
        try await bench.run { [bench, notes] in
            try await bench.until { notes.states.last == .signInRequired(.expired) }
        }
        #expect(bench.clock.now() - begun == .seconds(isLimited ? 900 : 600))
        #expect(try await auth.accounts().map(\.state) == [.signInRequired(.expired)])
        #expect(notes.states.count { $0 == .signInRequired(.expired) } == 1)
    }

    @Test("no end is told for a token that was replaced, or while the client is locked", .law(23))
    func notOver() async throws {
        let auth = try bench.process { builder in
            builder.observer(notes).unlock(
                ScriptedUnlock(clock: bench.clock), reason: "test", policy: UnlockPolicy(atLaunch: false))
        }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: Fate.refusedWithoutReason.step)
        _ = try await auth.accessToken()
        bench.clock.advance(by: .seconds(1))
        _ = try await bench.run { try await auth.refresh() }
        let told = notes.states.count
        await auth.lock()
        bench.clock.advance(by: .seconds(10_000))
        await bench.settle()
        #expect(notes.states.count == told && notes.states.last == .fresh)
    }

    @Test(
        "a refusal that is in no record is still said once the store is read again", .law(23), arguments: Fate.allCases)
    func readAgain(_ fate: Fate) async throws {
        for isShared in [false, true] {
            let bench = Bench(rules: isShared ? .scripted(refresh: .mints, sharesCredential: true) : .scripted())
            let notes = EventNotes()
            let auth = try bench.process { $0.observer(notes) }
            _ = try await auth.signIn(with: "scripted", .anonymous)
            bench.clock.advance(by: .seconds(3_700))
            bench.service.script(refreshes: fate.step, fate.step)
            // Shared by several people, a refusal is in no record; else, it is in none that the store does not take.
            let full = AuthError(.store(.unavailable), "full")
            if !isShared, fate == .refused { bench.store.script(replaces: .none, .refused(full), .refused(full)) }
            _ = try? await auth.accessToken()
            try await auth.restore()
            let call: Result<AccessToken, AuthError>
            do throws(AuthError) { call = .success(try await auth.accessToken()) } catch { call = .failure(error) }
            let state = try await auth.accounts().first?.state
            #expect(isSame(call, state), "\(fate), \(call), \(String(describing: state))")
            #expect(word(notes.states.last) == word(state), "\(fate)")
        }
    }

    @Test(
        "after a refusal without a reason, a pause that another process was told changes neither state nor call",
        .law(23))
    func pauseAfterRefusal() async throws {
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_700))
        let rest = AuthError(.rateLimited, "later", retryAfter: .seconds(300))
        bench.service.script(refreshes: Fate.refusedWithoutReason.step, .failed(rest))
        _ = try? await auth.accessToken()
        bench.clock.advance(by: .seconds(1))
        // It waits until the request before can no longer arrive.
        _ = try? await bench.run { try await auth.refresh(ignoresPause: true) }
        #expect(bench.service.refreshCount == 2)
        let next = try bench.process(seed: 9) { $0.observer(notes) }
        let error = try await bench.run { await code { try await next.accessToken() } }
        #expect(error == .signInRequired(.refusedWithoutReason))
        #expect(try await next.accounts().map(\.state) == [.signInRequired(.refusedWithoutReason)])
        #expect(notes.states.last == .signInRequired(.refusedWithoutReason))
    }

    @Test("the end of a session that another process was told outweighs what this one's last request met", .law(23))
    func endedElsewhere() async throws {
        for fate in [Fate.outage, .trouble, .rest, .refusedWithoutReason] {
            let bench = Bench()
            let auth = try await bench.signedIn()
            let other = try bench.process(seed: 9)
            try await other.restore()
            bench.clock.advance(by: .seconds(3_700))
            bench.service.script(refreshes: fate.step, .refused(Refusal(.definite, code: "invalid_grant")))
            _ = try? await auth.accessToken()
            bench.clock.advance(by: .seconds(1))
            _ = try? await bench.run { try await other.refresh(ignoresPause: true) }
            #expect(bench.service.refreshCount == 2, "\(fate)")
            try await auth.restore()
            let state = try await auth.accounts().first?.state
            let call = await code { try await auth.accessToken() }
            guard case .signInRequired(let reason)? = state, reason != .refusedWithoutReason else {
                Issue.record("\(fate): \(String(describing: state))")
                continue
            }
            #expect(call == .signInRequired(reason), "\(fate)")
        }
    }

    @Test("a call whose request fails while the person signs out elsewhere says that they signed out", .law(23))
    func signedOutDuringFailure() async throws {
        let auth = try bench.process { $0.observer(notes) }
        let other = try bench.process(seed: 9)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await other.restore()
        bench.clock.advance(by: .seconds(3_700))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        // Between the note of the failure and what the caller is told of it.
        bench.store.script(
            replaces: .none,
            .before {
                _ = try await other.signOut()
                try await auth.restore()
            })
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(bench.service.refreshCount == 1)
        #expect(try await auth.accounts().isEmpty)
    }

    @Test("a token that a resource refused is told as stale, and no refresh is told", .law(23))
    func discarded() async throws {
        let auth = try bench.process { $0.observer(notes) }
        let other = try bench.process(seed: 9)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let token = try await auth.accessToken()
        try await other.restore()
        let before = notes.events.count
        #expect(try await auth.discard(token.value))
        #expect(Array(notes.events.dropFirst(before)) == [.stateChanged(alice, .stale)])
        #expect(try await auth.accounts().map(\.state) == [.stale])
        #expect(try await other.restore().map(\.state) == [.stale])
    }

    @Test("a token that came refused is not warned of", .law(20))
    func refusedWarning() async throws {
        let other = try await bench.signedIn(seed: 9)
        #expect(try await other.discard(try await other.accessToken().value))
        bench.service.script(refreshes: Fate.outage.step)
        var settings = Bench.settings
        settings.refresh = .ahead
        let auth = try bench.process { [notes] in $0.settings(settings).observer(notes) }
        try await auth.restore()
        try await bench.run { [self] in try await bench.until { notes.states.contains { word($0) == "offline" } } }
        await bench.settle()
        #expect(notes.warnings == 0)
    }

    @Test("a sign-out elsewhere during a sign-in is the last event, and no sign-in is told after it", .law(23))
    func signedOutMeanwhile() async throws {
        let other = try bench.process(seed: 9)
        let client = Locked<AuthClient?>(nil)
        let store = SteppedStore(inner: bench.store) { [alice] in
            _ = try await other.signOut(of: alice)
            try await client.withLock { $0 }?.restore()
        }
        let auth = try bench.process { $0.observer(notes).store(store) }
        client.withLock { $0 = auth }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let told = notes.events.filter { event in
            switch event {
            case .signedIn, .signedOut: true
            default: false
            }
        }
        #expect(told == [.signedOut(alice, by: .elsewhere)])
        #expect(try await auth.accounts().isEmpty)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
    }

    @Test(
        "a call that waits for the refresh of a login that is signed out returns the token of the next login", .law(23))
    func signedInMeanwhile() async throws {
        let auth = try bench.process { $0.observer(notes) }
        let other = try bench.process(seed: 9)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await other.restore()
        bench.clock.advance(by: .seconds(3_700))
        let held = try await bench.service.hold { try await auth.accessToken() }
        _ = try await other.signOut()
        try await auth.restore()
        _ = try await other.signIn(with: "scripted", .anonymous)
        try await auth.restore()
        #expect(try await auth.accounts().map(\.state) == [.fresh])
        held.answer()
        let current = try await other.accessToken()
        #expect(try await held.value == current)
        #expect(word(notes.states.last) == "signed in")
    }
}

/// Runs something once, before the choice of the current account is stored.
private struct SteppedStore: SessionStore {
    let inner: FaultyStore<MemoryStore>
    let step: Locked<(@Sendable () async throws -> Void)?>

    init(inner: FaultyStore<MemoryStore>, _ step: @escaping @Sendable () async throws -> Void) {
        self.inner = inner
        self.step = Locked(step)
    }

    func read(_ key: StoreKey) async throws -> StoredRecord? { try await inner.read(key) }

    func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
        if key == CurrentAccount.key,
            let step = step.withLock({ step in
                defer { step = nil }
                return step
            })
        {
            try await step()
        }
        return try await inner.replace(key, at: version, with: bytes)
    }

    func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { try await inner.keys(kind) }
}
