import FoundationEssentials
import Latchkey
import LatchkeyTesting
import Proofs
import TaskSettling
import Testing

@testable import LatchkeyModel

/// The lock, the shield, the offer, accounts, and what happens to a session meanwhile.
@MainActor @Suite("Sessions of the model") struct LockTests {
    private func signedIn(
        _ policy: UnlockPolicy = UnlockPolicy(atLaunch: false), rules: ProviderRules = .scripted()
    ) async throws -> ModelBench {
        let bench = try ModelBench(rules: rules, policy: policy)
        await bench.model.start()
        bench.fillIn()
        #expect(await bench.model.submit() == .done)
        bench.model.dismiss()
        return bench
    }

    @Test(
        "a passing interruption raises the shield and locks nothing; the background locks after its time", .need("N19"))
    func phases() async throws {
        let bench = try await signedIn(UnlockPolicy(atLaunch: false, afterBackground: .seconds(60)))
        let model = bench.model
        await model.setPhase(.inactive)
        #expect(model.isShielded)
        #expect(model.state == .signedIn)
        await model.setPhase(.active)
        #expect(!model.isShielded)
        await model.setPhase(.background)
        #expect(model.isShielded)
        #expect(model.state == .signedIn)
        try await bench.advance { model.state == .locked }
        await model.setPhase(.active)
        #expect(model.isShielded)
        #expect(model.person?.label == nil)
        #expect(await model.unlock() == .done)
        #expect(!model.isShielded)
        #expect(model.state == .signedIn)
    }

    @Test(
        "the shield is up as soon as the phase is told, before anything is awaited, and nothing takes it down early",
        .need("L3"))
    func shieldFirst() async throws {
        let bench = try await signedIn()
        let model = bench.model
        model.raiseShield(for: .background)
        #expect(model.isShielded)
        // The client does not know of the phase yet.
        await model.look()
        #expect(model.isShielded)
        await model.setPhase(.active)
        #expect(!model.isShielded)
        let open = try ModelBench(policy: UnlockPolicy(atLaunch: false, shields: false))
        open.model.raiseShield(for: .background)
        #expect(!open.model.isShielded)
    }

    @Test(
        "a declined proof shows nothing; a wrong one and a lockout say what to do, and offer the other way if any",
        .need("N3", "N17"))
    func unlockFailures() async throws {
        let bench = try await signedIn()
        let model = bench.model
        await model.lock()
        bench.unlock.script(.failed(AuthError(.declined, "no")))
        guard case .failed = await model.unlock() else { throw ModelBench.Stuck() }
        #expect(model.notice == nil)
        bench.unlock.script(.failed(AuthError(.refused(.wrongInput), "wrong")))
        _ = await model.unlock()
        #expect(model.notice?.presses == [.correct, .dismiss])
        bench.unlock.set(.lockedOut(.seconds(30)))
        _ = await model.unlock()
        #expect(model.notice?.error.code == .unlockUnavailable(.lockedOut))
        #expect(model.notice?.guidance(in: .english) == "Try again in 30 s, or use another way")
        let waits = [(Duration.milliseconds(1_001), "2 s"), (.seconds(300), "5 min"), (.seconds(301), "6 min")]
        for (rest, text) in waits {
            let notice = ModelNotice(AuthError(.unlockUnavailable(.lockedOut), "no", retryAfter: rest))
            #expect(notice.guidance(in: .english) == "Try again in \(text), or use another way")
        }
        #expect(model.state == .locked)
        var error = AuthError(.unlockUnavailable(.notEnrolled), "none")
        error.offersFallback = true
        #expect(ModelNotice(error).presses.first == .unlockOtherWay)
    }

    @Test(
        "a person who can give no proof starts over: every session here ends, and the form is there", .need("N5", "B5"))
    func startOver() async throws {
        let bench = try await signedIn()
        let model = bench.model
        await model.lock()
        bench.unlock.set(.invalidated)
        _ = await model.unlock()
        #expect(model.notice?.presses.contains(.startOver) == true)
        #expect(await model.press(.startOver) == .done)
        #expect(model.accounts.isEmpty)
        bench.unlock.set(.available)
        #expect(model.state == .signedOut || model.state == .locked)
    }

