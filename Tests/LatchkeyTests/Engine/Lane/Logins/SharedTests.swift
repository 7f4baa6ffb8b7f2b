import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// Several people on one credential: section 6 of `Documentation/Internals/Lane.md`.
@Suite("A credential that several people share") struct SharedTests {
    let bench = Bench(rules: .scripted(refresh: .mints, sharesCredential: true))

    private func account(_ subject: String) -> AccountID {
        AccountID(subject: subject, of: bench.service.rules.binding)
    }

    var ada: AccountID { account("ada") }
    var bob: AccountID { account("bob") }

    @discardableResult
    func signIn(_ subject: String, _ auth: AuthClient) async throws -> AuthSession {
        bench.service.script(turns: .granted(to: subject))
        return try await auth.signIn(with: "scripted", .anonymous)
    }

    /// Ada and then Bob, on one credential.
    func both() async throws -> AuthClient {
        let auth = try bench.process()
        try await signIn("ada", auth)
        try await signIn("bob", auth)
        return auth
    }

    /// Who is in the only record.
    var stored: [String] {
        get async throws {
            let document = try await bench.store.onlyRecord().document
            return (document["credential"]?["sessions"]?.array ?? []).compactMap { $0["label"]?.string }
        }
    }

    /// An operation on Bob's session that has the lane until it is answered, with `secret` if there is one.
    func heldOperation(_ auth: AuthClient, bringing secret: String? = nil) async -> HeldCall<Bool> {
        let latch = Latch()
        let caller = Task {
            try await auth.perform(on: bob, replay: .fixed) { _, _ in
                try await latch.wait()
                return (CredentialChange(refreshToken: secret.map { Secret($0) }), true)
            }
        }
        await bench.settle()
        return HeldCall(latch: latch, caller: caller)
    }

