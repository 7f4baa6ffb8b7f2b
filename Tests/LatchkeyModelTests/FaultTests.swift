import Latchkey
import LatchkeyTesting
import Proofs
import TaskSettling
import Testing

@testable import LatchkeyModel

/// What the person sees when something is broken, gone, or done by somebody else.
@MainActor @Suite("Faults that the model meets") struct FaultTests {
    @Test("a store that is locked at launch is locked, and not empty; the unlock brings the person back", .need("N4"))
    func lockedAtLaunch() async throws {
        let clock = ManualClock()
        let memory = MemoryStore(context: .testing(clock: clock))
        let key = Secret([UInt8](repeating: 7, count: 32))
        func window() throws -> AuthModel {
            let context = PluginContext.testing(clock: clock)
            let unlock = ScriptedKeyUnlock(ScriptedUnlock(clock: clock), key: UnlockKey(.key(source: "test"), key))
            let client = try AuthClient.Builder().provider(ScriptedProvider())
                .store(KeyedStore(memory, key: key)).transport(ScriptedTransport()).context(context)
                .unlock(unlock, reason: "Show your notes").build()
            return AuthModel(client, context: context)
        }
        let first = try window()
        #expect(await first.start() == .done)
        #expect(first.state == .locked)
        #expect(await first.unlock() == .done)
        #expect(first.state == .signedOut)
        #expect(await first.signIn(.anonymous, with: "scripted") == .done)
        let next = try window()
        #expect(await next.start() == .done)
        #expect(next.state == .locked)
        #expect(next.accounts.isEmpty)
        #expect(next.notice == nil)
        #expect(await next.unlock() == .done)
        #expect(next.state == .signedIn)
        #expect(next.person?.label == "alice")
    }

    @Test("a store that cannot be read is no sign-out: it says so, and the button reads it again", .need("N4"))
    func unreadable() async throws {
        let bench = try ModelBench()
        let model = bench.model
        _ = try await bench.client.signIn(with: "scripted", .anonymous)
        let later = try ModelBench(over: bench.store)
        bench.store.failKeys(AuthError(.store(.unavailable), "gone"))
        guard case .failed = await later.model.start() else { throw ModelBench.Stuck() }
        #expect(later.model.state == .unavailable)
        #expect(later.model.notice?.presses.first == .tryAgain)
        guard case .failed = await later.model.press(.tryAgain) else { throw ModelBench.Stuck() }
        bench.store.failKeys(nil)
        #expect(await later.model.press(.tryAgain) == .done)
        #expect(later.model.state == .signedIn)
        #expect(later.model.notice == nil)
        #expect(model.state == .restoring)
    }

