import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// Answers that bring a refresh token, and are wrong otherwise.
@Suite struct RotatedAnswerTests {
    typealias Step = ScriptedProvider.RefreshStep

    /// What providers throw after the service has rotated.
    static let errors: [any Error & Sendable] = [
        AuthError(.untrusted(.subject), "Another person."), AuthError(.untrusted(.malformed), "No access token."),
        AuthError(.serviceTrouble, "Not JSON."), AuthError(.refused(.scope), "Another scope."),
        NotSent(AuthError(.configuration(.invalid), "The provider believes that nothing was sent.")),
        Refusal(.unexplained, code: "odd"), TransportError(.interrupted, wasSent: true), CancellationError(),
        JSONError(.missing, at: "$.access_token"),
    ]
    static let rotating: [ProviderRules.RefreshRule] = [.killsFamily, .sameSuccessor, .newSuccessor]

    private func failing(_ error: any Error & Sendable) -> Step { .carrying(Secret("newer"), then: .failed(error)) }

    @Test(
        "24: the refresh token of an answer is stored, whatever is wrong with the rest of it",
        arguments: rotating, errors.indices)
    func kept(_ rule: ProviderRules.RefreshRule, _ index: Int) async throws {
        let (bench, auth) = try await Bench.ended(.scripted(refresh: rule))
        bench.service.script(refreshes: failing(Self.errors[index]))
        let told = await code { try await auth.accessToken() }
        #expect(told != nil && told != .signInRequired(.signedOut))
        #expect(try await bench.storedSecret == "newer")
        // The answer has come, so no request is under way: nobody waits for one.
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
        let begun = bench.clock.now()
        let other = try bench.process(seed: 9)
        #expect(try await bench.run { try await other.refresh() }.value.revealText() == "access-2")
        #expect(bench.clock.now() == begun)
        #expect(bench.service.sentSecrets == ["refresh-1", "newer"])
        #expect(bench.service.revokeCount == 0)
    }

    @Test("while the access token lasts, such an answer takes it from nobody")
    func stillGood() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(refreshes: failing(Self.errors[0]))
        bench.clock.advance(by: .seconds(3_400))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(try await bench.storedSecret == "newer")
    }

    @Test("each try sends the newest refresh token, and the pauses between them grow")
    func again() async throws {
        let (bench, auth) = try await Bench.ended()
        for number in 2...4 {
            let answer = Step.carrying(Secret("refresh-\(number)"), then: .failed(Self.errors[0]))
            bench.service.script(refreshes: answer)
            #expect(await code { try await auth.accessToken() } == .untrusted(.subject))
            // Nothing is sent again at once.
            #expect(await code { try await auth.accessToken() } == .untrusted(.subject))
            #expect(bench.service.refreshCount == number - 1)
            bench.clock.advance(by: .seconds(600))
        }
        #expect(bench.service.sentSecrets == ["refresh-1", "refresh-2", "refresh-3"])
    }

    @Test("a definite refusal ends the session, though a refresh token came with it", .law(3))
    func refused() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.service.script(refreshes: failing(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("24: an operation that fails after the token has rotated keeps the new one, and throws its own error")
    func operation() async throws {
        for rule in Self.rotating {
            let bench = Bench(rules: .scripted(refresh: rule))
            let auth = try await bench.signedIn()
            let told = await code {
                try await auth.perform(on: nil, replay: .killsFamily) { _, context -> (CredentialChange, Int) in
                    context.carry(Secret("newer"))
                    throw AuthError(.untrusted(.claims), "The factor is another one.")
                }
            }
            #expect(told == .untrusted(.claims))
            #expect(try await bench.storedSecret == "newer")
            #expect(try await bench.store.onlyRecord().document["mark"] == nil)
        }
    }

    @Test("24: what such an answer brings after a sign-out is revoked, and not kept")
    func signedOut() async throws {
        let (bench, auth) = try await Bench.ended()
        let other = try bench.process(seed: 9)
        try await other.restore()
        let held = try await bench.service.hold(then: failing(Self.errors[0])) { try await auth.accessToken() }
        try await other.signOut()
        held.answer()
        _ = try? await held.value
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
        #expect(bench.service.revokedSecrets.contains("newer"))
    }

    @Test("24: what the store does not take of such an answer is kept in memory, and stored once it can be")
    func unstored() async throws {
        let (bench, auth) = try await Bench.ended()
        let held = try await bench.service.hold(then: failing(Self.errors[0])) { try await auth.accessToken() }
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        held.answer()
        _ = try? await held.value
        #expect(try await bench.storedSecret == "refresh-1")
        bench.store.failCommits(nil)
        bench.clock.advance(by: .seconds(600))
        #expect(try await bench.run { try await auth.refresh() }.value.revealText() == "access-2")
        #expect(bench.service.sentSecrets == ["refresh-1", "newer"])
    }

    @Test("24: a worker whose refresh brings a token and fails otherwise revokes that token")
    func worker() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(refreshes: .failed(TransportError(.timedOut, wasSent: true)))
        bench.clock.advance(by: .seconds(3_600))
        _ = await code { try await auth.accessToken() }
        _ = try await auth.signOut()
        bench.service.script(refreshes: failing(Self.errors[0]))
        let other = try bench.process(seed: 9)
        try await bench.run {
            try await other.restore()
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokedSecrets == ["newer"])
    }
}
