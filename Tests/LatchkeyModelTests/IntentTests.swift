import Latchkey
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyModel

/// Double taps, cancelling, and what is under way.
@MainActor @Suite("Intents of the model") struct IntentTests {
    @Test("a whole life: restore, sign in by password and code, sign out", .need("N20", "B8", "R3"))
    func wholeLife() async throws {
        let bench = try ModelBench()
        let model = bench.model
        #expect(model.state == .restoring)
        #expect(await model.start() == .done)
        #expect(model.state == .signedOut)
        bench.service.script(turns: bench.code, .granted(to: "alice"))
        bench.fillIn()
        #expect(await model.submit() == .done)
        #expect(model.form.password.isEmpty)
        #expect(model.stage.challenge?.kind == .code)
        model.editChallenge { $0.setEntry("123 456") }
        #expect(await model.answer() == .done)
        #expect(model.stage.phase == .succeeded)
        #expect(model.successText == "You are signed in")
        #expect(model.state == .signedIn)
        #expect(model.person?.label == "alice")
        guard case .code(let sent)? = bench.service.answers.last else { throw ModelBench.Stuck() }
        #expect(sent.revealText() == "123456")
        model.dismiss()
        #expect(await model.signOut() == .done)
        #expect(model.state == .signedOut)
        #expect(model.person == nil)
        #expect(model.activity == nil)
    }

    @Test("a double tap sends one request; the second tap is told that the first is under way", .need("N14"))
    func doubleTap() async throws {
        let (bench, model) = try await ModelBench().started()
        let latch = Latch()
        let first = try await bench.submitting(.held(latch, then: .granted(to: "alice")))
        #expect(model.loadingText == "Signing in")
        let others: [IntentResult] = [
            await model.submit(), await model.signIn(.anonymous, with: "scripted"), await model.answer(),
            await model.resend(), await model.resume(), await model.signOut(), await model.staySignedIn(),
            await model.switchTo(AccountID("nobody")), await model.unlock(), await model.setUnlockEnabled(true),
            await model.startOver(), await model.stepUp(), await model.tryAgain(), model.show(.signUp),
        ]
        #expect(others.allSatisfy { $0 == .alreadyUnderWay })
        latch.open()
        #expect(await first.value == .done)
        #expect(bench.service.beginCount == 1)
        #expect(model.state == .signedIn)
    }

    @Test("cancel wins over a request under way: the form is back at once, and the request is told")
    func cancelWins() async throws {
        let (bench, model) = try await ModelBench().started()
        let first = try await bench.submitting(.held(Latch(), then: .granted(to: "alice")))
        #expect(await model.cancel() == .done)
        #expect(model.stage.phase == .form)
        #expect(model.activity == nil)
        #expect(await first.value == .cancelled)
        #expect(model.state == .signedOut)
        #expect(model.notice == nil)
        #expect(model.form.password.isEmpty)
        #expect(await model.cancel() == .notNow)
        // The next attempt is a new one, and the end of the old one does not touch it.
        bench.fillIn()
        #expect(await model.submit() == .done)
        #expect(model.stage.phase == .succeeded)
    }

    @Test("the task of the caller that is cancelled, as of a view that went away, cancels the sign-in")
    func callerCancelled() async throws {
        let (bench, model) = try await ModelBench().started()
        let first = try await bench.submitting(.held(Latch(), then: .granted(to: "alice")))
        first.cancel()
        #expect(await first.value == .cancelled)
        #expect(model.stage.phase == .form)
        #expect(model.activity == nil)
        #expect(model.notice == nil)
    }

    @Test("a session that was granted before the cancel is not lost: the state shows it, the intent stays cancelled")
    func grantedBeforeCancel() async throws {
        let (bench, model) = try await ModelBench().started()
        let (reached, latch) = (Latch(), Latch())
        bench.store.script(
            replaces: .after {
                reached.open()
                try await latch.wait()
            })
        bench.fillIn()
        let first = Task { await model.submit() }
        try await reached.wait()
        #expect(await model.cancel() == .done)
        #expect(await first.value == .cancelled)
        #expect(model.state == .signedOut)
        latch.open()
        try await bench.until { model.state == .signedIn }
        #expect(model.stage.phase == .form)
    }

    @Test("cancelling at a challenge tells the service that nobody will answer, and no answer is taken any more")
    func cancelChallenge() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: bench.code)
        bench.fillIn()
        await model.submit()
        #expect(await model.cancel() == .done)
        try await bench.until { bench.service.answers.count == 1 }
        guard case .declined? = bench.service.answers.first else { throw ModelBench.Stuck() }
        #expect(await model.answer(.code(Secret("1"))) == .notNow)
        #expect(await model.answer() == .notNow)
        try await bench.until { model.stage.phase == .form }
    }

    @Test("what changes the store cannot be cancelled half-way: cancel is told, and the sign-out ends")
    func notCancellable() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.fillIn()
        await model.submit()
        let (reached, latch) = (Latch(), Latch())
        bench.store.script(
            replaces: .after {
                reached.open()
                try await latch.wait()
            })
        let leaving = Task { await model.signOut() }
        try await reached.wait()
        #expect(model.loadingText == "Signing out")
        #expect(await model.cancel() == .notNow)
        latch.open()
        #expect(await leaving.value == .done)
        #expect(model.state == .signedOut)
    }

    @Test("an unlock that is cancelled leaves the challenge beside it alone")
    func cancelUnlock() async throws {
        let (bench, model) = try await ModelBench().started()
        bench.service.script(turns: bench.code)
        bench.fillIn()
        await model.submit()
        await model.lock()
        #expect(model.state == .locked)
        let latch = Latch()
        bench.unlock.script(.held(latch, then: .granted))
        let unlocking = Task { await model.unlock() }
        try await bench.unlock.waitForPrompts(1)
        #expect(await model.cancel() == .done)
        #expect(await unlocking.value == .cancelled)
        #expect(model.stage.phase == .asked)
        // The prompt stayed up, and its proof counts.
        latch.open()
        try await bench.until { model.state == .signedOut }
    }

    @Test("nothing is begun where it makes no sense")
    func notNow() async throws {
        let (bench, model) = try await ModelBench(options: { $0.methods = [.password] }).started()
        #expect(await model.start() == .notNow)
        #expect(await model.submit() == .notNow)
        #expect(await model.answer() == .notNow)
        #expect(await model.answer(.poll) == .notNow)
        #expect(await model.resend() == .notNow)
        #expect(await model.resume() == .notNow)
        #expect(await model.cancel() == .notNow)
        #expect(await model.tryAgain() == .notNow)
        #expect(await model.stepUp() == .notNow)
        #expect(await model.press(.tryAgain) == .notNow)
        #expect(model.show(.link) == .notNow)
        #expect(bench.service.beginCount == 0)
        #expect(bench.moves.count == 1)
    }
}
