import Foundation
import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@Suite struct ConversationTests {
    private func challenge(
        _ bench: Bench, _ ask: Ask, id: String = "challenge-0123456789", expiresAt: Date? = nil,
        state: JSON = ["verifier": "v3rifier"]
    ) -> Challenge {
        Challenge(id: id, binding: bench.service.rules.binding, ask: ask, expiresAt: expiresAt, state: state)
    }

    private let visit = Ask.visit(url: "https://id.example.com/authorize", redirect: "http://127.0.0.1:1/cb")

    @Test("a challenge is answered by another process, which gets the provider's state with it")
    func answeredElsewhere() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: .turn(.asked(challenge(bench, visit))))
        guard case .asked(let asked) = try await auth.begin(.signIn(.browser()), with: "scripted") else {
            Issue.record("a challenge was expected")
            return
        }
        let other = try bench.process(seed: 9)
        #expect(try await other.pendingChallenges().map(\.id) == [asked.id])
        #expect(try await other.pendingChallenges().first?.state["verifier"]?.string == "v3rifier")
        guard case .signedIn(let session) = try await other.answer(.redirected(Secret("http://x")), to: asked.id) else {
            Issue.record("a session was expected")
            return
        }
        #expect(session.label == "alice")
        #expect(try await other.pendingChallenges().isEmpty)
        #expect(try await auth.restore().map(\.label) == ["alice"])
    }

    @Test("a redirect is good for one answer, also when that one fails", .standard(4))
    func redirectOnce() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(
            turns: .turn(.asked(challenge(bench, visit))), .failed(AuthError(.untrusted(.state), "another's")))
        _ = try await auth.begin(.signIn(.browser()), with: "scripted")
        let id = "challenge-0123456789"
        #expect(await code { try await auth.answer(.redirected(Secret("bad")), to: id) } == .untrusted(.state))
        #expect(await code { try await auth.answer(.redirected(Secret("good")), to: id) } == .refused(.expired))
        #expect(bench.service.answers.count == 1)
    }

    @Test("a redirect that was perhaps forged leaves the challenge as it was, for the person's own within its time")
    func stillOpen() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let forged = StillOpen(AuthError(.refused(.expired), "another's"))
        bench.service.script(turns: .turn(.asked(challenge(bench, visit))), .failed(forged), .failed(forged))
        _ = try await auth.begin(.signIn(.browser()), with: "scripted")
        let id = "challenge-0123456789"
        #expect(await code { try await auth.answer(.redirected(Secret("bad")), to: id) } == .refused(.expired))
        #expect(try await auth.pendingChallenges().map(\.id) == [id])
        bench.clock.advance(by: .seconds(500))
        #expect(await code { try await auth.answer(.redirected(Secret("bad")), to: id) } == .refused(.expired))
        guard case .signedIn = try await auth.answer(.redirected(Secret("good")), to: id) else {
            Issue.record("a session was expected")
            return
        }
        #expect(try await auth.pendingChallenges().isEmpty)
        bench.service.script(turns: .turn(.asked(challenge(bench, visit))), .failed(forged))
        _ = try await auth.begin(.signIn(.browser()), with: "scripted")
        bench.clock.advance(by: .seconds(500))
        #expect(await code { try await auth.answer(.redirected(Secret("bad")), to: id) } == .refused(.expired))
        // Its time does not begin anew.
        bench.clock.advance(by: .seconds(101))
        #expect(try await auth.pendingChallenges().isEmpty)
    }

    @Test("a presenter that goes on waiting is asked again after a redirect that was perhaps forged, and no other is")
    func goesOn() async throws {
        let forged = StillOpen(AuthError(.refused(.expired), "another's"))
        let other = AuthError(.untrusted(.state), "another's")
        for (error, patience, outcome) in [
            (forged as any Error, 2, nil), (forged, 1, AuthError.Code.refused(.expired)),
            (forged, 0, .refused(.expired)), (other, 2, .untrusted(.state)),
        ] {
            let bench = Bench()
            let auth = try bench.process()
            bench.service.script(turns: .turn(.asked(challenge(bench, visit))), .failed(error), .failed(error))
            let browser = PatientBrowser(patience)
            let ended = await code { try await auth.signIn(with: "scripted", .browser(), asking: browser) }
            #expect(ended == outcome)
            #expect(browser.asked.withLock { $0 } == (error is StillOpen ? patience + 1 : 1))
            #expect(try await auth.pendingChallenges().isEmpty)
        }
    }

    /// A browser that comes back as often as it is waited for.
    private final class PatientBrowser: RedirectReceiving {
        let asked = Locked(0)
        private let patience: Int

        init(_ patience: Int) { self.patience = patience }

        func openRedirect() async throws -> String { "http://127.0.0.1:1/cb" }

        func closeRedirect() async {}

        func answer(_ challenge: Challenge) async throws -> Answer {
            asked.withLock { $0 += 1 }
            return .redirected(Secret("http://127.0.0.1:1/cb?code=1"))
        }

        func goesOnWaiting(for challenge: Challenge) async -> Bool { asked.withLock { $0 } <= patience }
    }

    @Test("one that is too old, unknown or of another configuration is not answered; a declined one tells the provider")
    func refusals() async throws {
        let bench = Bench()
        let auth = try bench.process()
        #expect(await code { try await auth.answer(.poll, to: "no-such-challenge") } == .refused(.expired))

        bench.service.script(turns: .turn(.asked(challenge(bench, visit, id: "challenge-old-enough"))))
        _ = try await auth.begin(.signIn(.browser()), with: "scripted")
        bench.clock.advance(by: .seconds(601))
        #expect(await code { try await auth.answer(.poll, to: "challenge-old-enough") } == .refused(.expired))
        #expect(try await auth.pendingChallenges().isEmpty)
        try await bench.until { bench.declines == 1 }

        bench.service.script(turns: .turn(.asked(challenge(bench, .totp, id: "challenge-declined-x"))))
        _ = try await auth.begin(.signIn(.password(identifier: "a", Secret("p"))), with: "scripted")
        #expect(await code { try await auth.answer(.declined, to: "challenge-declined-x") } == .declined)
        #expect(try await auth.pendingChallenges().isEmpty)

        bench.service.script(turns: .turn(.asked(challenge(bench, .totp, id: "challenge-of-another"))))
        _ = try await auth.begin(.signIn(.password(identifier: "a", Secret("p"))), with: "scripted")
        var rules = bench.service.rules
        rules.binding.client = "another"
        let changed = try AuthClient.Builder().provider(ScriptedProvider(rules: rules)).store(bench.store)
            .transport(ScriptedTransport()).context(bench.world).build()
        #expect(
            await code { try await changed.answer(.code(Secret("1")), to: "challenge-of-another") }
                == .configuration(.changed))
        // What the service holds half-way is the provider's to end, of what is its own.
        #expect(bench.declines == 2)
        #expect(bench.service.answers.count == 2)
    }

    @Test("a conversation that nobody can go on with is declined at the provider, once, whatever ended it")
    func givenUp() async throws {
        for ending in ["lost", "cancelled", "late"] {
            let bench = Bench()
            let auth = try bench.process()
            bench.service.script(turns: .turn(.asked(challenge(bench, .totp))))
            let person = ScriptedPresenter(answering: { _ in
                if ending == "lost" { throw TransportError(.unreachable, wasSent: false) }
                try await Latch().wait()
                return .poll
            })
            let signingIn = Task {
                try await auth.signIn(with: "scripted", .password(identifier: "a", Secret("p")), asking: person)
            }
            try await person.waitForChallenges(1)
            if ending == "cancelled" { signingIn.cancel() }
            if ending == "late" {
                await bench.settle()
                bench.clock.advance(by: .seconds(601))
            }
            await #expect(throws: (any Error).self, "\(ending)") { try await signingIn.value }
            try await bench.until { bench.declines > 0 }
            await bench.settle()
            #expect(bench.declines == 1 && bench.service.answers.count == 1, "\(ending)")
            #expect(try await auth.pendingChallenges().isEmpty, "\(ending)")
        }
    }

    @Test("what another process answered meanwhile is not declined by who waited for it")
    func answeredMeanwhile() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let other = try bench.process(seed: 9)
        bench.service.script(turns: .turn(.asked(challenge(bench, .totp))))
        let person = ScriptedPresenter(answering: { challenge in
            _ = try await other.answer(.code(Secret("1")), to: challenge.id)
            throw CancellationError()
        })
        await #expect(throws: (any Error).self) {
            try await auth.signIn(with: "scripted", .password(identifier: "a", Secret("p")), asking: person)
        }
        await bench.settle()
        #expect(bench.declines == 0)
        #expect(try await auth.restore().map(\.label) == ["alice"])
    }

    @Test("a method the provider does not offer is refused before anything is opened or sent", .standard(13))
    func unsupportedMethod() async throws {
        var rules = ProviderRules.scripted()
        rules.methods = [.password]
        let bench = Bench(rules: rules)
        let auth = try bench.process()
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:1/cb") { $0 }
        #expect(
            await code { try await auth.signIn(with: "scripted", .browser(), asking: browser) }
                == .configuration(.unsupported))
        #expect(browser.openCount == 0)
        #expect(bench.service.beginCount == 0)
        #expect(await code { try await auth.signIn(with: "nobody", .anonymous) } == .configuration(.invalid))
    }

    @Test("a wrong code may be corrected twice; the third wrong one ends the sign-in, at the provider too")
    func correction() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let wrong = AuthError(.refused(.wrongInput), "wrong code")
        bench.service.script(
            turns: .turn(.asked(challenge(bench, .totp))), .failed(wrong), .failed(wrong))
        let person = ScriptedPresenter(answering: { _ in .code(Secret("123456")) })
        let session = try await auth.signIn(with: "scripted", .password(identifier: "a", Secret("p")), asking: person)
        #expect(session.label == "alice")
        #expect(person.challenges.count == 3)

        bench.service.script(
            turns: .turn(.asked(challenge(bench, .totp))), .failed(wrong), .failed(wrong), .failed(wrong))
        #expect(
            await code {
                try await auth.signIn(with: "scripted", .password(identifier: "a", Secret("p")), asking: person)
            } == .refused(.wrongInput))
        #expect(bench.declines == 1)
        #expect(try await auth.pendingChallenges().isEmpty)
        guard case .declined? = bench.service.answers.last, bench.service.answers.count == 7 else {
            Issue.record("the provider was not told that nobody goes on")
            return
        }
        #expect(try await auth.accessToken().value.revealText().hasPrefix("access-"))
    }

    @Test("a person who interrupts a question is told so, and the provider that nobody goes on")
    func interrupted() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: .turn(.asked(challenge(bench, .totp))))
        let person = ScriptedPresenter(answering: { _ in throw AuthError(.cancelled, "Ctrl-C") })
        #expect(
            await code {
                try await auth.signIn(with: "scripted", .password(identifier: "a", Secret("p")), asking: person)
            } == .cancelled)
        #expect(try await auth.pendingChallenges().isEmpty)
        guard case .declined? = bench.service.answers.first, bench.service.answers.count == 1 else {
            Issue.record("the provider was not told that nobody goes on")
            return
        }
    }

    @Test("the redirect address is opened before the URL is built, and closed whatever happens", .standard(27))
    func redirectAddress() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: .turn(.asked(challenge(bench, visit))), .failed(AuthError(.declined, "no")))
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:1/cb") { _ in "http://127.0.0.1:1/cb?error=x" }
        #expect(await code { try await auth.signIn(with: "scripted", .browser(), asking: browser) } == .declined)
        #expect(browser.openCount == 1)
        #expect(browser.closeCount == 1)
    }

    @Test("a device code is polled in its interval, longer when the service says so, until somebody approves")
    func device() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let five = Ask.device(.init(userCode: "ABCD", at: "https://id.example.com/device", interval: .seconds(5)))
        let ten = Ask.device(.init(userCode: "ABCD", at: "https://id.example.com/device", interval: .seconds(10)))
        bench.service.script(
            turns: .turn(.asked(challenge(bench, five))), .turn(.asked(challenge(bench, five))),
            .turn(.asked(challenge(bench, ten))))
        let person = ScriptedPresenter()
        let begun = bench.clock.now()
        let session = try await bench.run { try await auth.signIn(with: "scripted", .device, asking: person) }
        #expect(session.label == "alice")
        #expect(bench.clock.now() - begun == .seconds(20))
        #expect(bench.service.answers.count == 3)
        #expect(person.challenges.count == 1)
        #expect(person.cancelledCount == 1)
    }

    @Test("a presenter leads any request, not only a sign-in")
    func everyRequest() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: .turn(.asked(challenge(bench, .code(over: .mail, sentTo: "a")))))
        let person = ScriptedPresenter(answering: { _ in .code(Secret("123456")) })
        let form = SignUpForm(identifier: "alice@example.test")
        let end = try await auth.converse(.signUp(form), with: "scripted", asking: person)
        #expect(end.session?.label == "alice")
        guard case .signUp(let sent)? = bench.service.requests.first else {
            Issue.record("a sign-up was expected")
            return
        }
        #expect(sent.identifier == form.identifier)
        #expect(person.challenges.count == 1)
    }

    @Test("a device code that nobody enters expires on our own clock", .law(14))
    func deviceExpires() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let ask = Ask.device(.init(userCode: "ABCD", at: "https://id.example.com/device", interval: .seconds(5)))
        let until = bench.clock.wall().addingTimeInterval(30)
        let waiting = challenge(bench, ask, expiresAt: until)
        for _ in 0..<10 { bench.service.script(turns: .turn(.asked(waiting))) }
        let outcome = try await bench.run {
            await code { try await auth.signIn(with: "scripted", .device, asking: ScriptedPresenter()) }
        }
        #expect(outcome == .refused(.expired))
        #expect(bench.service.answers.count == 6 && bench.declines == 1)
    }

    @Test("a person who declines on the device screen stops the polling")
    func deviceDeclined() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let ask = Ask.device(.init(userCode: "ABCD", at: "https://id.example.com/device"))
        bench.service.script(turns: .turn(.asked(challenge(bench, ask))))
        let person = ScriptedPresenter(answering: { _ in .declined })
        #expect(await code { try await auth.signIn(with: "scripted", .device, asking: person) } == .declined)
        #expect(bench.service.answers.count == 1 && bench.declines == 1)
        #expect(try await auth.pendingChallenges().isEmpty)
    }

    @Test(
        "a session that cannot be stored is told, kept in memory, and stored once the store works", .law(2),
        .complaint(.supabase, 9))
    func notStored() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .store(.full))
        #expect(auth.currentToken()?.isDurable == false)
        #expect(try await auth.accounts().first?.isDurable == false)
        #expect(try await bench.process(seed: 9).accounts().isEmpty)
        bench.store.failCommits(nil)
        try await bench.run {
            while auth.currentToken()?.isDurable != true { await Task.yield() }
        }
        #expect(try await bench.process(seed: 10).accounts().map(\.label) == ["alice"])
    }

    @Test("a session that cannot be stored survives a refresh, and signing out of it revokes it")
    func notStoredThenUsed() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        _ = await code { try await auth.signIn(with: "scripted", .anonymous) }
        #expect(await code { try await auth.refresh() } == .store(.notDurable))
        #expect(auth.currentToken()?.value.revealText() == "access-1")
        #expect(try await auth.signOut() == .revoked)
        bench.store.failCommits(nil)
        #expect(auth.currentToken() == nil)
        #expect(bench.service.revokedSecrets == ["refresh-1"])
        #expect(try await bench.process(seed: 9).accounts().isEmpty)
    }

    @Test("12: a sign-in whose commit was reported as failed, but took effect, is one sign-in")
    func ambiguousCommit() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.store.script(replaces: .doneButFailed(AuthError(.store(.unavailable), "?")))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(auth.currentToken()?.isDurable == true)
        #expect(bench.service.revokeCount == 0)
    }

    @Test("challenges that nobody answers do not pile up", .law(14), .standard(4))
    func bound() async throws {
        let bench = Bench()
        let auth = try bench.process()
        for number in 0..<50 {
            bench.service.script(
                turns: .turn(.asked(challenge(bench, .totp, id: "challenge-number-\(1000 + number)"))))
            _ = try await auth.begin(.signIn(.anonymous), with: "scripted")
            bench.clock.advance(by: .seconds(1))
        }
        let waiting = try await auth.pendingChallenges()
        #expect(waiting.count == 32)
        #expect(waiting.last?.id == "challenge-number-1049")
    }
}

extension Bench {
    /// How often the provider was told that somebody declined.
    fileprivate var declines: Int {
        service.answers.count { answer in if case .declined = answer { true } else { false } }
    }
}
