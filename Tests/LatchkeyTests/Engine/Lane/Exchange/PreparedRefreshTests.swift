import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// What a refresh needs is got before the mark says that a request may be under way.
@Suite struct PreparedRefreshTests {
    /// Looks a document up to prepare a refresh, as a provider with discovery does, and then plays a script.
    private final class Preparing: RefreshPreparing, SessionRevoking {
        let inner: ScriptedProvider
        /// What preparing throws.
        let failure = Locked<(any Error)?>(nil)
        /// What the refreshes got.
        let got = Locked<[String?]>([])
        let rules: ProviderRules

        init(_ inner: ScriptedProvider) { (self.inner, rules) = (inner, inner.rules) }

        func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn
        { try await inner.begin(request, options, in: context) }

        func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
            try await inner.answer(answer, to: challenge, in: context)
        }

        func prepareRefresh(
            of credential: Credential, for want: TokenWant, in context: ProviderContext
        ) async throws -> (any Sendable)? {
            _ = try await context.lookUp(TransportRequest("GET", "https://id.example.com/document"))
            if let failure = failure.withLock({ $0 }) { throw failure }
            return "what the document says"
        }

        func refresh(
            _ credential: Credential, for want: TokenWant, in context: ProviderContext
        ) async throws -> CredentialChange {
            got.withLock { $0.append(context.prepared as? String) }
            _ = try await context.send(TransportRequest("POST", "https://id.example.com/refresh"))
            return try await inner.refresh(credential, for: want, in: context)
        }