    @Test(
        "no provider reachable: the notice speaks of the connection and not of the password, which stays typed",
        .need("N13"))
    func unreachable() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: .failed(TransportError(.unreachable, wasSent: false)))
        bench.fillIn()
        guard case .failed(let error) = await model.submit() else { throw ModelBench.Stuck() }
        #expect(error.code == .offline(.signIn))
        #expect(model.stage.phase == .form)
        #expect(model.notice?.presses == [.tryAgain, .dismiss])
        #expect(model.notice?.guidance(in: .english).contains("connection") == true)
        #expect(model.form.password.revealText() == "correct horse")
        #expect(await model.press(.tryAgain) == .done)
        #expect(model.state == .signedIn)
        #expect(bench.service.beginCount == 2)
    }

    @Test("a password that the service has judged is gone from the form; the address stays")
    func wrongPassword() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: .failed(AuthError(.refused(.wrongInput), "wrong")))
        bench.fillIn()
        _ = await model.submit()
        #expect(model.notice?.error.code == .refused(.wrongInput))
        #expect(model.form.password.isEmpty)
        #expect(model.form.identifier == "alice@example.com")
        #expect(await model.submit() == .notNow)
    }

    @Test("a wrong code can be corrected, and a lost one sent again: the challenge stays through both")
    func correctedCode() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(
            turns: bench.code, .failed(AuthError(.refused(.wrongInput), "wrong")),
            .failed(TransportError(.unreachable, wasSent: true)), .granted(to: "alice"))
        bench.fillIn()
        await model.submit()
        model.editChallenge { $0.setEntry("111111") }
        _ = await model.answer()
        #expect(model.stage.challenge?.wasWrong == true)
        #expect(model.stage.challenge?.entry.isEmpty == true)
        model.editChallenge { $0.setEntry("123456") }
        _ = await model.answer()
        #expect(model.notice?.error.code == .offline(.signIn))
        #expect(model.stage.challenge?.entry.revealText() == "123456")
        #expect(await model.press(.tryAgain) == .done)
        #expect(model.state == .signedIn)
        #expect(bench.service.answers.count == 3)
    }

    @Test("a challenge that another window answered is over here too: both show the person")
    func otherWindow() async throws {
        let bench = try ModelBench()
        let other = AuthModel(bench.client, context: .testing(clock: bench.clock))
        await bench.model.start()
        await other.start()
        bench.service.script(turns: bench.code, .granted(to: "alice"))
        bench.fillIn()
        await bench.model.submit()
        #expect(await other.resume() == .done)
        other.editChallenge { $0.setEntry("123456") }
        #expect(await other.answer() == .done)
        #expect(other.state == .signedIn)
        try await bench.advance { bench.model.stage.phase == .succeeded }
        #expect(bench.model.state == .signedIn)
        #expect(bench.service.answers.count == 1)
    }

    @Test("a sign-in of another account elsewhere leaves the challenge here alone")
    func otherAccount() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: bench.code, .granted(to: "bob"), .granted(to: "alice"))
        bench.fillIn()
        await model.submit()
        _ = try await bench.client.signIn(with: "scripted", .anonymous)
        try await bench.until { model.state == .signedIn }
        await settleTasks()
        #expect(model.stage.phase == .asked)
        model.editChallenge { $0.setEntry("123456") }
        #expect(await model.answer() == .done)
        #expect(model.accounts.count == 2)
        #expect(model.person?.label == "alice")
    }

    @Test("a challenge that was used up elsewhere, without a sign-in, leads back to the form and says so")
    func usedUp() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: bench.code)
        bench.fillIn()
        await model.submit()
        _ = try? await bench.client.answer(.declined, to: "challenge-of-sixteen")
        model.editChallenge { $0.setEntry("123456") }
        guard case .failed(let error) = await model.answer() else { throw ModelBench.Stuck() }
        #expect(error.code == .refused(.expired))
        #expect(model.stage.phase == .form)
        #expect(model.notice?.presses.contains(.signIn) == true)
    }

    @Test("a session that the disk could not take counts as signed in, with a notice, and not as a failure")
    func notDurable() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.store.failCommits(AuthError(.store(.full), "full"))
        bench.fillIn()
        guard case .failed(let error) = await model.submit() else { throw ModelBench.Stuck() }
        #expect(error.recovery == .repairStore)
        #expect(model.stage.phase == .succeeded)
        #expect(model.state == .signedIn)
        #expect(model.persistence == .notStoredYet)
        #expect(model.notice != nil)
    }

    @Test("a session that the service ended keeps its name and says why; signing in again is one form away")
    func signInAgain() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.fillIn()
        await model.submit()
        model.dismiss()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "user_banned", reason: .banned)))
        _ = try? await bench.client.refresh()
        try await bench.until { model.state == .signInAgain(because: .banned) }
        #expect(model.person?.label == "alice")
        bench.fillIn()
        #expect(await model.submit() == .done)
        #expect(model.state == .signedIn)
    }

    @Test("a lock that falls while a challenge is shown keeps it: unlocked, the same answer goes on")
    func lockedAtChallenge() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: bench.code, .granted(to: "alice"))
        bench.fillIn()
        await model.submit()
        model.editChallenge { $0.setEntry("123456") }
        await model.lock()
        guard case .failed(let error) = await model.answer() else { throw ModelBench.Stuck() }
        #expect(error.code == .locked)
        #expect(bench.service.answers.isEmpty)
        #expect(model.stage.challenge?.entry.revealText() == "123456")
        #expect(await model.press(.unlock) == .done)
        #expect(await model.answer() == .done)
        #expect(model.state == .signedIn)
    }

    @Test("a redirect is good once: one that the service refuses leads back to the form, and a good one signs in")
    func redirect() async throws {
        let (bench, model) = try await ModelBench().started()
        model.redirect = "http://127.0.0.1:4711/back"
        let visit = ScriptedProvider.TurnStep.turn(
            .asked(bench.challenge(.visit(url: "https://id.example.com/in", redirect: "http://127.0.0.1:4711/back"))))
        bench.service.script(
            turns: visit, .failed(AuthError(.untrusted(.state), "foreign")), visit, .granted(to: "alice"))
        await model.signIn(.browser(), with: "scripted")
        #expect(await model.answer() == .notNow)
        guard case .failed = await model.answer(.redirected(Secret("http://127.0.0.1:4711/back?code=x"))) else {
            throw ModelBench.Stuck()
        }
        #expect(model.stage.phase == .form)
        #expect(model.notice?.presses == [.dismiss])
        #expect(await model.answer(.redirected(Secret("again"))) == .notNow)
        await model.signIn(.browser(), with: "scripted")
        #expect(await model.answer(.redirected(Secret("http://127.0.0.1:4711/back?code=y"))) == .done)
        #expect(model.state == .signedIn)
    }

    @Test("an address that may belong to another sign-in is offered: refused, the challenge stays as it was")
    func offered() async throws {
        let bench = try ModelBench()
        let model = bench.model
        await model.start()
        #expect(await model.offer(Secret("http://127.0.0.1:4711/back?code=x")) == .notNow)
        bench.service.script(
            turns: .turn(.asked(bench.challenge(.visit(url: "https://id.example.com/in", redirect: "http://x")))),
            .failed(AuthError(.refused(.other), "foreign")), .granted(to: "alice"))
        await model.signIn(.browser(), with: "scripted")
        guard case .failed(let error) = await model.offer(Secret("http://127.0.0.1:4711/back?code=x")) else {
            throw ModelBench.Stuck()
        }
        #expect(error.code == .refused(.other))
        #expect(model.stage.phase == .asked)
        #expect(await model.offer(Secret("http://127.0.0.1:4711/back?code=y")) == .done)
        #expect(model.state == .signedIn)
    }

    @Test("an answer that no passkey or wallet gave is refused by the person: declining leads back to the form")
    func declined() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: .turn(.asked(bench.challenge(.wallet(message: "sign me")))))
        await model.signIn(.wallet(chain: "solana"), with: "scripted")
        #expect(model.stage.challenge?.kind == .wallet)
        #expect(await model.resend() == .notNow)
        #expect(await model.answer(.declined) == .done)
        #expect(model.stage.phase == .form)
        #expect(model.notice == nil)
    }

    @Test("a form that is sent while locked asks for the unlock, and keeps what was typed")
    func lockedForm() async throws {
        let (bench, model) = try await ModelBench(policy: UnlockPolicy()).started()
        #expect(model.state == .locked)
        bench.fillIn()
        guard case .failed(let error) = await model.submit() else { throw ModelBench.Stuck() }
        #expect(error.code == .locked)
        #expect(bench.service.beginCount == 0)
        #expect(model.notice?.presses.first == .unlock)
        #expect(await model.press(.unlock) == .done)
        #expect(model.form.password.revealText() == "correct horse")
        #expect(await model.submit() == .done)
        #expect(model.state == .signedIn)
    }
}
