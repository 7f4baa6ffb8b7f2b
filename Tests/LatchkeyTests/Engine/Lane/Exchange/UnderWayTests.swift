import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// Notes for how long each call may wait.
private struct TimedProvider: AuthProvider {
    let inner: ScriptedProvider
    let deadlines = Locked<[Duration]>([])
    var rules: ProviderRules { inner.rules }

    private func note(_ context: ProviderContext) { deadlines.withLock { $0.append(context.deadline) } }

    func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn {
        note(context)
        return try await inner.begin(request, options, in: context)
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        note(context)
        return try await inner.answer(answer, to: challenge, in: context)
    }

    func refresh(
        _ credential: Credential, for want: TokenWant, in context: ProviderContext
    ) async throws -> CredentialChange {
        note(context)
        return try await inner.refresh(credential, for: want, in: context)
    }
}

/// A service that ends the session at a reuse, and is slow.
@Suite struct UnderWayTests {
    /// A slow answer to the first refresh, and the process that waits for it.
    private struct Slow {
        let bench: Bench
        let auth: AuthClient
        let answer = Latch()

        init(_ rules: ProviderRules = .scripted(), then step: ScriptedProvider.RefreshStep = .rotated) async throws {
            bench = Bench(rules: rules)
            auth = try bench.process { $0.settings(UnderWayTests.settings) }
            _ = try await auth.signIn(with: "scripted", .anonymous)
            bench.service.script(refreshes: .held(answer, then: step))
        }

        /// Moves the clock on second by second, so that whatever sleeps wakes on time.
        func pass(_ seconds: Int) async {
            for _ in 0..<seconds {
                await bench.settle()
                bench.clock.advance(by: .seconds(1))
            }
            await bench.settle()
        }

        /// When the mark in the record was made, in seconds after `begun`.
        func marked(since begun: MonotonicInstant) async throws -> Duration? {
            guard let at = try await bench.store.onlyRecord().document["mark"]?["sent"]?["at"]?.integer else {
                return nil
            }
            return MonotonicInstant(nanoseconds: at) - begun
        }
    }

    private static var settings: EngineSettings {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        return settings
    }

    @Test("a service that ends the session at a reuse is waited for: its late answer is stored and told", .law(6))
    func lateAnswer() async throws {
        let slow = try await Slow()
        slow.bench.clock.advance(by: .seconds(3_600))
        let events = slow.auth.events
        async let first = code { try await slow.auth.accessToken() }
        try await slow.bench.service.waitForRefreshes(1)
        await slow.pass(10)
        #expect(await first == .offline(.unreachable), "The caller waits for its own patience and no longer.")
        await slow.pass(20)
        async let second = slow.auth.accessToken()
        await slow.pass(1)
        slow.answer.open()
        #expect(try await second.value.revealText() == "access-2", "Who asks meanwhile gets the answer when it comes.")
        #expect(try await slow.bench.storedSecret == "refresh-2")
        #expect(slow.bench.service.sentSecrets == ["refresh-1"])
        for await event in events { if case .refreshed = event { break } }
    }

    @Test("a caller whose token still lasts gets it after its patience, and the next ones at once", .law(14))
    func lastingToken() async throws {
        let slow = try await Slow()
        slow.bench.clock.advance(by: .seconds(3_400))
        async let first = slow.auth.accessToken()
        try await slow.bench.service.waitForRefreshes(1)
        await slow.pass(10)
        #expect(try await first.value.revealText() == "access-1")
        #expect(try await slow.auth.accessToken().value.revealText() == "access-1", "Nobody waits in vain again.")
        slow.answer.open()
        try await slow.bench.until { try await slow.bench.storedSecret == "refresh-2" }
        #expect(slow.bench.service.refreshCount == 1)
    }

    @Test("a token that was refused is handed out to nobody whose patience ends", .law(14))
    func refusedToken() async throws {
        let slow = try await Slow()
        async let refreshed = code { try await slow.auth.refresh() }
        try await slow.bench.service.waitForRefreshes(1)
        await slow.pass(10)
        #expect(await refreshed == .offline(.unreachable))
        slow.answer.open()
        try await slow.bench.until { try await slow.bench.storedSecret == "refresh-2" }
    }