    @Test(
        "the unlock is offered once after the first sign-in, and the toggle follows what the person chose",
        .need("N18", "B3"))
    func offer() async throws {
        let policy = UnlockPolicy(enrolment: .offered, keeping: .whileEnabled)
        let bench = try await signedIn(policy)
        let model = bench.model
        try await bench.until { model.offersUnlock }
        #expect(!model.unlockOfferText.isEmpty)
        #expect(model.persistence == .thisLaunchOnly)
        bench.unlock.script(.failed(AuthError(.declined, "no")))
        guard case .failed = await model.setUnlockEnabled(true) else { throw ModelBench.Stuck() }
        #expect(model.offersUnlock)
        #expect(!model.isUnlockEnabled)
        #expect(await model.setUnlockEnabled(true) == .done)
        #expect(!model.offersUnlock)
        #expect(model.isUnlockEnabled)
        #expect(model.persistence == .kept)
        #expect(await model.setUnlockEnabled(false) == .done)
        #expect(!model.isUnlockEnabled)
        await model.signOut()
        bench.fillIn()
        await model.submit()
        await settleTasks()
        #expect(!model.offersUnlock)
    }

    @Test("an offline service keeps the person signed in, with the time until which access lasts", .need("N11"))
    func offline() async throws {
        let bench = try await signedIn()
        let model = bench.model
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        guard case .failed = await model.staySignedIn() else { throw ModelBench.Stuck() }
        guard case .offline(let until) = model.state else { throw ModelBench.Stuck() }
        #expect(until == bench.clock.wall().addingTimeInterval(3_600))
        #expect(model.person?.label == "alice")
        #expect(await model.press(.tryAgain) == .done)
        #expect(model.state == .signedIn)
    }

    @Test(
        "the warning before the end says how long, is about the current account only, and staying takes it away",
        .need("N10"))
    func expiry() async throws {
        let bench = try await signedIn()
        let model = bench.model
        guard let person = model.person else { throw ModelBench.Stuck() }
        await model.hear(.expiring(AccountID("another"), Expiry(.access, in: .seconds(90))))
        #expect(model.expiryWarning == nil)
        await model.hear(.expiring(person.id, Expiry(.access, in: .seconds(90))))
        let now = bench.clock.now()
        #expect(model.expiryWarning?.text(at: now, in: .english) == "Your access ends in 2 minutes")
        #expect(model.expiryWarning?.text(at: now + .seconds(80), in: .english) == "Your access ends in a minute")
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        _ = await model.staySignedIn()
        #expect(model.expiryWarning != nil)
        bench.clock.advance(by: .seconds(60))
        #expect(await model.staySignedIn() == .done)
        #expect(model.expiryWarning == nil)
        #expect(bench.service.refreshCount == 2)
    }

    @Test("an end of the session that was announced is taken back by a session that ends later, and by nothing else")
    func movedEnd() async throws {
        let bench = try ModelBench(rules: .scripted(elevation: .fixed))
        let model = bench.model
        func grant(_ number: Int, ends seconds: Int64) -> ScriptedProvider.TurnStep {
            let account = AccountID(subject: "alice", of: bench.service.rules.binding)
            func lasting(_ lasts: Duration) -> Lifetime {
                Lifetime(
                    receivedAt: bench.clock.now(), boot: bench.clock.boot, wall: bench.clock.wall(), lasts: lasts)
            }
            var session = AuthSession(
                id: AuthSession.ID("session-\(number)"), account: account, label: "alice",
                tokens: [.standard: AccessToken(Secret("token-\(number)"), lifetime: lasting(.seconds(3_600)))])
            session.limits = SessionLimits(absolute: lasting(.seconds(seconds)))
            return .turn(.signedIn(Grant(refreshToken: Secret("secret-\(number)"), session)))
        }
        bench.service.script(turns: grant(1, ends: 300), grant(2, ends: 300), grant(3, ends: 3_600))
        // Before the model listens, so that no event of it comes late.
        _ = try await bench.client.signIn(with: "scripted", .anonymous)
        await model.start()
        guard let person = model.person else { throw ModelBench.Stuck() }
        await model.hear(.expiring(person.id, Expiry(.absolute, in: .seconds(300))))
        #expect(await model.stepUp() == .done)
        await model.look()
        #expect(model.expiryWarning != nil, "The new session ends at the same time.")
        #expect(await model.stepUp() == .done)
        await model.look()
        #expect(model.expiryWarning == nil)
    }

