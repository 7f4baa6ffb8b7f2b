import Latchkey
import LatchkeyTesting
import Testing

@Suite("An answer that is perhaps another challenge's") struct OfferTests {
    private static let id = "challenge-0123456789"

    private func asked(_ bench: Bench, _ auth: AuthClient, then steps: ScriptedProvider.TurnStep...) async throws {
        let visit = Ask.visit(url: "https://id.example.com/authorize", redirect: "http://127.0.0.1:1/cb")
        let challenge = Challenge(id: Self.id, binding: bench.service.rules.binding, ask: visit)
        bench.service.script(turns: .turn(.asked(challenge)))
        for step in steps { bench.service.script(turns: step) }
        guard case .asked = try await auth.begin(.signIn(.browser()), with: "scripted") else { throw Missing() }
    }

    private struct Missing: Error {}

    private func offer(_ auth: AuthClient) async throws -> SignInStep {
        try await auth.offer(.redirected(Secret("http://x")), to: Self.id)
    }

    @Test("it uses the challenge up only where the provider takes it, whatever else comes of it")
    func keeps() async throws {
        let bench = Bench()
        let auth = try bench.process()
        try await asked(
            bench, auth, then: .failed(AuthError(.untrusted(.state), "another's")),
            .failed(StillOpen(AuthError(.refused(.expired), "another's"))),
            .failed(TransportError(.timedOut, wasSent: true)))
        for expected in [AuthError.Code.untrusted(.state), .refused(.expired), .offline(.signIn)] {
            #expect(await code { try await offer(auth) } == expected)
            #expect(try await auth.pendingChallenges().map(\.id) == [Self.id])
        }
        guard case .signedIn = try await offer(auth) else { throw Missing() }
        #expect(try await auth.pendingChallenges().isEmpty)
        #expect(await code { try await offer(auth) } == .refused(.expired))
        #expect(bench.service.answers.count == 4)
    }

    @Test("while the service is asked, the challenge can be answered by whom it belongs to")
    func staysMeanwhile() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let latch = Latch()
        let refusal = StillOpen(AuthError(.refused(.expired), "another's"))
        try await asked(bench, auth, then: .held(latch, then: .failed(refusal)))
        async let offered = code { try await offer(auth) }
        try await bench.until { bench.service.answers.count == 1 }
        #expect(try await auth.pendingChallenges().map(\.id) == [Self.id])
        guard case .signedIn = try await auth.answer(.redirected(Secret("http://mine")), to: Self.id) else {
            throw Missing()
        }
        latch.open()
        #expect(await offered == .refused(.expired))
    }

    @Test("what was granted for a challenge that somebody else has answered meanwhile is ended, and theirs stays")
    func forgone() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let latch = Latch()
        try await asked(bench, auth, then: .held(latch, then: .turn(.signedIn(grant("refresh-late", bench)))))
        async let offered = code { try await offer(auth) }
        try await bench.until { bench.service.answers.count == 1 }
        guard case .signedIn = try await auth.answer(.redirected(Secret("http://mine")), to: Self.id) else {
            throw Missing()
        }
        latch.open()
        #expect(await offered == .refused(.expired))
        #expect(bench.service.revokedSecrets == ["refresh-late"])
        #expect(try await bench.storedSecret == "refresh-1")
    }

    private func grant(_ refresh: String, _ bench: Bench) -> Grant {
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        return Grant(
            refreshToken: Secret(refresh), AuthSession(id: AuthSession.ID("late"), account: account, label: "alice"))
    }

    /// A store that takes no challenge out.
    private struct Clinging: SessionStore {
        let inner = MemoryStore()

        func read(_ key: StoreKey) throws -> StoredRecord? { try inner.read(key) }

        func replace(
            _ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?
        ) throws -> RecordVersion? {
            guard key.kind != .challenge || bytes != nil else { throw AuthError(.store(.full), "full") }
            return try inner.replace(key, at: version, with: bytes)
        }

        func keys(_ kind: StoreKey.Kind) -> [StoreKey] { inner.keys(kind) }
    }

    @Test("a store that does not take the challenge out costs nobody the session")
    func stuck() async throws {
        let bench = Bench()
        let auth = try bench.process { $0.store(Clinging()) }
        try await asked(bench, auth)
        guard case .signedIn = try await offer(auth) else { throw Missing() }
        #expect(try await auth.accounts().map(\.isDurable) == [true])
    }

    @Test("an unknown challenge, one that is too old, and one of another configuration are not offered anything")
    func refused() async throws {
        let bench = Bench()
        let auth = try bench.process()
        #expect(await code { try await auth.offer(.poll, to: "no-such-challenge") } == .refused(.expired))
        try await asked(bench, auth)
        var rules = bench.service.rules
        rules.binding.client = "another"
        let changed = try AuthClient.Builder().provider(ScriptedProvider(rules: rules)).store(bench.store)
            .transport(ScriptedTransport()).context(bench.world).build()
        #expect(await code { try await offer(changed) } == .configuration(.changed))
        #expect(try await auth.pendingChallenges().map(\.id) == [Self.id])
        bench.clock.advance(by: .seconds(601))
        #expect(await code { try await offer(auth) } == .refused(.expired))
        #expect(bench.service.answers.allSatisfy { if case .declined = $0 { true } else { false } })
    }
}