    @Test("23: the mark is renewed every five seconds while its request is under way")
    func renewedMark() async throws {
        let slow = try await Slow()
        slow.bench.clock.advance(by: .seconds(3_600))
        let begun = slow.bench.clock.now()
        async let first = code { try await slow.auth.accessToken() }
        try await slow.bench.service.waitForRefreshes(1)
        var seen: [Duration?] = []
        for _ in 0..<4 {
            seen.append(try await slow.marked(since: begun))
            await slow.pass(5)
        }
        #expect(seen == [.zero, .seconds(5), .seconds(10), .seconds(15)])
        #expect(await first == .offline(.unreachable))
        slow.answer.open()
        try await slow.bench.until { try await slow.bench.storedSecret == "refresh-2" }
        #expect(try await slow.marked(since: begun) == nil, "The answer takes the mark out.")
    }

    @Test("23: who finds a renewed mark waits ten seconds from its renewal, and then the login's fate is told")
    func afterDeath() async throws {
        let (bench, auth) = try await Bench.ended()
        let begun = bench.clock.now()
        bench.service.script(
            refreshes: .failed(TransportError(.interrupted, wasSent: true)),
            .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        bench.clock.advance(by: .seconds(15))
        // As it stands in the record of a process that was killed just after it had renewed its mark.
        try await bench.store.change { members in
            var mark = try #require(members["mark"]?.object)
            var sent = try #require(mark["sent"]?.object)
            sent["at"] = .integer(bench.clock.now().nanoseconds)
            mark["left"] = nil
            mark["sent"] = .object(sent)
            members["mark"] = .object(mark)
        }
        let next = try bench.process(seed: 9)
        #expect(try await bench.run { await code { try await next.accessToken() } } == .signInRequired(.interrupted))
        #expect(bench.clock.now() - begun >= .seconds(25))
        #expect(bench.service.refreshCount == 2)
    }

    @Test("23: a mark of another boot that was renewed is waited for from when its renewal was seen")
    func renewedElsewhere() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        func renew(_ instant: Int64) async throws {
            try await bench.store.change { members in
                var mark = try #require(members["mark"]?.object)
                var sent = try #require(mark["sent"]?.object)
                (sent["at"], sent["boot"]) = (.integer(instant), "of another machine")
                mark["left"] = nil
                mark["sent"] = .object(sent)
                members["mark"] = .object(mark)
            }
        }
        try await renew(1)
        let next = try bench.process(seed: 9)
        let begun = bench.clock.now()
        async let token = next.accessToken()
        try await bench.until { bench.clock.sleepers == 1 }
        bench.clock.advance(by: .seconds(5))
        // Its process is alive over there.
        try await renew(5_000_000_001)
        bench.clock.advance(by: .seconds(5))
        try await bench.until { bench.clock.sleepers == 1 }
        #expect(bench.service.refreshCount == 1)
        bench.clock.advance(by: .seconds(10))
        #expect(try await token.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun == .seconds(20))
    }

    @Test(
        "the deadline comes with the context: sixty seconds to converse, or if a reuse ends the session, else ten",
        .law(6))
    func deadlines() async throws {
        for (replay, refresh) in [
            (ProviderRules.RefreshRule.killsFamily, Duration.seconds(60)), (.sameSuccessor, .seconds(10)),
            (.newSuccessor, .seconds(10)), (.fixed, .seconds(10)),
        ] {
            let bench = Bench()
            let timed = TimedProvider(inner: ScriptedProvider(rules: .scripted(refresh: replay)))
            let auth = try AuthClient.Builder().provider(timed).store(bench.store).transport(ScriptedTransport())
                .context(bench.world).settings(Self.settings).build()
            _ = try await auth.signIn(with: "scripted", .anonymous)
            try await auth.refresh()
            #expect(timed.deadlines.withLock { $0 } == [.seconds(60), refresh], "\(replay)")
        }
    }