    /// Ada leaves in another process while Bob signs in with `auth`: what her sign-out says.
    private func leaveWhileBobJoins(_ auth: AuthClient) async throws -> SignOutResult {
        let hold = Latch()
        bench.service.script(turns: .held(hold, then: .granted(to: "bob")))
        let joining = Task { try await auth.signIn(with: "scripted", .anonymous) }
        await bench.settle()
        let other = try bench.process(seed: 9)
        // The lane is taken for longer than a sign-out waits for it, so the service is told later.
        let leaving = Task { try await other.signOut(of: ada) }
        await bench.settle()
        bench.clock.advance(by: .seconds(2))
        let result = try await leaving.value
        hold.open()
        _ = try await joining.value
        return result
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

    @Test("D9: an answer to a sign-out that brings another secret keeps the others signed in", .complaint(.clerk, 11))
    func leavesWithSecret() async throws {
        let auth = try await both()
        bench.service.script(revocations: .carrying(Secret("newer"), then: .done))
        try await auth.signOut(of: ada)
        #expect(try await bench.storedSecret == "newer")
    }

    @Test(
        "D12: a secret that the store does not take waits with the lane, and nobody sends the one before",
        .complaint(.clerk, 8))
    func secretNotStored() async throws {
        let auth = try await both()
        // The store takes the sign-out, and then nothing for a while.
        let full = AuthError(.store(.full), "full")
        bench.store.script(replaces: .none, .refused(full), .refused(full), .refused(full))
        bench.service.script(revocations: .carrying(Secret("newer"), then: .done))
        try await auth.signOut(of: ada)
        #expect(try await bench.storedSecret == "refresh-2")
        let key = try await bench.store.onlyRecord().key
        let lane = try? await bench.store.lock(key, deadline: .zero)
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
        try await bench.store.lock(key, deadline: .zero).release()
    }

    @Test("what is still owed is told with the secret that came since", .complaint(.clerk, 11))
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

    @Test("a sign-out waits a moment for its turn to tell the service")
    func leavesInTurn() async throws {
        let auth = try await both()
        let operation = await heldOperation(auth, bringing: "newer")
        let leaving = Task { try await auth.signOut(of: ada) }
        await bench.settle()
        #expect(try await stored == ["bob"] && bench.service.revokeCount == 0)
        operation.answer()
        #expect(try await leaving.value == .revoked)
        #expect(try await operation.value && bench.service.revokedSecrets == ["newer"])
    }

    @Test("somebody who leaves while another signs in is gone, and the other is there", .complaint(.clerk, 19))
    func leavesMeanwhile() async throws {
        let auth = try bench.process()
        try await signIn("ada", auth)
        try await signIn("eve", auth)
        #expect(try await leaveWhileBobJoins(auth) == .revocationQueued)
        #expect(try await stored == ["eve", "bob"])
        #expect(auth.currentToken(of: ada) == nil && auth.currentToken(of: bob) != nil)
    }

    @Test("D10: where everybody left while somebody signed in, that one is there by themselves")
    func everybodyLeft() async throws {
        let auth = try bench.process()
        try await signIn("ada", auth)
        _ = try await leaveWhileBobJoins(auth)
        #expect(try await stored == ["bob"])
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        // What is owed of Ada is told with the secret that Bob's sign-in brought.
        try await auth.settleRevocations()
        #expect(bench.service.revokedSecrets == ["refresh-2"])
    }

    @Test("D14: what a credential still owes goes with who is left on it, since each answer may replace the token")
    func owedGoesAlong() async throws {
        let auth = try bench.process()
        try await signIn("ada", auth)
        let (granting, joining) = (Latch(), Latch())
        let other = try bench.process(seed: 9)
        bench.service.script(
            turns: .held(granting, then: takenOver("eve")), .held(joining, then: .granted(to: "bob")))
        async let eve = other.signIn(with: "scripted", .ticket(Secret("any")))
        await bench.settle()
        // Before Eve's session is stored, Bob begins to join Ada's credential, and Ada leaves it: there is room.
        let joined = Locked<Task<AccountID, any Error>?>(nil)
        bench.store.script(afterRead: {
            joined.withLock { $0 = Task { try await auth.signIn(with: "scripted", .anonymous).account } }
            await bench.settle()
            let leaving = Task { try await bench.process(seed: 10).signOut(of: ada) }
            await bench.settle()
            bench.clock.advance(by: .seconds(2))
            let told = try await leaving.value
            #expect(told == .revocationQueued)
        })
        granting.open()
        _ = try await eve
        bench.service.script(revocations: .carrying(Secret("newer"), then: .done))
        joining.open()
        #expect(try await joined.withLock { $0 }?.value == bob)
        try await auth.settleRevocations()
        // The one who left waits for her turn in the background, and finds that there is nothing left to tell.
        await bench.settle()
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(try await other.owedRevocations() == 0)
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .minted, .minted)
        _ = try await auth.accessToken(of: bob)
        #expect(bench.service.sentSecrets == ["newer"])
        _ = try await other.accessToken(of: account("eve"))
        #expect(bench.service.sentSecrets == ["newer", "theirs"])
    }

    @Test(
        "two who took the same session over, each under another key, keep it: it is one session, and is not revoked",
        .law(6))
    func takenOverTwice() async throws {
        let auth = try bench.process()
        try await signIn("bob", auth)
        let other = try bench.process(seed: 9)
        // While the first one is about to store it beside Bob's credential, Bob leaves, and there is room for another.
        bench.store.script(
            replaces: .after {
                try await other.signOut(of: bob)
                try await takeOver("ada", by: other)
            })
        try await takeOver("ada", by: auth)
        try await auth.settleRevocations()
        try await other.settleRevocations()
        #expect(bench.service.revocations.flatMap(\.credential.sessions).map(\.account) == [bob])
        bench.service.script(refreshes: .minted)
        _ = try await bench.process(seed: 10).accessToken(of: ada)
        #expect(bench.service.sentSecrets == ["theirs"])
        var places = 0
        for key in try await bench.store.keys(.credential) {
            let bytes = try #require(try await bench.store.read(key)).bytes
            if try CredentialRecord(bytes).login(of: ada) != nil { places += 1 }
        }
        #expect(places == 1)
    }

    /// What another client had.
    private func takenOver(_ subject: String) -> ScriptedProvider.TurnStep {
        let session = AuthSession(id: .init("theirs-\(subject)"), account: account(subject), label: subject)
        var grant = Grant(refreshToken: Secret("theirs"), session)
        grant.isTakenOver = true
        return .turn(.signedIn(grant))
    }

    private func takeOver(_ subject: String, by auth: AuthClient) async throws {
        bench.service.script(turns: takenOver(subject))
        _ = try await auth.signIn(with: "scripted", .ticket(Secret("any")))
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
