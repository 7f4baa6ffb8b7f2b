import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// What is minted for one of several people, beside the calls of the others.
extension SharedTests {
    @Test("what is minted is in no record, and another process mints for itself", .complaint(.clerk, 4))
    func inMemory() async throws {
        let auth = try await both()
        #expect(auth.currentToken(of: bob) != nil)
        let text = String(decoding: try await bench.store.onlyRecord().document.serialized(), as: UTF8.self)
        #expect(!text.contains("access-"))
        let other = try bench.process(seed: 9)
        #expect(try await other.accounts().map(\.state) == [.stale, .stale])
        bench.service.script(refreshes: .minted)
        #expect(try await other.accessToken(of: ada).value.revealText() == "access-3")
        #expect(auth.currentToken(of: ada)?.value.revealText() == "access-1")
    }

    @Test("minting waits neither for another mint nor for an operation")
    func beside() async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let mint = try await bench.service.hold(then: .minted) { try await auth.accessToken(of: ada) }
        let operation = await heldOperation(auth)
        bench.service.script(refreshes: .minted)
        #expect(try await auth.accessToken(of: bob).value.revealText() == "access-3")
        mint.answer()
        _ = try await mint.value
        operation.answer()
        #expect(try await operation.value)
    }

    @Test("callers for one token share one request, and each audience has its own")
    func crowd() async throws {
        let auth = try await both()
        bench.service.script(refreshes: .minted, .minted)
        let wants = [Audience("a"), Audience("b")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { _ = try await auth.accessToken(for: wants[number % 2]) } }
            try await group.waitForAll()
        }
        #expect(bench.service.refreshCount == 2)
    }

    @Test("D1: what is minted beside is not handed out after another process signed out", .complaint(.clerk, 19))
    func signedOutMeanwhile() async throws {
        let auth = try await both()
        let other = try bench.process(seed: 9)
        try await other.restore()
        bench.clock.advance(by: .seconds(3_600))
        let held = try await bench.service.hold(then: .minted) { try await auth.accessToken(of: ada) }
        try await other.signOut(of: ada)
        held.answer()
        #expect(await code { try await held.value } == .signInRequired(.signedOut))
        #expect(try await stored == ["bob"])
    }

    @Test("a refusal ends whom it was about, once it was said alone too, and nobody else")
    func refused() async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let refusal = ScriptedProvider.RefreshStep.refused(Refusal(.definite, code: "signed_out"))
        bench.service.script(refreshes: refusal, refusal, .minted)
        #expect(await code { try await auth.accessToken(of: ada) } == .signInRequired(.refused))
        #expect(bench.service.refreshCount == 2)
        #expect(try await stored == ["bob"])
        _ = try await auth.accessToken(of: bob)
        let other = try bench.process(seed: 9)
        let accounts = try await other.accounts()
        #expect(accounts.map(\.label).sorted { $0 ?? "" < $1 ?? "" } == ["ada", "bob"])
        #expect(accounts.first { $0.id == ada }?.state == .signInRequired(.refused))
        try await signIn("ada", other)
        try await other.signOut(of: ada)
        #expect(try await other.restore().map(\.label) == ["bob"])
    }

    @Test("D11: a refusal that comes while another call replaces the secret is not believed", .complaint(.clerk, 8))
    func refusedWhileReplaced() async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let operation = await heldOperation(auth, bringing: "newer")
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "signed_out")), .minted)
        let caller = Task { try await auth.accessToken(of: ada) }
        try await bench.service.waitForRefreshes(1)
        await bench.settle()
        #expect(bench.service.refreshCount == 1)
        operation.answer()
        _ = try await (operation.value, caller.value)
        #expect(bench.service.sentSecrets == ["refresh-2", "newer"])
        #expect(try await stored == ["ada", "bob"])
    }

    @Test(
        "D13: a secret that a mint beside brings waits for the call that has the lane, whose answer is the newer one",
        arguments: [false, true])
    func mintedMeanwhile(carried: Bool) async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let operation = await heldOperation(auth, bringing: "newest")
        let trouble = AuthError(.serviceTrouble, "The service is in trouble.")
        bench.service.script(
            refreshes: .carrying(Secret("newer"), then: carried ? .failed(trouble) : .minted))
        let caller = Task { try await auth.accessToken(of: ada) }
        try await bench.service.waitForRefreshes(1)
        await bench.settle()
        #expect(try await bench.storedSecret == "refresh-2")
        operation.answer()
        _ = try await operation.value
        #expect(await code { try await caller.value } == (carried ? .serviceTrouble : nil))
        #expect(try await bench.storedSecret == "newest")
    }

    @Test("D13: where somebody has the lane for long, such a secret waits for it")
    func mintedInVain() async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let key = try await bench.store.onlyRecord().key
        let lane = try await bench.store.lock(key, deadline: .zero)
        bench.service.script(refreshes: .carrying(Secret("newer"), then: .minted))
        let caller = Task { try await auth.accessToken(of: ada) }
        try await bench.service.waitForRefreshes(1)
        await bench.settle()
        bench.clock.advance(by: .seconds(20))
        #expect(try await caller.value.value.revealText() == "access-3")
        bench.clock.advance(by: .seconds(20))
        await bench.settle()
        #expect(try await bench.storedSecret == "refresh-2")
        await lane.release()
        bench.clock.advance(by: .seconds(60))
        try await bench.until { try await bench.storedSecret == "newer" }
    }

    @Test("a secret that a mint beside brings is stored, in whichever answer it comes", arguments: [false, true])
    func mintedWithSecret(carried: Bool) async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let trouble = AuthError(.serviceTrouble, "The service is in trouble.")
        bench.service.script(
            refreshes: .carrying(Secret("newer"), then: carried ? .failed(trouble) : .minted))
        #expect(await code { try await auth.accessToken(of: ada) } == (carried ? .serviceTrouble : nil))
        #expect(try await bench.storedSecret == "newer")
    }

    @Test("each audience is refreshed ahead in its own time, however many there are", .law(13))
    func aheadOfEach() async throws {
        let auth = try bench.wakefulProcess()
        try await signIn("ada", auth)
        bench.clock.advance(by: .seconds(600))
        _ = try await auth.accessToken(for: Audience("api"))
        bench.clock.advance(by: .seconds(600))
        _ = try await auth.accessToken(for: Audience("other"))
        bench.service.script(refreshes: .minted, .minted, .minted, .minted)
        // Nobody asks.
        for (pause, count) in [(2_390, 3), (600, 4), (600, 5), (2_400, 6)] {
            await bench.settle()
            bench.clock.advance(by: .seconds(pause))
            await bench.settle()
            try #require(bench.service.refreshCount == count)
        }
    }

    @Test("a no to one audience keeps nobody from the others' tokens, and is not asked for again unasked", .law(3))
    func refusedAudience() async throws {
        let auth = try bench.wakefulProcess()
        try await signIn("ada", auth)
        func no(_ pause: Duration? = nil) -> ScriptedProvider.RefreshStep {
            .failed(NotSent(AuthError(.refused(.denied), "not a member", retryAfter: pause)))
        }
        bench.service.script(refreshes: no(.seconds(6_000)))
        let org = Audience("org")
        #expect(await code { try await auth.accessToken(for: org) } == .refused(.denied))
        // At once again: it is known.
        #expect(await code { try await auth.accessToken(for: org) } == .refused(.denied))
        #expect(bench.service.refreshCount == 1)
        bench.service.script(refreshes: .minted)
        try await bench.clock.waitForSleepers(1)
        bench.clock.advance(by: .seconds(3_590))
        try await bench.until { auth.currentToken()?.value.revealText() == "access-2" }
        await bench.settle()
        #expect(bench.service.refreshCount == 2)
        #expect(try await auth.accounts().first?.state == .fresh)
        bench.clock.advance(by: .seconds(2_500))
        // Later it is asked about, where somebody asks.
        bench.service.script(refreshes: no(), .minted)
        #expect(await code { try await auth.accessToken(for: org) } == .refused(.denied))
        bench.clock.advance(by: .seconds(10))
        _ = try await auth.accessToken(for: org)
        #expect(bench.service.refreshCount == 4)
    }
}