    @Test(
        "25: where a service repeats its answer for a known time, there is time to ask again, with the whole deadline"
    )
    func deadlinesToAskAgain() async throws {
        let lost = TransportError(.timedOut, wasSent: true)
        let cases: [(Int, ProviderRules.RefreshRule, [Int])] = [
            (10, .sameSuccessor, [5, 10]), (4, .sameSuccessor, [3, 10]), (60, .sameSuccessor, [10, 10]),
            (0, .sameSuccessor, [10]), (10, .killsFamily, [60]), (10, .newSuccessor, [10]),
        ]
        for (interval, rule, expected) in cases {
            let bench = Bench()
            var rules = ProviderRules.scripted(refresh: rule)
            rules.reuseInterval = .seconds(interval)
            let timed = TimedProvider(inner: ScriptedProvider(rules: rules))
            let auth = try AuthClient.Builder().provider(timed).store(bench.store).transport(ScriptedTransport())
                .context(bench.world).settings(Self.settings).build()
            _ = try await auth.signIn(with: "scripted", .anonymous)
            timed.deadlines.withLock { $0 = [] }
            timed.inner.script(refreshes: .failed(lost), .failed(lost))
            #expect(await code { try await auth.refresh() } == .offline(.unreachable))
            #expect(timed.deadlines.withLock { $0 } == expected.map { .seconds($0) }, "\(interval) s, \(rule)")
        }
    }

    @Test("a connection that was given up early, before it was made, is tried once more")
    func slowConnection() async throws {
        var rules = ProviderRules.scripted(refresh: .sameSuccessor)
        let unsent = TransportError(.timedOut, wasSent: false)
        for (interval, sent) in [(10, 2), (60, 1), (0, 1)] {
            rules.reuseInterval = .seconds(interval)
            let bench = Bench(rules: rules)
            let auth = try await bench.signedIn()
            bench.service.script(refreshes: .failed(unsent), .failed(unsent))
            #expect(await code { try await auth.refresh() } == .offline(.unreachable))
            #expect(bench.service.refreshCount == sent, "\(interval) s")
        }
    }

    @Test("a service that is given up in the end has a mark that lasts ten seconds from then", .law(6))
    func givenUp() async throws {
        let slow = try await Slow(then: .failed(TransportError(.timedOut, wasSent: true)))
        slow.bench.clock.advance(by: .seconds(3_600))
        let begun = slow.bench.clock.now()
        async let first = code { try await slow.auth.accessToken() }
        try await slow.bench.service.waitForRefreshes(1)
        await slow.pass(58)
        #expect(await first == .offline(.unreachable))
        slow.answer.open()
        try await slow.bench.until { try await slow.marked(since: begun) == .seconds(58) }
        #expect(try await slow.bench.storedSecret == "refresh-1")
    }

    @Test("signed out while a slow request is under way: the mark goes on being renewed where it is owed", .law(6))
    func signedOutMeanwhile() async throws {
        let slow = try await Slow()
        slow.bench.clock.advance(by: .seconds(3_600))
        let begun = slow.bench.clock.now()
        async let first = code { try await slow.auth.accessToken() }
        try await slow.bench.service.waitForRefreshes(1)
        await slow.pass(2)
        #expect(try await slow.auth.signOut() == .revocationQueued)
        await slow.pass(5)
        let sent = try await slow.bench.store.onlyRecord().document["pending"]?.array?.first?["mark"]?["sent"]?["at"]
        #expect(sent?.integer.map { MonotonicInstant(nanoseconds: $0) - begun } == .seconds(5))
        slow.answer.open()
        #expect(await first == .signInRequired(.signedOut))
        try await slow.bench.until { slow.bench.service.revokedSecrets == ["refresh-2"] }
    }

    @Test(
        "a service that forgives a reuse is not waited for longer, and its mark is not renewed",
        arguments: [ProviderRules.RefreshRule.sameSuccessor, .newSuccessor])
    func forgiving(_ replay: ProviderRules.RefreshRule) async throws {
        let slow = try await Slow(.scripted(refresh: replay))
        slow.bench.clock.advance(by: .seconds(3_600))
        let begun = slow.bench.clock.now()
        async let first = slow.auth.accessToken()
        try await slow.bench.service.waitForRefreshes(1)
        await slow.pass(7)
        #expect(try await slow.marked(since: begun) == .zero)
        slow.answer.open()
        #expect(try await first.value.revealText() == "access-2")
    }

