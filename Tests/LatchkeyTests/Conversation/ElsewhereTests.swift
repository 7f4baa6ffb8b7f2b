import Latchkey
import LatchkeyTesting
import Testing

/// Conversations that end without a session.
@Suite struct ElsewhereTests {
    private static let mail = Elsewhere.message(over: .mail, sentTo: "a***@example.test")
    private let person = ScriptedPresenter()

    @Test("a reset that goes on by mail ends so, typed, and leaves nothing behind")
    func reset() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.service.script(turns: .turn(.continuesElsewhere(Self.mail)))
        let end = try await auth.converse(.recover(identifier: "a"), with: "scripted", asking: person)
        guard case .continuesElsewhere(Self.mail) = end else { throw Bench.Stuck() }
        #expect(end.session == nil)
        #expect(try await auth.accounts().isEmpty)
        #expect(try await auth.pendingChallenges().isEmpty)
    }

    @Test("an answer may end so, and uses its challenge up")
    func answer() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let challenge = Challenge(
            id: "0123456789abcdef0123456789", binding: bench.service.rules.binding, ask: .newPassword(rules: []))
        bench.service.script(turns: .turn(.asked(challenge)), .turn(.continuesElsewhere(.signIn)))
        _ = try await auth.begin(.recover(identifier: "a"), with: "scripted")
        guard case .continuesElsewhere(.signIn) = try await auth.answer(.password(Secret("new")), to: challenge.id)
        else { throw Bench.Stuck() }
        #expect(try await auth.pendingChallenges().isEmpty)
    }

    @Test("a sign-in never ends so, led or step by step, and neither does a step-up")
    func never() async throws {
        let bench = Bench(rules: .scripted(elevation: .fixed))
        let auth = try await bench.signedIn()
        for _ in 0..<3 { bench.service.script(turns: .turn(.continuesElsewhere(.approval))) }
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .configuration(.invalid))
        #expect(
            await code { try await auth.begin(.signIn(.anonymous), with: "scripted") } == .configuration(.invalid))
        #expect(await code { try await auth.stepUp(asking: person) } == .configuration(.invalid))
        #expect(auth.currentToken() != nil)
    }
}
