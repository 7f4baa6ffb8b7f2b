import Latchkey
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// A sign-in whose task is cancelled, or whose program ends, at each moment.
@Suite struct CancelledSignInTests {
    private typealias Scene = EndTests.Scene

    private func asked(_ ask: Ask, _ scene: Scene) -> ScriptedProvider.TurnStep {
        let binding = scene.bench.service.rules.binding
        return .turn(.asked(Challenge(id: "challenge-0123456789", binding: binding, ask: ask)))
    }

    @Test("before its request leaves it is given up, and the service is not asked", .law(7), arguments: [false, true])
    func before(_ isSignal: Bool) async throws {
        let scene = try Scene()
        let document = scene.network.hold("/keys")
        let signIn = Task { try await scene.auth.signIn(with: "scripted", .anonymous) }
        try await scene.until("/keys")
        if isSignal { #expect(scene.auth.stopSending().isEmpty) } else { signIn.cancel() }
        let error = await #expect(throws: AuthError.self) { try await signIn.value }
        #expect(error?.code == .cancelled && error?.mayStillSucceed == false)
        document.open()
        await scene.auth.finish()
        #expect(scene.network.sent == ["/keys"])
        #expect(try await scene.bench.process().restore().isEmpty)
    }

    @Test("once its request has left, the caller is let go and told so, and what the answer brings is stored", .law(7))
    func after() async throws {
        let scene = try Scene()
        let answer = scene.network.hold("/begin")
        let signIn = Task { try await scene.auth.signIn(with: "scripted", .anonymous) }
        try await scene.until("/begin")
        signIn.cancel()
        #expect(scene.auth.stopSending().count == 1)
        let error = await #expect(throws: AuthError.self) { try await signIn.value }
        #expect(error?.code == .cancelled && error?.mayStillSucceed == true)
        answer.open()
        await scene.auth.finishSent()
        #expect(try await scene.auth.accounts().map(\.label) == ["alice"])
        #expect(try await scene.bench.storedSecret == "refresh-1")
    }

    @Test("the same holds for the answer to a challenge, such as the code that a browser brings back", .law(7))
    func answered() async throws {
        let scene = try Scene()
        let visit = Ask.visit(url: "https://id.example.com/authorize", redirect: "http://127.0.0.1:1/cb")
        scene.bench.service.script(turns: asked(visit, scene), .granted(to: "alice"))
        let challenge = try await scene.auth.begin(.signIn(.browser()), with: "scripted")
        guard case .asked(let challenge) = challenge else {
            Issue.record("Nothing was asked.")
            return
        }
        let answer = scene.network.hold("/answer")
        let redirect = Answer.redirected(Secret("http://127.0.0.1:1/cb?code=1"))
        let step = Task { try await scene.auth.answer(redirect, to: challenge.id) }
        try await scene.until("/answer")
        step.cancel()
        let error = await #expect(throws: AuthError.self) { try await step.value }
        #expect(error?.code == .cancelled && error?.mayStillSucceed == true)
        answer.open()
        await scene.auth.finish()
        #expect(try await scene.auth.accounts().map(\.label) == ["alice"])
        #expect(try await scene.auth.pendingChallenges().isEmpty)
    }

    @Test(
        "a poll that is under way when the person leaves may bring the session, which counts: nothing is declined",
        .law(7))
    func polled() async throws {
        let scene = try Scene()
        let ask = Ask.device(.init(userCode: "ABCD", at: "https://id.example.com/device", interval: .seconds(5)))
        scene.bench.service.script(turns: asked(ask, scene), .granted(to: "alice"))
        let answer = scene.network.hold("/answer")
        let signIn = Task { try await scene.auth.signIn(with: "scripted", .device, asking: Watching()) }
        _ = try await scene.bench.run { try await scene.until("/answer") }
        signIn.cancel()
        let error = await #expect(throws: AuthError.self) { try await signIn.value }
        #expect(error?.code == .cancelled && error?.mayStillSucceed == true)
        answer.open()
        await scene.auth.finish()
        #expect(try await scene.bench.storedSecret == "refresh-1")
        try await scene.bench.until { try await scene.auth.pendingChallenges().isEmpty }
        #expect(!scene.bench.service.answers.contains { if case .declined = $0 { true } else { false } })
    }

    /// Shows the code until the task is cancelled.
    private struct Watching: ChallengePresenter {
        func answer(_ challenge: Challenge) async throws -> Answer {
            try await Latch().wait()
            return .poll
        }
    }
}
