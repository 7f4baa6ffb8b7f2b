import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@Suite("Revocations that may end more than one session")
struct ReachTests {
    /// A scripted service whose sessions name the browser that they came from, or do not.
    private struct Reaching: RevocationReaching {
        let service: ScriptedProvider
        var rules: ProviderRules { service.rules }
        var mayReachFurther: Bool { true }

        func revoking(_ revoked: AuthSession, mayEnd kept: AuthSession) -> Bool {
            guard let old = revoked.label, let new = kept.label else { return true }
            return old == new
        }

        func begin(
            _ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext
        ) async throws -> Turn { try await service.begin(request, options, in: context) }

        func answer(
            _ answer: Answer, to challenge: Challenge, in context: ProviderContext
        ) async throws -> Turn { try await service.answer(answer, to: challenge, in: context) }

        func refresh(
            _ credential: Credential, for want: TokenWant, in context: ProviderContext
        ) async throws -> CredentialChange { try await service.refresh(credential, for: want, in: context) }

        func revoke(_ revocation: Revocation, in context: ProviderContext) async throws {
            try await service.revoke(revocation, in: context)
        }
    }

    private let bench = Bench()

    private func process(seed: UInt64 = 7) throws -> AuthClient {
        try AuthClient.Builder().provider(Reaching(service: bench.service)).store(bench.store)
            .transport(ScriptedTransport())
            .context(.testing(clock: bench.clock, seed: seed, observer: bench.observer)).settings(Bench.settings)
            .build()
    }

    /// What the service grants in `browser`; `nil`: it does not say which.
    private func grant(in browser: String?) -> ScriptedProvider.TurnStep {
        let context = ProviderContext(world: bench.world, transport: ScriptedTransport(), cache: KeepingCache())
        var grant = bench.service.grant(in: context)
        for index in grant.sessions.indices { grant.sessions[index].label = browser }
        return .turn(.signedIn(grant))
    }

    private func signIn(_ auth: AuthClient, in browser: String?) async throws {
        bench.service.script(turns: grant(in: browser))
        _ = try await auth.signIn(with: "scripted", .anonymous)
    }

    private static let pairs: [(String?, String?, Bool)] = [
        ("a", "a", true), ("a", "b", false), (nil, "a", true), ("a", nil, true), (nil, nil, true),
    ]

    @Test(
        "a replaced session is revoked only if the provider knows that this ends nothing else", .law(22),
        arguments: Self.pairs)
    func replaced(_ first: String?, _ second: String?, _ isSpared: Bool) async throws {
        let auth = try process()
        try await signIn(auth, in: first)
        try await signIn(auth, in: second)
        try await auth.settleRevocations()
        #expect(bench.service.revokeCount == (isSpared ? 0 : 1))
        #expect(try await auth.owedRevocations() == 0)
        #expect(try await auth.refresh().value.revealText() == "access-3")
    }

    @Test("a sign-in over one that the store has not taken does not wait for itself", .timeLimit(.minutes(1)))
    func overUnstored() async throws {
        let auth = try process()
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        #expect(await code { try await signIn(auth, in: "a") } == .store(.full))
        bench.store.failCommits(nil)
        try await signIn(auth, in: "b")
        #expect(try await auth.accessToken().isDurable)
    }

    @Test(
        "what is owed is dropped by a newer session that it may end, and kept by any other", .law(22),
        arguments: Self.pairs)
    func owed(_ first: String?, _ second: String?, _ isSpared: Bool) async throws {
        let auth = try process()
        try await signIn(auth, in: first)
        bench.service.script(revocations: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await auth.signOut() == .revocationQueued)
        let other = try process(seed: 9)
        try await signIn(other, in: second)
        if isSpared { #expect(try await bench.owed == 0) }
        for process in [auth, other] { try await process.settleRevocations() }
        #expect(bench.service.revokeCount == (isSpared ? 1 : 2))
        #expect(try await bench.owed == 0)
    }

    @Test(
        "a late answer of a replaced session is not revoked if that may end the newer one", .law(22),
        arguments: Self.pairs)
    func late(_ first: String?, _ second: String?, _ isSpared: Bool) async throws {
        let auth = try process()
        try await signIn(auth, in: first)
        bench.clock.advance(by: .seconds(3_400))
        let held = try await bench.service.hold { try await auth.refresh() }
        let other = try process(seed: 9)
        try await signIn(other, in: second)
        held.answer()
        _ = try? await held.value
        for process in [auth, other] { try await process.settleRevocations() }
        #expect((bench.service.revokeCount == 0) == isSpared)
        #expect(try await bench.owed == 0)
    }

    @Test("a revocation that may end other sessions waits for a sign-in that is under way", .law(22))
    func inTurn() async throws {
        let auth = try process()
        try await signIn(auth, in: "a")
        let other = try process(seed: 9)
        try await other.restore()
        let hold = Latch()
        bench.service.script(turns: .held(hold, then: grant(in: "a")))
        let entering = Task { try await other.signIn(with: "scripted", .anonymous) }
        try await bench.until { bench.service.beginCount == 2 }
        #expect(try await auth.signOut() == .revocationQueued)
        hold.open()
        _ = try await entering.value
        #expect(try await bench.owed == 0)
        #expect(bench.service.revokeCount == 0)
    }
}
