import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// A provider's own operations, beside refreshes.
@Suite struct PerformTests {
    typealias Work = @Sendable (Credential, ProviderContext) async throws -> (CredentialChange, Int)

    private let lost: Work = { _, _ in throw TransportError(.timedOut, wasSent: true) }

    @Test(
        "21: a refresh waits out an operation that does more to the token, at a service that takes replays of a refresh",
        .law(6)
    )
    func refreshWaits() async throws {
        let bench = Bench(rules: .scripted(refresh: .sameSuccessor))
        let auth = try await bench.signedIn()
        #expect(await code { try await auth.perform(replay: .killsFamily, lost) } == .offline(.unreachable))
        try await bench.forgetLeaving()
        let begun = bench.clock.now()
        // While the token lasts there is no need to send anything.
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-1")
        #expect(try await bench.run { try await next.refresh() }.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
    }

    @Test("what a lost operation did to the token is remembered through refreshes whose answers are lost", .law(6))
    func carePassesOn() async throws {
        let bench = Bench(rules: .scripted(refresh: .sameSuccessor))
        let auth = try await bench.signedIn()
        #expect(await code { try await auth.perform(replay: .killsFamily, lost) } == .offline(.unreachable))
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        #expect(try await bench.store.onlyRecord().document["mark"]?["replay"]?.string == "killsFamily")
        try await bench.forgetLeaving()
        let begun = bench.clock.now()
        let next = try bench.process(seed: 9)
        #expect(try await bench.run { try await next.accessToken() }.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("a refusal after a lost operation is told as an interruption")
    func interrupted() async throws {
        let bench = Bench(rules: .scripted(refresh: .sameSuccessor))
        let auth = try await bench.signedIn()
        _ = await code { try await auth.perform(replay: .killsFamily, lost) }
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.interrupted))
    }

    @Test("22: an operation waits for a refresh that may be under way, and while a successor rests", .law(6))
    func operationWaits() async throws {
        let (bench, auth) = try await Bench.ended(.scripted(refresh: .sameSuccessor))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = await code { try await auth.accessToken() }
        try await bench.forgetLeaving()
        var begun = bench.clock.now()
        let next = try bench.process(seed: 9)
        let first = try await bench.run {
            try await next.perform(replay: .killsFamily) { _, _ in (CredentialChange(), 1) }
        }
        #expect(first == 1)
        #expect(bench.clock.now() - begun >= .seconds(10))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = await code { try await next.refresh() }
        begun = bench.clock.now()
        _ = try await bench.run { try await next.refresh() }
        #expect(try await bench.store.onlyRecord().document["notBefore"] != nil)
        #expect(bench.clock.now() == begun)
        let second = try await bench.run {
            try await next.perform(replay: .killsFamily) { _, _ in (CredentialChange(), 2) }
        }
        #expect(second == 2)
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("an operation that spends nothing waits for nobody, and leaves a mark as it is")
    func spendsNothing() async throws {
        let bench = Bench(rules: .scripted(refresh: .sameSuccessor))
        let auth = try await bench.signedIn()
        _ = await code { try await auth.perform(replay: .killsFamily, lost) }
        let begun = bench.clock.now()
        let mark = try await bench.store.onlyRecord().document["mark"]
        let works: [Work] = [
            { _, _ in (CredentialChange(), 3) }, { _, _ in (CredentialChange(state: ["seen": true]), 4) },
        ]
        for (work, number) in zip(works, 3...) {
            #expect(try await bench.run { try await auth.perform(replay: .fixed, work) } == number)
        }
        #expect(bench.clock.now() == begun)
        #expect(mark != nil)
        let record = try await bench.store.onlyRecord().document
        #expect(record["mark"] == mark && record["credential"]?["state"]?["seen"] == true)
    }

    @Test(
        "an operation that spends nothing, of somebody who signs out meanwhile, does not end the wait for a refresh",
        .law(6),
        arguments: [false, true])
    func signedOutWhileUnderWay(bringsToken: Bool) async throws {
        let (bench, auth) = try await Bench.ended(.scripted(refresh: .sameSuccessor))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = await code { try await auth.accessToken() }
        let mark = try await bench.store.onlyRecord().document["mark"]
        let other = try bench.process(seed: 9)
        let work: Work = { credential, _ in
            try await other.signOut()
            var session = credential.sessions[0]
            session.state = ["seen": true]
            if bringsToken { session.tokens[.standard] = AccessToken(Secret("late")) }
            return (CredentialChange(sessions: [session]), 1)
        }
        #expect(await code { try await auth.perform(replay: .fixed, work) } == .signInRequired(.signedOut))
        let owed = try #require(try await bench.store.onlyRecord().document["pending"]?.array)
        #expect(mark != nil && owed.count == 1 && owed.first?["mark"]?["id"] == mark?["id"])
        #expect(bench.service.revokeCount == 0)
    }

    @Test("an operation that changes nothing stores nothing, and one of somebody who signed out brings nothing")
    func changesNothing() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let before = try await bench.store.onlyRecord().document
        #expect(try await auth.perform(replay: .fixed) { _, _ in (CredentialChange(), 5) } == 5)
        #expect(try await bench.store.onlyRecord().document == before)
        let leaving: Work = { _, _ in
            try await auth.signOut()
            return (CredentialChange(), 6)
        }
        #expect(await code { try await auth.perform(replay: .fixed, leaving) } == .signInRequired(.signedOut))
    }

    @Test("a definite refusal of an operation ends the session, another failure does not")
    func refusals() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let unexplained: Work = { _, _ in throw Refusal(.unexplained, code: "empty") }
        #expect(
            await code { try await auth.perform(replay: .fixed, unexplained) }
                == .signInRequired(.refusedWithoutReason))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        let refused: Work = { _, _ in throw Refusal(.definite, code: "session_not_found") }
        #expect(await code { try await auth.perform(replay: .fixed, refused) } == .signInRequired(.refused))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        #expect(try await bench.storedSecret == nil)
    }

    @Test("a refusal of what another process has replaced meanwhile ends nothing")
    func refusedTooLate() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let store = bench.store.inner
        let refused: Work = { _, _ in
            try await store.change { $0["renewalID"] = "another" }
            throw Refusal(.definite, code: "session_not_found")
        }
        _ = await code { try await auth.perform(replay: .fixed, refused) }
        #expect(try await bench.storedSecret == "refresh-1")
        #expect(try await auth.accessToken().value.revealText() == "access-1")
    }

    @Test("a mark whose care this version does not know is taken for the worst", .law(6))
    func unknownCare() async throws {
        let bench = Bench(rules: .scripted(refresh: .sameSuccessor))
        let auth = try await bench.signedIn()
        _ = await code { try await auth.perform(replay: .killsFamily, lost) }
        try await bench.store.inner.change { document in
            var mark = document["mark"]?.object ?? [:]
            mark["replay"] = "explodes"
            document["mark"] = .object(mark)
        }
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        let next = try bench.process(seed: 9)
        _ = await code { try await next.accessToken() }
        #expect(try await bench.store.onlyRecord().document["mark"]?["replay"]?.string == "killsFamily")
    }

    @Test("a plugin finds its provider by type, and by name where there are several")
    func providers() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        #expect(try auth.provider(ScriptedProvider.self).rules.binding.provider == "scripted")
        #expect(try auth.provider(ScriptedProvider.self, named: "scripted").rules.binding.provider == "scripted")
        #expect(await code { try auth.provider(ScriptedProvider.self, named: "other") } == .configuration(.invalid))
        var rules = ProviderRules.scripted()
        rules.binding.provider = "second"
        let second = ScriptedProvider(rules: rules)
        let both = try bench.process(seed: 9) { $0.provider(second) }
        #expect(await code { try both.provider(ScriptedProvider.self) } == .configuration(.invalid))
        #expect(try both.provider(ScriptedProvider.self, named: "second").rules.binding.provider == "second")
    }
}