    @Test("accounts are switched and signed out one by one; the next one takes the place of the one that left")
    func accounts() async throws {
        let bench = try await signedIn()
        let model = bench.model
        guard let alice = model.person?.id else { throw ModelBench.Stuck() }
        bench.service.script(turns: .granted(to: "bob"))
        bench.fillIn()
        await model.submit()
        #expect(model.accounts.map(\.label) == ["bob", "alice"])
        #expect(await model.switchTo(alice) == .done)
        #expect(model.person?.id == alice)
        guard case .failed(let error) = await model.switchTo(AccountID("nobody")) else { throw ModelBench.Stuck() }
        #expect(error.code == .signInRequired(.signedOut))
        #expect(model.state == .signedIn)
        #expect(await model.signOut() == .done)
        #expect(model.person?.label == "bob")
        #expect(await model.signOut(scope: .everywhere) == .done)
        #expect(model.state == .signedOut)
        #expect(bench.service.revocations.map(\.scope) == [.thisSession, .everywhere])
    }

    @Test("a way to sign in is linked to the current account, and a recovery ends where the service says")
    func linking() async throws {
        let bench = try await signedIn()
        let model = bench.model
        bench.service.script(turns: .turn(.continuesElsewhere(.message(over: .mail, sentTo: "a@example.com"))))
        bench.fillIn(.link)
        #expect(await model.submit() == .done)
        #expect(model.elsewhereText == "Go on in the message that was sent to a@example.com")
        model.dismiss()
        guard case .link? = bench.service.requests.last else { throw ModelBench.Stuck() }
        bench.service.script(
            turns: .turn(.asked(bench.challenge(.newPassword(rules: ["8 characters"])))),
            .turn(.continuesElsewhere(.signIn)))
        bench.fillIn(.recover)
        await model.submit()
        model.editChallenge { $0.setEntry(" new password ") }
        #expect(await model.answer() == .done)
        #expect(model.elsewhereText == "Everything is done; sign in now")
        guard case .password(let sent)? = bench.service.answers.last else { throw ModelBench.Stuck() }
        #expect(sent.revealText() == " new password ")
    }

    @Test("a resource's demand for a stronger proof is kept until it was met")
    func stepUp() async throws {
        let bench = try await signedIn()
        let model = bench.model
        guard let person = model.person else { throw ModelBench.Stuck() }
        await model.hear(.stepUpRequired(person.id, StepUp(acr: ["aal2"])))
        bench.service.script(turns: .failed(AuthError(.declined, "no")), .granted(to: "alice"))
        _ = await model.stepUp()
        #expect(model.stepUpDemand != nil)
        #expect(await model.stepUp() == .done)
        #expect(model.stepUpDemand == nil)
        guard case .stepUp(let sent, _)? = bench.service.requests.last else { throw ModelBench.Stuck() }
        #expect(sent.acr == ["aal2"])
    }

    @Test("a window that closed is let go of, and nothing keeps it")
    func letGo() async throws {
        let bench = try ModelBench()
        var model: AuthModel? = AuthModel(bench.client, context: .testing(clock: bench.clock))
        await model?.start()
        bench.service.script(
            turns: .turn(.asked(bench.challenge(.device(Ask.Device(userCode: "A", at: "https://id.example.com"))))))
        _ = await model?.signIn(.device, with: "scripted")
        weak let gone = model
        model = nil
        try await bench.until { gone == nil }
        #expect(gone == nil)
    }
}
