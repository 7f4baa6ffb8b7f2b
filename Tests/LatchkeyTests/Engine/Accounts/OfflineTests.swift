import FoundationEssentials
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// Being offline is what requests say, from the first that fails to the first that succeeds.
@Suite("Offline") struct OfflineTests {
    private let bench = Bench()
    private let notes = EventNotes()
    private let unreachable = TransportError(.unreachable, wasSent: false)
    private var alice: AccountID { AccountID(subject: "alice", of: bench.service.rules.binding) }

    private func isOffline(_ auth: AuthClient) async throws -> Bool {
        if case .offline = try await auth.accounts().first?.state { true } else { false }
    }

    @Test("being offline is told once, and ends with the first refresh that succeeds", .law(19))
    func succeeds() async throws {
        let auth = try bench.process { $0.observer(notes) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.service.script(refreshes: .failed(unreachable), .failed(unreachable))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        #expect(notes.states.count == 2)
        try await auth.refresh()
        #expect(notes.states.count == 3 && notes.states.last == .fresh)
    }

    @Test(
        "a session that ends after an outage is told as one that needs a sign-in: by its state, the last event and each call",
        .law(19),
        arguments: [
            (Refusal(.definite, code: "invalid_grant"), AuthError.SignInRequiredReason.refused),
            (Refusal(.unexplained, code: ""), .refusedWithoutReason),
        ])
    func endsAfterOutage(_ refusal: Refusal, _ reason: AuthError.SignInRequiredReason) async throws {
        let auth = try bench.process { $0.observer(notes) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.clock.advance(by: .seconds(3_601))
        bench.service.script(refreshes: .failed(unreachable), .refused(refusal))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        #expect(try await isOffline(auth))
        #expect(await code { try await auth.refresh() } == .signInRequired(reason))
        for _ in 0..<2 {
            let account = try await auth.accounts().first
            #expect(account?.state == .signInRequired(reason) && account?.label == "alice")
            #expect(notes.states.last == .signInRequired(reason))
            #expect(await code { try await auth.accessToken() } == .signInRequired(reason))
            // Longer than names may be shown without the service, and shorter than a refusal keeps from asking again.
            bench.clock.advance(by: .seconds(60))
        }
        // The next process says so, too.
        let next = try bench.process(seed: 9)
        #expect(try await next.accounts().map(\.state) == [.signInRequired(reason)])
    }

    @Test("a session that nothing can refresh is over with its token, in state and call alike", .law(19))
    func endsWithToken() async throws {
        let auth = try bench.process()
        let lifetime = Lifetime(
            receivedAt: bench.clock.now(), boot: bench.clock.boot, wall: bench.clock.wall(), lasts: .seconds(600))
        let session = AuthSession(
            id: AuthSession.ID("s"), account: alice, label: "alice",
            tokens: [.standard: AccessToken(Secret("only"), lifetime: lifetime)])
        bench.service.script(turns: .turn(.signedIn(Grant(refreshToken: nil, session))))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let next = try bench.process(seed: 9)
        for process in [auth, next] { #expect(try await process.accounts().map(\.state) == [.fresh]) }
        bench.clock.advance(by: .seconds(601))
        for process in [auth, next, try bench.process(seed: 10)] {
            #expect(try await process.accounts().map(\.state) == [.signInRequired(.expired)])
            #expect(await code { try await process.accessToken() } == .signInRequired(.expired))
            #expect(try await process.accounts().map(\.state) == [.signInRequired(.expired)])
        }
    }

    @Test("a refresh of another process ends it, too", .law(19))
    func elsewhere() async throws {
        let store = bench.store.inner
        let auth = try bench.process { $0.store(store) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.service.script(refreshes: .failed(unreachable))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        #expect(try await isOffline(auth))
        bench.clock.advance(by: .seconds(30))
        try await bench.process(seed: 9) { $0.store(store) }.refresh()
        try await bench.run { for _ in 0..<20_000 where try await isOffline(auth) { await Task.yield() } }
        #expect(try await !isOffline(auth))
        #expect(auth.currentToken()?.value.revealText() == "access-2")
    }

    @Test("who waits for the request of a process that died has asked nobody, and is not offline", .law(19))
    func heldOff() async throws {
        _ = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await bench.process(seed: 8).accessToken() } == .offline(.unreachable))
        bench.clock.setBoot("another", uptime: .seconds(100))
        let auth = try bench.process(seed: 9)
        try await auth.restore()
        // The machine sleeps for longer than anybody waits.
        bench.store.script(afterRead: { [clock = bench.clock] in clock.advance(by: .seconds(100)) })
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        #expect(bench.service.refreshCount == 1)
        #expect(try await !isOffline(auth))
    }

    @Test("a machine that slept before its request left has asked nobody, and is not offline", .law(19))
    func slept() async throws {
        let provider = SleepyProvider(service: bench.service, clock: bench.clock)
        let world = bench.world
        let auth = try AuthClient.Builder().provider(provider).store(bench.store).transport(ScriptedTransport())
            .context(world).settings(Bench.settings).build()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(await code { try await auth.refresh() } == .busy)
        #expect(try await !isOffline(auth))
    }

    @Test("a refresh that was forced and failed brings no other before the time that the service has named", .law(19))
    func named() async throws {
        let auth = try await bench.signedIn()
        bench.service.script(
            refreshes: .failed(NotSent(AuthError(.rateLimited, "too many", retryAfter: .seconds(7_200)))),
            .failed(unreachable))
        #expect(await code { try await auth.refresh() } == .rateLimited)
        #expect(await code { try await auth.refresh() } == .rateLimited)
        #expect(await code { try await auth.refresh(ignoresPause: true) } == .offline(.unreachable))
        bench.clock.advance(by: .seconds(7_199))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        #expect(bench.service.refreshCount == 2)
        bench.clock.advance(by: .seconds(1))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("the grace counts from the last answer, also where answers are not stored", .law(19))
    func minted() async throws {
        let bench = Bench(rules: .scripted(refresh: .mints, sharesCredential: true))
        let auth = try await bench.signedIn()
        for _ in 0..<8 {
            bench.clock.advance(by: .seconds(86_400))
            bench.service.script(refreshes: .minted)
            _ = try await auth.accessToken()
        }
        bench.clock.advance(by: .seconds(86_400))
        bench.service.script(refreshes: .failed(unreachable))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        #expect(try await auth.accounts().first?.label == "alice")
    }

    @Test("an outage at the launch ends without a call from the app, also where tokens live in memory", .law(19))
    func launchedOffline() async throws {
        let bench = Bench(rules: .scripted(refresh: .mints, sharesCredential: true))
        _ = try await bench.signedIn()
        let auth = try bench.wakefulProcess()
        bench.service.script(refreshes: .failed(unreachable), .failed(unreachable), .minted)
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        #expect(try await isOffline(auth))
        try await bench.run { [bench] in try await bench.service.waitForRefreshes(3) }
        try await bench.until { try await auth.accounts().first?.state == .fresh }
        let count = bench.service.refreshCount
        // A client that asks on demand only is left alone.
        let other = try bench.process(seed: 9)
        bench.service.script(refreshes: .failed(unreachable))
        #expect(await code { try await other.refresh() } == .offline(.unreachable))
        await bench.settle()
        #expect(bench.service.refreshCount == count + 1)
    }

    @Test("an answer that begins at the very time of the last one is not told as offline once more", .law(19))
    func sameMoment() async throws {
        let bench = Bench(rules: .scripted(refresh: .mints, sharesCredential: true))
        _ = try await bench.signedIn()
        let auth = try bench.process(seed: 8) { $0.observer(notes) }
        bench.service.script(refreshes: .failed(unreachable), .minted)
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        _ = try await auth.refresh()
        await bench.settle()
        let offline = notes.states.filter { if case .offline = $0 { true } else { false } }
        #expect(offline.count == 1)
        #expect(notes.states.last == .fresh)
    }

    @Test(
        "what a refused session was told to wait for does not keep anybody from working after the next sign-in",
        .law(19))
    func refusedSession() async throws {
        let auth = try await bench.signedIn()
        let leave = try #require(await auth.whenSignedIn.first { _ in true })
        let refused = AuthError(
            .signInRequired(.refusedWithoutReason), "no reason", retryAfter: .seconds(3_600))
        guard case .later = await leave.run({ () async throws -> Int in throw refused }) else {
            return #expect(Bool(false))
        }
        let rest = try #require(auth.engine.workRests.until(leave.account)) - bench.clock.now()
        #expect(rest <= .seconds(1))
    }

    @Test("whoever becomes the current account is told, also where the sign-in cannot be stored", .law(21))
    func current() async throws {
        let auth = try bench.process { $0.observer(notes) }
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .store(.full))
        #expect(auth.currentAccount == alice)
        #expect(notes.events.contains(.currentChanged(alice)))
    }

    @Test("a session that ended elsewhere is told where it is read, though nobody was signed in here", .law(21))
    func endedElsewhere() async throws {
        let auth = try bench.process(seed: 9) { $0.observer(notes) }
        try await auth.restore()
        let other = try await bench.signedIn()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "gone")))
        #expect(await code { try await other.refresh() } == .signInRequired(.refused))
        try await auth.restore()
        #expect(notes.states == [.signInRequired(.refused)])
    }
}

/// A provider whose machine sleeps before it sends a refresh.
private struct SleepyProvider: AuthProvider {
    let service: ScriptedProvider
    let clock: ManualClock

    var rules: ProviderRules { service.rules }

    func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn {
        try await service.begin(request, options, in: context)
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        try await service.answer(answer, to: challenge, in: context)
    }

    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        clock.advance(by: .seconds(600))
        _ = try await context.transport.send(
            TransportRequest("POST", "https://id.example.com/token"), deadline: context.deadline)
        return try await service.refresh(credential, for: want, in: context)
    }
}
