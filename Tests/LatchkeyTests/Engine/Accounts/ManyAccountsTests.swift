import FoundationEssentials
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite("Very many accounts in one process", .timeLimit(.minutes(2)))
struct ManyAccountsTests {
    @Test("ten thousand are restored, listed and read, and leave no lane behind")
    func restored() async throws {
        let crowd = try Crowd(of: 10_000)
        let auth = try crowd.client()
        let accounts = try await auth.restore()
        #expect(accounts.count == 10_000)
        #expect(accounts.allSatisfy { $0.state == .fresh })
        #expect(auth.engine.lanes.count == 0)
        for index in [0, 1, 4_999, 9_999] {
            #expect(auth.currentToken(of: crowd.account(index))?.value == Secret("access of \(index)"))
        }
        #expect(try await auth.accounts().count == 10_000)
        #expect(crowd.service.refreshCount == 0)
    }

    @Test("a request that did not leave keeps its lane no longer than until the next one has left")
    func unsent() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        #expect(auth.engine.lanes.count == 1)
        #expect(try await auth.refresh().value.revealText() == "access-2")
        try await bench.until { auth.engine.lanes.count == 0 }
    }

    @Test("one task sleeps for all of them", .need("N8"))
    func oneSleeper() async throws {
        let crowd = try Crowd(of: 2_000)
        let auth = try crowd.client()
        try await auth.restore()
        try await crowd.clock.waitForSleepers(1)
        #expect(crowd.clock.sleepers == 1)
    }

    @Test(
        "accounts restored together do not refresh together",
        arguments: [Duration.zero, .seconds(3_400), .seconds(9_000)])
    func spread(age: Duration) async throws {
        let crowd = try Crowd(of: 4_000)
        crowd.clock.advance(by: age)
        let auth = try crowd.client()
        try await auth.restore()
        // A tenth of the five minutes of leeway, from when the token gets stale, or from now where it is stale.
        let begin = max(crowd.stale, crowd.clock.now())
        var tenths = [Int](repeating: 0, count: 10)
        for entry in auth.engine.table.entries {
            let after = try #require(entry.refreshAt) - begin
            try #require(after >= .zero && after < .seconds(30))
            tenths[Int(after.inSeconds / 3)] += 1
        }
        #expect(tenths.allSatisfy { (300...500).contains($0) }, "\(tenths)")
    }

    @Test("reading the store again does not put a refresh off")
    func keepsItsTurn() async throws {
        let crowd = try Crowd(of: 20)
        crowd.clock.advance(by: .seconds(9_000))
        let auth = try crowd.client(.onDemand) { $0.refresh = .ahead }
        try await auth.restore()
        func turns() -> [AccountID: MonotonicInstant] {
            Dictionary(
                uniqueKeysWithValues: auth.engine.table.entries.map {
                    ($0.account, $0.refreshAt ?? .init(nanoseconds: 0))
                })
        }
        let first = turns()
        crowd.clock.advance(by: .milliseconds(1))
        try await auth.restore()
        #expect(turns() == first)
    }

    @Test("64 refresh ahead at once and no more, and who waits for a token is not held up by them")
    func bound() async throws {
        let count = 300
        let crowd = try Crowd(of: count)
        let hold = Latch()
        for _ in 0..<(count + 1) { crowd.service.script(refreshes: .held(hold, then: .rotated)) }
        let auth = try crowd.client()
        try await auth.restore()
        try await crowd.clock.waitForSleepers(1)
        crowd.clock.advance(by: .seconds(3_400))
        try await crowd.service.waitForRefreshes(RefreshQueue.limit)
        // Whoever is under way is not asked: their turn has come already.
        let waiting = Set((0..<count).map { crowd.account($0) }).subtracting(crowd.underWay())
        #expect(waiting.count == count - RefreshQueue.limit)
        let account = try #require(waiting.first)
        let caller = Task { try await auth.accessToken(of: account) }
        try await crowd.service.waitForRefreshes(RefreshQueue.limit + 1)
        #expect(crowd.service.mostRefreshesAtOnce == RefreshQueue.limit + 1)
        hold.open()
        #expect(try await caller.value.lifetime?.receivedAt == crowd.clock.now())
        try await crowd.service.waitForRefreshes(count)
        while auth.engine.lanes.count > 0 { await Task.yield() }
        #expect(crowd.service.refreshCount == count)
        #expect(crowd.service.mostRefreshesAtOnce == RefreshQueue.limit + 1)
    }

    @Test("a key has one lane at a time, and none when nobody is in it")
    func oneLane() async throws {
        let crowd = try Crowd(of: 1)
        let engine = try crowd.client().engine
        let key = StoreKey(.credential, crowd.account(0).value)
        let live = Locked<[ObjectIdentifier: Int]>([:])
        let most = Locked(0)
        let lanes = Locked<Set<ObjectIdentifier>>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for round in 0..<500 {
                        await engine.lanes.with(key) { lane in
                            let id = ObjectIdentifier(lane)
                            let now = live.withLock { live in
                                live[id, default: 0] += 1
                                return live.count
                            }
                            most.withLock { $0 = max($0, now) }
                            _ = lanes.withLock { $0.insert(id) }
                            if round.isMultiple(of: 3) { await Task.yield() }
                            live.withLock { live in
                                live[id, default: 0] -= 1
                                if live[id] == 0 { live[id] = nil }
                            }
                        }
                    }
                }
            }
        }
        #expect(most.withLock { $0 } == 1)
        #expect(engine.lanes.count == 0)
    }

    @Test("a lane stays while its refresh is under way, whoever still waits for it")
    func staysForItsRefresh() async throws {
        let crowd = try Crowd(of: 1)
        let auth = try crowd.client(.onDemand)
        crowd.clock.advance(by: .seconds(4_000))
        let held = try await crowd.service.hold { try await auth.accessToken(of: crowd.account(0)) }
        held.cancel()
        await #expect(throws: AuthError.self) { try await held.value }
        #expect(auth.engine.lanes.count == 1)
        let second = Task { try await auth.accessToken(of: crowd.account(0)) }
        held.answer()
        _ = try await second.value
        #expect(crowd.service.refreshCount == 1)
        while auth.engine.lanes.count > 0 { await Task.yield() }
    }

    @Test("a lane stays while it holds what the store has not taken, and knows a sign-out that the store does not")
    func staysForItsDebts() async throws {
        let crowd = try Crowd(of: 1)
        let auth = try crowd.client(.onDemand)
        try await auth.restore()
        crowd.store.failCommits(AuthError(.store(.readOnly), "The disk cannot be written."))
        await #expect(throws: AuthError.self) { try await auth.signOut(of: crowd.account(0)) }
        #expect(auth.engine.lanes.count == 1)
        #expect(try await auth.restore().isEmpty)
        crowd.store.failCommits(nil)
        #expect(try await auth.signOut(of: crowd.account(0)) == .revoked)
        while auth.engine.lanes.count > 0 { await Task.yield() }
        #expect(try await auth.restore().isEmpty)
    }

    @Test("signing all of them out leaves nothing")
    func signedOut() async throws {
        let crowd = try Crowd(of: 500)
        let auth = try crowd.client()
        try await auth.restore()
        for index in 0..<500 { #expect(try await auth.signOut(of: crowd.account(index)) == .revoked) }
        #expect(try await auth.accounts().isEmpty)
        while auth.engine.lanes.count > 0 { await Task.yield() }
        #expect(auth.engine.table.entries.isEmpty)
    }
}

