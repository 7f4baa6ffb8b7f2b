import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

/// Answers whose refresh token is stored while the rest of them is still being judged.
@Suite struct KeptAnswerTests {
    typealias Step = ScriptedProvider.RefreshStep

    /// A refresh whose new token is kept, and which then waits for something else.
    private func looking(
        _ bench: Bench, _ auth: AuthClient, then step: Step = .rotated
    ) async throws -> (latch: Latch, caller: Task<AccessToken, any Error>) {
        let latch = Latch()
        let before = bench.service.refreshCount
        bench.service.script(refreshes: .keeping(Secret("newer"), then: .held(latch, then: step)))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(before + 1)
        for _ in 0..<100 where try await bench.storedSecret != "newer" { await bench.settle() }
        try #require(try await bench.storedSecret == "newer")
        return (latch, caller)
    }

    @Test(
        "24: a kept refresh token is stored before the rest of the answer is there, and the mark is out",
        arguments: RotatedAnswerTests.rotating)
    func stored(_ rule: ProviderRules.RefreshRule) async throws {
        let (bench, auth) = try await Bench.ended(.scripted(refresh: rule))
        let (latch, caller) = try await looking(bench, auth, then: .minted)
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
        latch.open()
        #expect(try await caller.value.value.revealText() == "access-2")
        #expect(try await bench.storedSecret == "newer")
        bench.clock.advance(by: .seconds(3_600))
        _ = try await bench.run { try await auth.accessToken() }
        #expect(bench.service.sentSecrets == ["refresh-1", "newer"])
        #expect(bench.service.revokeCount == 0)
    }

    @Test("24: what is judged late puts nothing over a newer token that another process has stored meanwhile")
    func moved() async throws {
        for step in [Step.minted, .failed(AuthError(.untrusted(.subject), "Another person."))] {
            let (bench, auth) = try await Bench.ended()
            let (latch, caller) = try await looking(bench, auth, then: step)
            // The lane is lost while its holder lives: what the store's lock forbids, a dropped connection allows.
            try await bench.store.swapRefreshToken(to: "winner", access: "winner-access", at: bench.clock)
            latch.open()
            _ = try? await caller.value
            #expect(try await bench.storedSecret == "winner")
            #expect(bench.service.revokeCount == 0)
        }
    }

    @Test("24: what goes wrong afterwards is told, and the kept token is the one that is sent next")
    func failed() async throws {
        for error in RotatedAnswerTests.errors {
            let (bench, auth) = try await Bench.ended()
            let (latch, caller) = try await looking(bench, auth, then: .failed(error))
            latch.open()
            await #expect(throws: AuthError.self) { try await caller.value }
            bench.clock.advance(by: .seconds(600))
            _ = try await bench.run { try await auth.refresh() }
            #expect(bench.service.sentSecrets == ["refresh-1", "newer"])
        }
    }

    @Test("24: a sign-out meanwhile revokes the kept token, and the answer does not come back")
    func signedOut() async throws {
        let (bench, auth) = try await Bench.ended()
        let other = try bench.process(seed: 9)
        try await other.restore()
        let (latch, caller) = try await looking(bench, auth, then: .minted)
        try await other.signOut()
        latch.open()
        _ = try? await caller.value
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
        #expect(bench.service.revokedSecrets.allSatisfy { $0 == "newer" } && bench.service.revokeCount > 0)
        #expect(auth.currentToken() == nil)
    }

    @Test("24: where the store does not take it at once, it is stored with the rest of the answer")
    func unstored() async throws {
        let (bench, auth) = try await Bench.ended()
        let held = try await bench.service.hold(then: .keeping(Secret("newer"), then: .minted)) {
            try await auth.accessToken()
        }
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        held.answer()
        _ = try? await held.value
        bench.store.failCommits(nil)
        bench.clock.advance(by: .seconds(4_000))
        _ = try await bench.run { try await auth.refresh() }
        #expect(bench.service.sentSecrets.count == 2)
    }
}