    @Test("a store that takes no renewal makes nobody hang up", .law(6))
    func unwritable() async throws {
        let slow = try await Slow()
        slow.bench.clock.advance(by: .seconds(3_600))
        async let first = code { try await slow.auth.accessToken() }
        try await slow.bench.service.waitForRefreshes(1)
        let full = AuthError(.store(.full), "no space")
        slow.bench.store.script(replaces: .refused(full), .refused(full), .refused(full))
        await slow.pass(16)
        #expect(await first == .offline(.unreachable))
        slow.answer.open()
        try await slow.bench.until { try await slow.bench.storedSecret == "refresh-2" }
        #expect(slow.bench.service.refreshCount == 1)
    }

    @Test("a machine that slept sends nobody away whose answer came meanwhile")
    func slept() async throws {
        let slow = try await Slow()
        slow.bench.clock.advance(by: .seconds(3_600))
        async let first = slow.auth.accessToken()
        try await slow.bench.service.waitForRefreshes(1)
        await slow.bench.settle()
        slow.bench.clock.advance(by: .seconds(1_800))
        await slow.bench.settle()
        slow.answer.open()
        #expect(try await first.value.revealText() == "access-2")
    }

    @Test("a refusal that says that nothing was issued takes its mark out, and all who wait share it", .law(3))
    func nothingIssued() async throws {
        let (bench, auth) = try await Bench.ended()
        let refusal = Refusal(.unexplained, code: "invalid_request", issuedNothing: true)
        bench.service.script(refreshes: .refused(refusal))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refusedWithoutReason))
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
        for seed in 9..<16 {
            let next = try bench.process(seed: UInt64(seed))
            #expect(await code { try await next.accessToken() } == .signInRequired(.refusedWithoutReason))
        }
        #expect(bench.service.refreshCount == 1, "Eight calls, one request.")
        #expect(try await auth.signOut() == .revoked, "Nothing is under way, so the service can be told at once.")
        #expect(bench.service.revokedSecrets == ["refresh-1"])
    }

    @Test("15: the same leaves a mark that was there before, and what is owed waits for that one only", .law(3))
    func nothingIssuedAfterLoss() async throws {
        let (bench, auth) = try await Bench.ended()
        let refusal = Refusal(.unexplained, code: "invalid_request", issuedNothing: true)
        bench.service.script(
            refreshes: .failed(TransportError(.interrupted, wasSent: true)), .refused(refusal), .refused(refusal))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        let lost = try await bench.store.onlyRecord().document["mark"]?["id"]?.string
        bench.clock.advance(by: .seconds(120))
        #expect(await code { try await auth.refresh() } == .signInRequired(.refusedWithoutReason))
        #expect(try await bench.store.onlyRecord().document["mark"]?["id"]?.string == lost)
        #expect(try await auth.signOut() == .revocationQueued)
        bench.clock.advance(by: .seconds(60))
        try await auth.settleRevocations()
        #expect(bench.service.revokedSecrets == ["refresh-1"], "The token that is held is all there is to revoke.")
        #expect(try await bench.owed == 0)
    }

    @Test("refused without a reason, the session counts as signed in while its token lasts", .law(3))
    func refusedWhileLasting() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: .refused(Refusal(.unexplained, code: "invalid_request", issuedNothing: true)))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(try await auth.accounts().map(\.state) == [.stale])
        bench.clock.advance(by: .seconds(300))
        #expect(try await auth.accounts().map(\.state) == [.signInRequired(.refusedWithoutReason)])
    }

    @Test("an account that the service ended keeps its name, and one that the person left does not")
    func nameAfterEnd() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        let next = try bench.process(seed: 9)
        try await next.restore()
        #expect(try await next.accounts().map(\.label) == ["alice"])
        _ = try await next.signOut()
        let bytes = try await bench.store.onlyRecord().document.serialized()
        #expect(!String(decoding: bytes, as: UTF8.self).contains("label"))
    }
}
