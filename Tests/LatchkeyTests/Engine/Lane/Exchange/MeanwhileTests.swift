import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

/// What is asked while the answer to an operation is waited for that moves the token by two steps, at a service that
/// forgives that for a known time alone.
@Suite("While the answer to an operation is waited for") struct MeanwhileTests {
    /// The session's newest access token says this once the service has acted.
    private static let proof = "access-2"
    private static let forgiving = rules(.sameSuccessor, interval: .seconds(10))

    private static func rules(_ refresh: ProviderRules.RefreshRule, interval: Duration?) -> ProviderRules {
        var rules = ProviderRules.scripted(refresh: refresh)
        rules.reuseInterval = interval
        return rules
    }

    private static let shows: @Sendable (Credential, Credential) -> Int? = { before, now in
        token(now) == proof && token(before) != proof ? 7 : nil
    }

    private static func token(_ credential: Credential) -> String? {
        credential.sessions.first?.tokens[.standard]?.value.revealText()
    }

    private struct Scene {
        let bench: Bench
        let auth: AuthClient

        init(_ rules: ProviderRules = MeanwhileTests.forgiving) async throws {
            bench = Bench(rules: rules)
            var settings = EngineSettings()
            settings.refresh = .onDemand
            auth = try bench.process { [settings] in $0.settings(settings) }
            _ = try await auth.signIn(with: "scripted", .anonymous)
        }

        /// Performs an operation that the service answers after `seconds`; `nil` if its answer is lost.
        func perform(
            answeredAfter seconds: Int?, replay: ProviderRules.RefreshRule = .killsFamily,
            shown: (@Sendable (Credential, Credential) -> Int?)? = MeanwhileTests.shows
        ) async throws -> Int {
            try await steadily { [auth] in
                try await auth.perform(replay: replay, shown: shown) { _, context in
                    let clock = context.world.clock
                    guard let seconds else {
                        try await clock.sleep(until: clock.now() + context.deadline)
                        throw TransportError(.timedOut, wasSent: true)
                    }
                    try await clock.sleep(until: clock.now() + .seconds(seconds))
                    return (CredentialChange(refreshToken: Secret("proven")), 5)
                }
            }
        }

        /// Moves the clock from sleeper to sleeper, each time when nothing else is left to do.
        func steadily<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
            let isDone = Locked(false)
            async let value = {
                defer { isDone.withLock { $0 = true } }
                return try await work()
            }()
            for _ in 0..<200 where !isDone.withLock({ $0 }) {
                await bench.settle()
                if !isDone.withLock({ $0 }) { bench.clock.advanceToNextSleeper() }
            }
            return try await value
        }

