import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@Suite struct RefreshTests {
    @Test("a good token is handed out without asking the service or the store", .complaint(.supabase, 25))
    func goodToken() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let commits = bench.store.commitCount
        bench.clock.advance(by: .seconds(3_299))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(auth.currentToken()?.value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 0)
        #expect(bench.store.commitCount == commits)
    }

    @Test(
        "a token is refreshed the smaller of five minutes and a quarter of its lifetime before it ends", .need("N8"),
        arguments: [(60, 45), (3_600, 3_300), (86_400, 86_100), (8, 6)])
    func leeway(lifetime: Int, staleAfter: Int) async throws {
        let bench = Bench(tokenLifetime: .seconds(lifetime))
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(staleAfter) - .milliseconds(1))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        bench.clock.advance(by: .milliseconds(1))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("a hundred callers on an ended token make one request", .law(1), .need("N14"))
    func singleFlight() async throws {
        let (bench, auth) = try await Bench.ended()
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await auth.accessToken().value.revealText() } }
            try await bench.service.waitForRefreshes(1)
            hold.open()
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["access-2"])
        #expect(bench.service.refreshCount == 1)
    }

    @Test(
        "many processes on an ended token make one request, and the others adopt its answer", .law(1), .need("N14"),
        .complaint(.supabase, 2))
    func oneRequestAcrossProcesses() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        let processes = try (0..<8).map { try bench.process(seed: 100 + $0) }
        for auth in processes { try await auth.restore() }
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for auth in processes { group.addTask { try await auth.accessToken().value.revealText() } }
            try await bench.service.waitForRefreshes(1)
            // The others come to wait for the lane.
            await bench.settle()
            hold.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "access-2", count: 8))
        #expect(bench.service.sentSecrets == ["refresh-1"])
        #expect(bench.service.mostRefreshesAtOnce == 1)
    }

    @Test(
        "cancelling a caller ends its wait; the refresh goes on and others get its token", .law(7),
        .complaint(.supabase, 5))
    func cancelledCaller() async throws {
        let (bench, auth) = try await Bench.ended()
        let held = try await bench.service.hold { try await auth.accessToken() }
        held.cancel()
        #expect(await code { try await held.value } == .cancelled)
        let second = Task { try await auth.accessToken() }
        held.answer()
        #expect(try await second.value.value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test(
        "the new session is in the store before any caller sees its token", .law(2), .standard(11),
        .complaint(.supabase, 3))
    func durableFirst() async throws {
        let (bench, auth) = try await Bench.ended()
        let shown = Locked<[String?]>([])
        bench.store.script(
            replaces: .none, .after { shown.withLock { $0.append(auth.currentToken()?.value.revealText()) } })
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(shown.withLock { $0 } == [nil])
        let other = try bench.process(seed: 9)
        try await other.restore()
        #expect(other.currentToken()?.value.revealText() == "access-2")
    }

    @Test(
        "no failure but a refusal ends a session: the token is used while it lasts, then the reason is told", .law(3),
        .need("N9"), .complaint(.supabase, 8), .complaint(.clerk, 10),
        arguments: Trouble.all)
    func transientFailures(_ trouble: Trouble) async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: .failed(trouble.error))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(200))
        bench.service.script(refreshes: .failed(trouble.error))
        #expect(await code { try await auth.accessToken() } == trouble.code)
        #expect(bench.service.refreshCount == 2)
        bench.clock.advance(by: .seconds(120))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(Set(bench.service.sentSecrets) == ["refresh-1"])
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        var error: any Error
        var code: AuthError.Code
        var testDescription: String { "\(error)" }

        static let all = [
            Trouble(error: TransportError(.unreachable, wasSent: false), code: .offline(.unreachable)),
            Trouble(error: TransportError(.timedOut, wasSent: true), code: .offline(.unreachable)),
            Trouble(error: TransportError(.interrupted, wasSent: true), code: .offline(.unreachable)),
            Trouble(error: TransportError(.tls, wasSent: false), code: .untrusted(.tls)),
            Trouble(error: TransportError(.pinMismatch, wasSent: false), code: .untrusted(.tls)),
            Trouble(error: AuthError(.serviceTrouble, "HTTP 503"), code: .serviceTrouble),
            Trouble(error: AuthError(.rateLimited, "HTTP 429", retryAfter: .seconds(30)), code: .rateLimited),
            Trouble(error: AuthError(.configuration(.clientRefused), "401"), code: .configuration(.clientRefused)),
            Trouble(error: CancellationError(), code: .cancelled),
        ]
    }

    @Test(
        "after a failure the service is left alone for a while, and a wait it asked for is kept", .need("N8"),
        .complaint(.supabase, 4))
    func backoff() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(
            refreshes: .failed(AuthError(.rateLimited, "slow down", retryAfter: .seconds(40))))
        #expect(await code { try await auth.accessToken() } == .rateLimited)
        bench.clock.advance(by: .seconds(39))
        #expect(await code { try await auth.accessToken() } == .rateLimited)
        #expect(bench.service.refreshCount == 1)
        bench.clock.advance(by: .seconds(2))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test(
        "a definite refusal ends the session, once the store confirms that it holds what was sent", .law(3), .need("N9")
    )
    func definiteRefusal() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        let other = try bench.process(seed: 9)
        #expect(await code { try await other.accessToken() } == .signInRequired(.refused))
        #expect(bench.service.refreshCount == 1)
    }

    @Test(
        "a refusal of a token that another process has replaced adopts the replacement", .law(4),
        .complaint(.supabase, 2))
    func refusedButReplaced() async throws {
        let (bench, auth) = try await Bench.ended()
        // The lane is lost while its holder lives: what the store's lock forbids, a dropped connection allows.
        let held = try await bench.service.hold(then: .refused(Refusal(.definite, code: "invalid_grant"))) {
            try await auth.accessToken()
        }
        try await bench.store.swapRefreshToken(to: "winner", access: "winner-access", at: bench.clock)
        held.answer()
        #expect(try await held.value.value.revealText() == "winner-access")
    }

    @Test("a person who asks for a refresh is sent to the service, however short a time ago it refused")
    func unexplainedAndForced() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(
            refreshes: .refused(Refusal(.unexplained, code: "")), .refused(Refusal(.unexplained, code: "")))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refusedWithoutReason))
        bench.clock.advance(by: .seconds(30))
        let other = try bench.process(seed: 9)
        #expect(await code { try await other.refresh() } == .signInRequired(.refusedWithoutReason))
        #expect(bench.service.refreshCount == 2)
        bench.clock.advance(by: .seconds(30))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refusedWithoutReason))
        #expect(bench.service.refreshCount == 2)
        #expect(try await bench.run { try await other.refresh() }.value.revealText() == "access-2")
    }

    @Test("an unexplained refusal keeps the credential, and is tried again at most hourly, in any process", .law(3))
    func unexplainedRefusal() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: .refused(Refusal(.unexplained, code: "")))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(400))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refusedWithoutReason))
        let other = try bench.process(seed: 9)
        #expect(await code { try await other.accessToken() } == .signInRequired(.refusedWithoutReason))
        #expect(bench.service.refreshCount == 1)
        bench.clock.advance(by: .seconds(3_600))
        // It may be asked again by now, and until it has taken the token the person is told to sign in.
        let reading = try bench.process(seed: 11)
        try await reading.restore()
        #expect(try await reading.accounts().map(\.state) == [.signInRequired(.refusedWithoutReason)])
        #expect(try await other.accessToken().value.revealText() == "access-2")
        #expect(bench.service.sentSecrets == ["refresh-1", "refresh-1"])
        let next = try bench.process(seed: 12)
        try await next.restore()
        #expect(try await next.accounts().map(\.state) == [.fresh])
    }

    @Test("a credential of another configuration is not sent, and the caller told", .law(11), .complaint(.clerk, 20))
    func changedConfiguration() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        var rules = bench.service.rules
        rules.binding.client = "another"
        let changed = ScriptedProvider(rules: rules)
        let auth = try AuthClient.Builder().provider(changed).store(bench.store).transport(ScriptedTransport())
            .context(bench.world).build()
        #expect(await code { try await auth.accessToken() } == .configuration(.changed))
        #expect(changed.refreshCount == 0)
    }

    @Test("a token asked for with more validity than the service gives is handed out all the same")
    func minimumValidity() async throws {
        let bench = Bench(tokenLifetime: .seconds(60))
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken(minimumValidity: .seconds(600))
        #expect(token.value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }
}