/// A store in which many are signed in, and one service for all of them.
private struct Crowd {
    let clock = ManualClock()
    let service = ScriptedProvider()
    let store: FaultyStore<MemoryStore>
    /// When every token gets stale.
    let stale: MonotonicInstant

    init(of count: Int) throws {
        let memory = MemoryStore(context: .testing(clock: clock))
        store = FaultyStore(memory)
        stale = clock.now() + .seconds(3_300)
        let lifetime = Lifetime(receivedAt: clock.now(), boot: clock.boot, wall: clock.wall(), lasts: .seconds(3_600))
        for index in 0..<count {
            let session = AuthSession(
                id: AuthSession.ID("session \(index)"), account: account(index), label: "subject-\(index)",
                tokens: [.standard: AccessToken(Secret("access of \(index)"), lifetime: lifetime)])
            let credential = Credential(
                id: Credential.ID("credential \(index)"), binding: service.rules.binding,
                refreshToken: Secret("refresh of \(index)"), sessions: [session])
            let record = CredentialRecord(
                writeID: "write \(index)", login: "login \(index)", refreshTokenID: "refresh \(index)",
                credential: credential)
            try memory.replace(StoreKey(.credential, account(index).value), at: nil, with: record.bytes())
        }
    }

    func account(_ index: Int) -> AccountID { AccountID(subject: "subject-\(index)", of: service.rules.binding) }

    func client(
        _ refresh: EngineSettings.RefreshPolicy = .ahead, _ change: (inout EngineSettings) -> Void = { _ in }
    ) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = refresh
        change(&settings)
        return try AuthClient.Builder().provider(service).store(store).transport(ScriptedTransport())
            .context(.testing(clock: clock)).settings(settings).build()
    }

    /// The accounts whose refresh was sent, by their secrets.
    func underWay() -> Set<AccountID> {
        Set(service.sentSecrets.compactMap { $0?.split(separator: " ").last.flatMap { Int($0) } }.map(account))
    }
}