        func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
            try await inner.revoke(revocation, in: context)
        }
    }

    /// Somebody is signed in, and the access token has ended.
    private struct Scene {
        let bench: Bench
        let provider: Preparing
        let network = HoldingTransport()
        let auth: AuthClient

        init(_ rules: ProviderRules = .scripted(), age: Duration = .seconds(3_600)) async throws {
            bench = Bench(rules: rules)
            provider = Preparing(bench.service)
            auth = try AuthClient.Builder().provider(provider).store(bench.store).transport(network)
                .context(bench.world).settings(Bench.settings).build()
            _ = try await auth.signIn(with: "scripted", .anonymous)
            bench.clock.advance(by: age)
        }

        var version: RecordVersion { get async throws { try await bench.store.onlyRecord().version } }
        var isMarked: Bool { get async throws { try await bench.store.onlyRecord().document["mark"] != nil } }
    }

    @Test(
        "what a refresh looks up, it looks up before its mark, and the refresh gets it", .law(6),
        arguments: [
            ProviderRules.RefreshRule.killsFamily, .sameSuccessor, .newSuccessor,
        ])
    func before(_ rule: ProviderRules.RefreshRule) async throws {
        let scene = try await Scene(.scripted(refresh: rule))
        let before = try await scene.version
        let (document, answer) = (scene.network.hold("/document"), Latch())
        scene.bench.service.script(refreshes: .held(answer, then: .rotated))
        let caller = Task { try await scene.auth.accessToken() }
        try await scene.bench.until { scene.network.sent.contains("/document") }
        // A process that dies now leaves the record as it was.
        #expect(try await scene.version == before)
        document.open()
        try await scene.bench.until { scene.network.sent.contains("/refresh") }
        #expect(try await scene.isMarked)
        answer.open()
        #expect(try await caller.value.value.revealText() == "access-2")
        #expect(scene.provider.got.withLock { $0 } == ["what the document says"])
        #expect(scene.network.sent == ["/document", "/refresh"])
    }

    @Test("a refresh that needs no mark is not prepared", arguments: [ProviderRules.RefreshRule.fixed, .mints])
    func unmarked(_ rule: ProviderRules.RefreshRule) async throws {
        let scene = try await Scene(.scripted(refresh: rule))
        scene.bench.service.script(refreshes: .minted)
        _ = try await scene.auth.accessToken()
        #expect(scene.network.sent == ["/refresh"])
        #expect(scene.provider.got.withLock { $0 } == [nil])
    }

    private struct Failure: Sendable, CustomTestStringConvertible {
        var error: any Error
        var code: AuthError.Code
        var testDescription: String { "\(code)" }
    }

    private static let failures = [
        Failure(error: TransportError(.timedOut, wasSent: true), code: .offline(.unreachable)),
        Failure(error: TransportError(.unreachable, wasSent: false), code: .offline(.unreachable)),
        Failure(error: AuthError(.serviceTrouble, "down"), code: .serviceTrouble),
        Failure(error: AuthError(.untrusted(.issuer), "another issuer"), code: .untrusted(.issuer)),
        Failure(error: NotSent(AuthError(.configuration(.invalid), "no secret")), code: .configuration(.invalid)),
        Failure(error: CancellationError(), code: .cancelled),
    ]

    @Test(
        "where preparing fails, nothing is sent and no mark is made, and the next try need not wait", .law(6),
        arguments: failures)
    private func fails(_ failure: Failure) async throws {
        let scene = try await Scene()
        let before = try await scene.version
        scene.provider.failure.withLock { $0 = failure.error }
        #expect(await code { try await scene.auth.accessToken() } == failure.code)
        #expect(try await scene.version == before, "Nothing was written.")
        #expect(scene.network.sent == ["/document"])
        // Another process asks at once.
        #expect(try await scene.bench.process(seed: 11).accessToken().value.revealText() == "access-2")
    }

    @Test("where preparing fails, a token that lasts is used on", arguments: failures)
    private func lasting(_ failure: Failure) async throws {
        let scene = try await Scene(age: .seconds(3_590))
        scene.provider.failure.withLock { $0 = failure.error }
        #expect(try await scene.auth.accessToken().value.revealText() == "access-1")
        #expect(scene.network.sent == ["/document"])
        #expect(try await !scene.isMarked)
    }

    @Test("a pause that the service asks for then is stored, and no other process asks before it is over")
    func paused() async throws {
        let scene = try await Scene()
        scene.provider.failure.withLock { $0 = AuthError(.rateLimited, "later", retryAfter: .seconds(60)) }
        #expect(await code { try await scene.auth.accessToken() } == .rateLimited)
        let other = try scene.bench.process(seed: 11)
        #expect(await code { try await other.accessToken() } == .rateLimited)
        #expect(scene.bench.service.refreshCount == 0)
        #expect(try await !scene.isMarked)
        scene.bench.clock.advance(by: .seconds(61))
        #expect(try await other.accessToken().value.revealText() == "access-2")
    }

    @Test(
        "a program that is told to end meanwhile sends nothing, writes nothing, and does not wait for the document",
        .law(7))
    func told() async throws {
        let scene = try await Scene()
        let before = try await scene.version
        let document = scene.network.hold("/document")
        let caller = Task { try await scene.auth.accessToken() }
        try await scene.bench.until { scene.network.sent.contains("/document") }
        #expect(scene.auth.stopSending().isEmpty, "The program may end at once.")
        // The document is still held.
        #expect(await code { try await caller.value } == .cancelled)
        await scene.auth.finishSent()
        #expect(try await scene.version == before)
        #expect(!scene.network.sent.contains("/refresh"))
        document.open()
    }

    @Test("who signs out meanwhile is signed out, and nothing is sent for them")
    func signedOut() async throws {
        let scene = try await Scene()
        let document = scene.network.hold("/document")
        let caller = Task { try await scene.auth.accessToken() }
        try await scene.bench.until { scene.network.sent.contains("/document") }
        #expect(try await scene.bench.process(seed: 11).signOut() == .revoked)
        document.open()
        #expect(await code { try await caller.value } == .signInRequired(.signedOut))
        #expect(!scene.network.sent.contains("/refresh"))
    }

    @Test(
        "a token that has to be refreshed before it can be revoked is marked after preparing, too", .law(6),
        arguments: [true, false]
    )
    func owed(_ fails: Bool) async throws {
        let scene = try await Scene(.scripted(revocation: .liveAccessToken))
        if fails { scene.provider.failure.withLock { $0 = AuthError(.serviceTrouble, "down") } }
        #expect(try await scene.auth.signOut() == (fails ? .revocationQueued : .revoked))
        #expect(scene.network.sent == (fails ? ["/document"] : ["/document", "/refresh"]))
        let entry = try await scene.bench.store.onlyRecord().document["pending"]?.array?.first
        #expect((entry != nil) == fails && entry?["mark"] == nil)
    }
}
