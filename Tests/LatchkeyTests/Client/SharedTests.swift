import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

/// Several people on one credential: section 6 of `Documentation/Lane.md`.
@Suite("A credential that several people share") struct SharedTests {
    let bench = Bench(rules: .scripted(refresh: .mints, sharesCredential: true))

    private func account(_ subject: String) -> AccountID {
        AccountID(subject: subject, of: bench.service.rules.binding)
    }

    private var ada: AccountID { account("ada") }
    private var bob: AccountID { account("bob") }

    @discardableResult
    private func signIn(_ subject: String, _ auth: AuthClient) async throws -> AuthSession {
        bench.service.script(turns: .granted(to: subject))
        return try await auth.signIn(with: "scripted", .anonymous)
    }

    /// Ada and then Bob, on one credential.
    private func both() async throws -> AuthClient {
        let auth = try bench.process()
        try await signIn("ada", auth)
        try await signIn("bob", auth)
        return auth
    }

    /// Who is in the only record.
    private var stored: [String] {
        get async throws {
            let document = try await bench.store.onlyRecord().document
            return (document["credential"]?["sessions"]?.array ?? []).compactMap { $0["label"]?.string }
        }
    }

    @Test("D8: who signs in comes beside who is there, and both go on with the newest secret")
    func joins() async throws {
        let auth = try await both()
        #expect(try await stored == ["ada", "bob"])
        #expect(try await bench.storedSecret == "refresh-2")
        #expect(try await auth.accounts().map(\.label) == ["bob", "ada"])
        #expect(auth.currentToken(of: ada)?.value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .minted, .minted)
        _ = try await auth.accessToken(of: ada)
        _ = try await auth.accessToken(of: bob)
        #expect(bench.service.sentSecrets == ["refresh-2", "refresh-2"])
        #expect(bench.service.revokeCount == 0)
    }

    @Test("D8: several people who come at once have a login each, and leave one by one")
    func several() async throws {
        let auth = try bench.process()
        func session(_ subject: String) -> AuthSession {
            var session = AuthSession(id: .init("session-\(subject)"), account: account(subject))
            session.label = subject
            return session
        }
        var grant = Grant(refreshToken: Secret("moved"), session("ada"))
        grant.sessions.append(session("bob"))
        bench.service.script(turns: .turn(.signedIn(grant)))
        #expect(try await auth.signIn(with: "scripted", .anonymous).account == ada)
        #expect(try await stored == ["ada", "bob"])
        #expect(try await bench.process(seed: 9).accounts().count == 2)
        #expect(try await auth.signOut(of: ada) == .revoked)
        let told = try #require(bench.service.revocations.first?.credential)
        #expect(told.sessions.map(\.account) == [ada])
        #expect(try await stored == ["bob"])
        bench.service.script(refreshes: .minted)
        _ = try await auth.accessToken(of: bob)
        #expect(bench.service.sentSecrets == ["moved"])
    }

    @Test("what is minted is in no record, and another process mints for itself")
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