        var isMarked: Bool {
            get async throws { try await bench.store.onlyRecord().document["mark"] != nil }
        }
    }

    @Test("26: a session whose answer is lost is refreshed within the service's interval, and its token is the answer")
    func lost() async throws {
        for interval in [4, 10, 60] {
            let scene = try await Scene(Self.rules(.sameSuccessor, interval: .seconds(interval)))
            let begun = scene.bench.clock.now()
            #expect(try await scene.perform(answeredAfter: nil) == 7)
            #expect(scene.bench.clock.now() - begun <= .seconds(interval) / 4)
            #expect(scene.bench.service.sentSecrets == ["refresh-1"])
            #expect(try await scene.bench.storedSecret == "refresh-2")
            #expect(try await !scene.isMarked)
            #expect(try await scene.auth.accessToken().value.revealText() == Self.proof)
        }
    }

    @Test("26: the service acts late: each token that was asked for meanwhile is stored, and its own answer after them")
    func late() async throws {
        let scene = try await Scene()
        #expect(try await scene.perform(answeredAfter: 20, shown: { _, _ in nil }) == 5)
        // After 2.5, 7.5, 12.5 and 17.5 s.
        #expect(scene.bench.service.sentSecrets == ["refresh-1", "refresh-2", "refresh-3", "refresh-4"])
        #expect(try await scene.bench.storedSecret == "proven")
        #expect(try await !scene.isMarked)
    }

    @Test("26: a request that got no answer is sent again, and one that was refused is not")
    func failures() async throws {
        let lost = try await Scene()
        lost.bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        let begun = lost.bench.clock.now()
        #expect(try await lost.perform(answeredAfter: nil) == 7)
        #expect(lost.bench.clock.now() - begun == .seconds(5))
        #expect(lost.bench.service.sentSecrets == ["refresh-1", "refresh-1"])

        let refused = try await Scene()
        refused.bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(try await refused.perform(answeredAfter: 20) == 5)
        #expect(refused.bench.service.refreshCount == 1)
        #expect(try await refused.auth.accounts().map(\.state) == [.fresh])
        #expect(try await refused.bench.storedSecret == "proven")
    }

    @Test("26: a time that the service names keeps the next request waiting")
    func pause() async throws {
        let scene = try await Scene()
        scene.bench.service.script(refreshes: .failed(AuthError(.rateLimited, "later", retryAfter: .seconds(30))))
        #expect(try await scene.perform(answeredAfter: 34) == 7)
        #expect(scene.bench.service.refreshCount == 2)
        let other = try await Scene()
        other.bench.service.script(refreshes: .failed(AuthError(.rateLimited, "later", retryAfter: .seconds(30))))
        #expect(try await other.perform(answeredAfter: 32) == 5)
        #expect(other.bench.service.refreshCount == 1)
    }

    @Test("26: nothing is asked where the service forgives nothing, does not say for how long, or would not show it")
    func nothing() async throws {
        typealias Case = (ProviderRules.RefreshRule, Duration?, ProviderRules.RefreshRule, Bool)
        let cases: [Case] = [
            (.sameSuccessor, nil, .killsFamily, true), (.sameSuccessor, .zero, .killsFamily, true),
            (.killsFamily, .seconds(10), .killsFamily, true), (.newSuccessor, .seconds(10), .killsFamily, true),
            (.sameSuccessor, .seconds(10), .sameSuccessor, true), (.sameSuccessor, .seconds(10), .killsFamily, false),
        ]
        for (refresh, interval, replay, shows) in cases {
            let scene = try await Scene(Self.rules(refresh, interval: interval))
            let told = await code {
                try await scene.perform(answeredAfter: nil, replay: replay, shown: shows ? Self.shows : nil)
            }
            #expect(told == .offline(.unreachable))
            #expect(scene.bench.service.refreshCount == 0, "\(refresh), \(String(describing: interval)), \(replay)")
            #expect(try await scene.isMarked)
        }
    }

    @Test("26: after a sign-out meanwhile, what is owed has the newest token, and nothing is asked for any more")
    func signedOut() async throws {
        let scene = try await Scene()
        let other = try scene.bench.process(seed: 9)
        try await other.restore()
        let told = await code {
            try await scene.steadily {
                try await scene.auth.perform(replay: .killsFamily, shown: { _, _ in nil }) {
                    _, context -> (CredentialChange, Int) in
                    let clock = context.world.clock
                    // After the mark was renewed, which would see it, and before the second refresh, which does not.
                    try await clock.sleep(until: clock.now() + .seconds(6))
                    _ = try await other.signOut()
                    try await clock.sleep(until: clock.now() + .seconds(54))
                    throw TransportError(.timedOut, wasSent: true)
                }
            }
        }
        #expect(told == .signInRequired(.signedOut) || told == .offline(.unreachable))
        #expect(scene.bench.service.sentSecrets == ["refresh-1", "refresh-2"])
        let owed = try await scene.bench.store.onlyRecord().document["pending"]?.array
        #expect(owed?.map { $0["credential"]?["renewal"]?.string } == ["refresh-3"])
        scene.bench.clock.advance(by: .seconds(60))
        _ = try await scene.steadily { try await scene.auth.settleRevocations() }
        #expect(scene.bench.service.revokedSecrets == ["refresh-4"])
        #expect(try await scene.bench.owed == 0)
    }
}