    @Test("one leaves: the service is told of their session alone, with the secret of the moment, and the others stay")
    func leaves() async throws {
        let auth = try await both()
        #expect(try await auth.signOut(of: ada) == .revoked)
        #expect(try await stored == ["bob"])
        let told = try #require(bench.service.revocations.first?.credential)
        #expect(told.refreshToken?.revealText() == "refresh-2" && told.sessions.map(\.account) == [ada])
        #expect(auth.currentToken(of: bob) != nil && auth.currentToken(of: ada) == nil)
        #expect(try await auth.signOut(of: bob) == .revoked)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("D9: an answer to a sign-out that brings another secret keeps the others signed in")
    func leavesWithSecret() async throws {
        let auth = try await both()
        bench.service.script(revocations: .carrying(Secret("newer"), then: .done))
        try await auth.signOut(of: ada)
        #expect(try await bench.storedSecret == "newer")
    }

    @Test("D12: a secret that the store does not take waits with the lane, and nobody sends the one before")
    func secretNotStored() async throws {
        let auth = try await both()
        // The store takes the sign-out, and then nothing for a while.
        let full = AuthError(.store(.full), "full")
        bench.store.script(replaces: .none, .refused(full), .refused(full), .refused(full))
        bench.service.script(revocations: .carrying(Secret("newer"), then: .done))
        try await auth.signOut(of: ada)
        #expect(try await bench.storedSecret == "refresh-2")
        let key = try await bench.store.onlyRecord().key
        let lane = try? await bench.store.lane(key, deadline: .zero)
        #expect(lane == nil)
        await lane?.release()
        #expect(
            await code { try await auth.perform(on: bob, replay: .fixed) { _, _ in (CredentialChange(), 1) } }
                == .store(.notDurable))
        bench.clock.advance(by: .seconds(10))
        try await bench.until { try await bench.storedSecret == "newer" }
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .minted)
        _ = try await auth.accessToken(of: bob)
        #expect(bench.service.sentSecrets == ["newer"])
        try await bench.store.lane(key, deadline: .zero).release()
    }

    @Test("what is still owed is told with the secret that came since")
    func owedWithSecret() async throws {
        let auth = try await both()
        bench.service.script(revocations: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await auth.signOut(of: ada) == .revocationQueued)
        bench.service.script(revocations: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await auth.signOut(of: bob) == .revocationQueued)
        bench.service.script(revocations: .carrying(Secret("newer"), then: .done))
        try await auth.settleRevocations()
        #expect(try await auth.owedRevocations() == 0)
        #expect(bench.service.revokedSecrets.suffix(2) == ["refresh-2", "newer"])
    }

    @Test("minting waits neither for another mint nor for an operation")
    func beside() async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let (slow, operation) = (Latch(), Latch())
        bench.service.script(refreshes: .held(slow, then: .minted), .minted)
        let one = Task { try await auth.accessToken(of: ada) }
        try await bench.service.waitForRefreshes(1)
        let busy = Task {
            try await auth.perform(on: bob, replay: .fixed) { _, _ in
                try await operation.wait()
                return (CredentialChange(), true)
            }
        }
        await bench.settle()
        #expect(try await auth.accessToken(of: bob).value.revealText() == "access-3")
        slow.open()
        _ = try await one.value
        operation.open()
        #expect(try await busy.value)
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

    @Test("D1: what is minted beside is not handed out after another process signed out")
    func signedOutMeanwhile() async throws {
        let auth = try await both()
        let other = try bench.process(seed: 9)
        try await other.restore()
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .minted))
        let caller = Task { try await auth.accessToken(of: ada) }
        try await bench.service.waitForRefreshes(1)
        try await other.signOut(of: ada)
        hold.open()
        #expect(await code { try await caller.value } == .signInRequired(.signedOut))
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

    @Test("D11: a refusal that comes while another call replaces the secret is not believed")
    func refusedWhileReplaced() async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let operation = Latch()
        let busy = Task {
            try await auth.perform(on: bob, replay: .fixed) { _, _ in
                try await operation.wait()
                return (CredentialChange(refreshToken: Secret("newer")), true)
            }
        }
        await bench.settle()
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "signed_out")), .minted)
        let caller = Task { try await auth.accessToken(of: ada) }
        try await bench.service.waitForRefreshes(1)
        await bench.settle()
        #expect(bench.service.refreshCount == 1)
        operation.open()
        _ = try await (busy.value, caller.value)
        #expect(bench.service.sentSecrets == ["refresh-2", "newer"])
        #expect(try await stored == ["ada", "bob"])
    }

    @Test(
        "D13: a secret that a mint beside brings waits for the call that has the lane, whose answer is the newer one",
        arguments: [false, true])
    func mintedMeanwhile(carried: Bool) async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let operation = Latch()
        let busy = Task {
            try await auth.perform(on: bob, replay: .fixed) { _, _ in
                try await operation.wait()
                return (CredentialChange(refreshToken: Secret("newest")), true)
            }
        }
        await bench.settle()
        let trouble = AuthError(.serviceTrouble, "The service is in trouble.")
        bench.service.script(
            refreshes: .carrying(Secret("newer"), then: carried ? .failed(trouble) : .minted))
        let caller = Task { try await auth.accessToken(of: ada) }
        try await bench.service.waitForRefreshes(1)
        await bench.settle()
        #expect(try await bench.storedSecret == "refresh-2")
        operation.open()
        _ = try await busy.value
        #expect(await code { try await caller.value } == (carried ? .serviceTrouble : nil))
        #expect(try await bench.storedSecret == "newest")
    }

    @Test("D13: where somebody has the lane for long, such a secret waits for it")
    func mintedInVain() async throws {
        let auth = try await both()
        bench.clock.advance(by: .seconds(3_600))
        let key = try await bench.store.onlyRecord().key
        let lane = try await bench.store.lane(key, deadline: .zero)
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

    @Test("a sign-out waits a moment for its turn to tell the service")
    func leavesInTurn() async throws {
        let auth = try await both()
        let operation = Latch()
        let busy = Task {
            try await auth.perform(on: bob, replay: .fixed) { _, _ in
                try await operation.wait()
                return (CredentialChange(refreshToken: Secret("newer")), true)
            }
        }
        await bench.settle()
        let leaving = Task { try await auth.signOut(of: ada) }
        await bench.settle()
        #expect(try await stored == ["bob"] && bench.service.revokeCount == 0)
        operation.open()
        #expect(try await leaving.value == .revoked)
        #expect(try await busy.value && bench.service.revokedSecrets == ["newer"])
    }

    @Test("each audience is refreshed ahead in its own time, however many there are")
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

    @Test("a no to one audience keeps nobody from the others' tokens, and is not asked for again unasked")
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

    @Test("somebody who leaves while another signs in is gone, and the other is there")
    func leavesMeanwhile() async throws {
        let auth = try bench.process()
        try await signIn("ada", auth)
        try await signIn("eve", auth)
        let hold = Latch()
        bench.service.script(turns: .held(hold, then: .granted(to: "bob")))
        let joining = Task { try await auth.signIn(with: "scripted", .anonymous) }
        await bench.settle()
        let other = try bench.process(seed: 9)
        // The lane is taken for longer than a sign-out waits for it, so the service is told later.
        let leaving = Task { try await other.signOut(of: ada) }
        await bench.settle()
        bench.clock.advance(by: .seconds(2))
        #expect(try await leaving.value == .revocationQueued)
        hold.open()
        _ = try await joining.value
        #expect(try await stored == ["eve", "bob"])
        #expect(auth.currentToken(of: ada) == nil && auth.currentToken(of: bob) != nil)
    }

    @Test("D10: where everybody left while somebody signed in, that one is there by themselves")
    func everybodyLeft() async throws {
        let auth = try bench.process()
        try await signIn("ada", auth)
        let hold = Latch()
        bench.service.script(turns: .held(hold, then: .granted(to: "bob")))
        let joining = Task { try await auth.signIn(with: "scripted", .anonymous) }
        await bench.settle()
        let other = try bench.process(seed: 9)
        let leaving = Task { try await other.signOut(of: ada) }
        await bench.settle()
        bench.clock.advance(by: .seconds(2))
        _ = try await leaving.value
        hold.open()
        _ = try await joining.value
        #expect(try await stored == ["bob"])
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        // What is owed of Ada is told with the secret that Bob's sign-in brought.
        try await auth.settleRevocations()
        #expect(bench.service.revokedSecrets == ["refresh-2"])
    }

    @Test("who signs in again takes the place of their own session, and of nobody else's")
    func again() async throws {
        let auth = try await both()
        try await signIn("ada", auth)
        try await auth.settleRevocations()
        #expect(try await stored == ["bob", "ada"])
        let told = try #require(bench.service.revocations.last?.credential)
        #expect(told.sessions.map(\.id.value) == ["session-1"] && told.refreshToken?.revealText() == "refresh-3")
    }

    @Test("a sign-in on a client of its own leaves those who share one where they are, and all are found again")
    func ofItsOwn() async throws {
        let auth = try await both()
        let session = AuthSession(
            id: AuthSession.ID("alone"), account: account("eve"), label: "eve")
        bench.service.script(turns: .turn(.signedIn(Grant(refreshToken: Secret("own"), session))))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(try await bench.store.keys(.credential).count == 2)
        let other = try bench.process(seed: 9)
        #expect(try await other.accounts().count == 3)
        bench.service.script(refreshes: .minted)
        _ = try await other.accessToken(of: account("eve"))
        #expect(bench.service.sentSecrets == ["own"])
        try await other.signOut(of: account("eve"))
        #expect(bench.service.revokedSecrets == ["own"])
        // Somebody who moves over is in one place.
        bench.service.script(
            turns: .turn(
                .signedIn(Grant(refreshToken: Secret("own-2"), AuthSession(id: .init("a"), account: ada, label: "ada")))
            ))
        _ = try await other.signIn(with: "scripted", .anonymous)
        try await other.settleRevocations()
        #expect(bench.service.revocations.last?.credential.sessions.map(\.id.value) == ["session-1"])
        #expect(try await bench.process(seed: 10).accounts().count == 2)
    }

    @Test("a sign-in that the store does not take is there, told as not durable, and stored later")
    func notStored() async throws {
        let auth = try bench.process()
        try await signIn("ada", auth)
        let full = AuthError(.store(.full), "full")
        bench.store.script(replaces: .refused(full))
        let error = await code { try await signIn("bob", auth) }
        #expect(error == .store(.notDurable))
        #expect(try await auth.accounts().first { $0.id == bob }?.isDurable == false)
        bench.clock.advance(by: .seconds(2))
        try await bench.until { try await self.stored == ["ada", "bob"] }
        #expect(auth.currentToken(of: bob) != nil)
    }

    @Test("a session that the service lists no more, or lists anew, comes and goes by no list")
    func lists() async throws {
        let auth = try await both()
        try await auth.perform(on: ada, replay: .fixed) { credential, _ in
            var sessions = credential.sessions.filter { $0.label == "ada" }
            sessions[0].state = ["plan": "pro"]
            sessions.append(AuthSession(id: .init("x"), account: account("eve"), label: "eve"))
            return (CredentialChange(sessions: sessions), ())
        }
        #expect(try await stored == ["ada", "bob"])
        let first = try await bench.store.onlyRecord().document["credential"]?["sessions"]?.array?.first
        #expect(first?["state"]?["plan"] == "pro")
    }
}
