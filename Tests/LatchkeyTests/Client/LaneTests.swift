import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Testing

/// Each test is a counterexample of `Documentation/Lane.md`, by its number there.
@Suite struct LaneTests {
    private let full = AuthError(.store(.full), "no space")

    /// A bench whose token has ended, and a process on it.
    private func ended(_ rules: ProviderRules = .scripted()) async throws -> (Bench, AuthClient) {
        let bench = Bench(rules: rules)
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        return (bench, auth)
    }

    @Test("1, 2: a request whose process died is waited out before its token is sent again")
    func holdOff() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        let begun = bench.clock.now()
        let next = try bench.process(seed: 9)
        let token = try await bench.run { try await next.accessToken() }
        #expect(token.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
        #expect(bench.service.sentSecrets == ["refresh-1", "refresh-1"])
    }

    @Test("19: a service that gives another successor is waited for, too")
    func newSuccessor() async throws {
        let (bench, auth) = try await ended(.scripted(refresh: .newSuccessor))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        let begun = bench.clock.now()
        let next = try bench.process(seed: 9)
        #expect(try await bench.run { try await next.accessToken() }.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("13: however often the answer is lost, only a refusal ends the session")
    func lostAnswers() async throws {
        let (bench, auth) = try await ended()
        for _ in 0..<5 {
            bench.service.script(refreshes: .failed(TransportError(.timedOut, wasSent: true)))
            #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
            bench.clock.advance(by: .seconds(120))
        }
        #expect(try await bench.storedSecret == "refresh-1")
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(bench.service.sentSecrets == Array(repeating: "refresh-1", count: 6))
    }

    @Test("an interrupted request's token is not sent again while the access token lasts, unless that is refused")
    func noNeedlessResend() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(100))
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 1)
        #expect(try await next.refresh().value.revealText() == "access-2")
    }

    @Test("while a request may be under way, a token that is still good is used and nothing is sent")
    func holdOffWithGoodToken() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = try await auth.accessToken()
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("2: a service that gives the same successor again is asked at once, and its successor then rests")
    func sameSuccessor() async throws {
        let (bench, auth) = try await ended(.scripted(refresh: .sameSuccessor))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        #expect(await code { try await auth.accessToken() } == .offline(.unreachable))
        let next = try bench.process(seed: 9)
        #expect(try await next.accessToken().value.revealText() == "access-2")
        #expect(try await bench.store.onlyRecord().document["notBefore"] != nil)
        // Asked to refresh by name, it rests all the same.
        let third = try bench.process(seed: 10)
        #expect(try await third.accessToken().value.revealText() == "access-2")
        let begun = bench.clock.now()
        #expect(try await bench.run { try await third.refresh() }.value.revealText() == "access-3")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("a resend that is refused ends the session, and the person is told that a refresh was interrupted")
    func interrupted() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(
            refreshes: .failed(TransportError(.interrupted, wasSent: true)),
            .refused(Refusal(.definite, code: "invalid_grant")))
        _ = await code { try await auth.accessToken() }
        let next = try bench.process(seed: 9)
        let reason = try await bench.run { await code { try await next.accessToken() } }
        #expect(reason == .signInRequired(.interrupted))
    }

    @Test("a process does not wait for a mark of its own that nothing was sent under, whatever the store said")
    func unsentMark() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(replaces: .doneButFailed(AuthError(.store(.unavailable), "no answer")))
        #expect(await code { try await auth.refresh() } == .store(.unavailable))
        #expect(try await bench.store.onlyRecord().document["mark"] != nil)
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        let begun = bench.clock.now()
        let reason = try await bench.run { await code { try await auth.refresh() } }
        #expect(reason == .signInRequired(.refused), "Nothing was interrupted.")
        #expect(bench.clock.now() == begun)
        #expect(bench.service.sentSecrets == ["refresh-1"])
    }

    @Test("another process cannot know that nothing was sent under a mark, and waits")
    func unsentMarkOfAnother() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(replaces: .doneButFailed(AuthError(.store(.unavailable), "no answer")))
        #expect(await code { try await auth.refresh() } == .store(.unavailable))
        let next = try bench.process(seed: 9)
        let begun = bench.clock.now()
        #expect(try await bench.run { try await next.refresh() }.value.revealText() == "access-2")
        #expect(bench.clock.now() - begun >= .seconds(10))
    }

    @Test("a mark that nothing was sent under hides no request that was sent before it")
    func unsentMarkOverAnother() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(
            refreshes: .failed(TransportError(.interrupted, wasSent: true)),
            .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        let begun = bench.clock.now()
        bench.store.script(replaces: .doneButFailed(AuthError(.store(.unavailable), "no answer")))
        #expect(try await bench.run { await code { try await auth.refresh() } } == .store(.unavailable))
        #expect(bench.clock.now() - begun >= .seconds(10), "The request that was sent may still arrive.")
        #expect(try await bench.run { await code { try await auth.refresh() } } == .signInRequired(.interrupted))
    }

    @Test("3: another field of the record changed meanwhile: the save is repeated and nothing is lost")
    func conflictingField() async throws {
        let (bench, auth) = try await ended()
        let store = bench.store.inner
        bench.store.script(replaces: .none, .after { try await store.change { $0["extra"] = "kept" } })
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        let document = try await bench.store.onlyRecord().document
        #expect(document["extra"]?.string == "kept")
        #expect(document["credential"]?["renewal"]?.string == "refresh-2")
        #expect(bench.service.revokeCount == 0)
    }

    @Test("4: one's own write is recognised where the secret does not rotate, too: nothing is said to be unstored")
    func ambiguousSaveOfFixed() async throws {
        let (bench, auth) = try await ended(.scripted(refresh: .fixed))
        bench.service.script(refreshes: .minted)
        bench.store.script(replaces: .doneButFailed(full))
        let token = try await auth.accessToken()
        #expect(token.value.revealText() == "access-2")
        #expect(token.isDurable)
        #expect(try await auth.accounts().first?.isDurable == true)
    }

    @Test("4: the save took effect but reported failure: one's own write is recognised")
    func ambiguousSave() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(replaces: .none, .doneButFailed(full))
        let token = try await auth.accessToken()
        #expect(token.value.revealText() == "access-2")
        #expect(token.isDurable)
        #expect(bench.service.revokeCount == 0)
    }

    @Test("14: where the mark cannot be stored, nothing is sent")
    func noMarkNoRequest() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(replaces: .refused(full))
        #expect(await code { try await auth.accessToken() } == .store(.full))
        #expect(bench.service.refreshCount == 0)
    }

    @Test("a mark that took long to store is set anew before anything is sent")
    func slowMark() async throws {
        let (bench, auth) = try await ended()
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        bench.store.script(replaces: .before { bench.clock.advance(by: .seconds(9)) })
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        let sent = try await bench.store.onlyRecord().document["mark"]?["sent"]?["at"]?.integer
        #expect(sent == bench.clock.now().nanoseconds)
        hold.open()
        #expect(try await caller.value.value.revealText() == "access-2")
    }

    @Test("a store that is too slow for a mark keeps the token from being sent, and no mark stays behind")
    func hopelessMark() async throws {
        let (bench, auth) = try await ended()
        let slow = FaultyStore<MemoryStore>.Fault.before { bench.clock.advance(by: .seconds(9)) }
        bench.store.script(replaces: slow, slow, slow)
        #expect(await code { try await auth.accessToken() } == .store(.unavailable))
        #expect(bench.service.refreshCount == 0)
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
    }

    @Test("15: \"surely not sent\" clears one's own mark, and never one that was open before")
    func notSent() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        _ = await code { try await auth.accessToken() }
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
        bench.service.script(
            refreshes: .failed(TransportError(.interrupted, wasSent: true)),
            .failed(TransportError(.unreachable, wasSent: false)))
        bench.clock.advance(by: .seconds(100))
        _ = await code { try await auth.accessToken() }
        let open = try await bench.store.onlyRecord().document["mark"]?["id"]?.string
        #expect(open != nil)
        bench.clock.advance(by: .seconds(100))
        _ = await code { try await auth.accessToken() }
        #expect(try await bench.store.onlyRecord().document["mark"]?["id"]?.string == open)
    }

    @Test("17: an answer that cannot be stored is used, told to be so, and keeps the lane until it is stored")
    func notDurable() async throws {
        let (bench, auth) = try await ended()
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        bench.store.failCommits(full)
        hold.open()
        let token = try await caller.value
        #expect(token.value.revealText() == "access-2")
        #expect(!token.isDurable)
        #expect(try await auth.accessToken().isDurable == false)
        #expect(try await auth.accounts().first?.isDurable == false)
        // Another process waits for the lane in vain, and sends nothing.
        let other = try bench.process(seed: 9)
        let outcome = try await bench.run { await code { try await other.accessToken() } }
        #expect(outcome == .busy)
        #expect(bench.service.sentSecrets == ["refresh-1"])
        bench.store.failCommits(nil)
        let stored = try await bench.run {
            try await bench.until { try await auth.accounts().first?.isDurable == true }
            return try await bench.store.onlyRecord().document["credential"]?["renewal"]?.string
        }
        #expect(stored == "refresh-2")
    }

    @Test("16: while an answer is not stored, no further refresh is sent")
    func noRefreshOfUnstored() async throws {
        let (bench, auth) = try await ended()
        bench.store.script(replaces: .none)
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        bench.store.failCommits(full)
        hold.open()
        #expect(try await caller.value.isDurable == false)
        let second = try await bench.run { await code { try await auth.refresh() } }
        #expect(second == .store(.notDurable))
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
        bench.store.failCommits(nil)
        #expect(try await bench.run { try await auth.refresh() }.value.revealText() == "access-3")
        #expect(bench.service.sentSecrets == ["refresh-1", "refresh-2"])
    }

    @Test("the store cannot be read after a lost save: nothing new is handed out before it can")
    func unreadableAfterSave() async throws {
        let (bench, auth) = try await ended()
        let gone = AuthError(.store(.unavailable), "gone")
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        bench.store.script(replaces: .refused(gone))
        bench.store.script(reads: gone)
        hold.open()
        #expect(await code { try await caller.value } == .store(.unavailable))
        #expect(auth.currentToken() == nil)
        try await bench.run { try await bench.until { auth.currentToken() != nil } }
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("11: a sign-out that an unreachable store hides is not overlooked: nothing new is shown before it is read")
    func hiddenSignOut() async throws {
        let (bench, auth) = try await ended()
        let other = try bench.process(seed: 9)
        try await other.restore()
        let gone = AuthError(.store(.unavailable), "gone")
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        #expect(try await other.signOut() == .revocationQueued)
        bench.store.script(replaces: .refused(gone))
        bench.store.script(reads: gone)
        hold.open()
        #expect(await code { try await caller.value } == .store(.unavailable))
        #expect(auth.currentToken() == nil)
        try await bench.run { try await bench.service.waitForRevocations(1) }
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
    }

    @Test("reading the store anew does not hide a token that could not be stored")
    func restoreWhileUnsaved() async throws {
        let (bench, auth) = try await ended()
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        bench.store.failCommits(full)
        hold.open()
        #expect(try await caller.value.isDurable == false)
        #expect(try await auth.restore().first?.isDurable == false)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("an answer that cannot be stored and whose record is gone is given up, revoked, and its lane let go")
    func recordGone() async throws {
        let (bench, auth) = try await ended()
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        bench.store.failCommits(full)
        hold.open()
        #expect(try await caller.value.isDurable == false)
        let (key, version, _) = try await bench.store.onlyRecord()
        try bench.store.inner.replace(key, at: version, with: nil)
        bench.store.failCommits(nil)
        try await bench.run { try await bench.service.waitForRevocations(1) }
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(auth.currentToken() == nil)
        let lane = try await bench.store.lane(key, deadline: .seconds(1))
        await lane.release()
    }

    @Test("another process holds the lane past the deadline: the good token is used, else the holder is named")
    func laneDeadline() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let key = try await bench.store.onlyRecord().key
        let hold = try await bench.store.lane(key, deadline: .seconds(1))
        bench.clock.advance(by: .seconds(3_400))
        let good = try await bench.run { try await auth.accessToken() }
        #expect(good.value.revealText() == "access-1")
        bench.clock.advance(by: .seconds(300))
        let busy = try await bench.run { () -> AuthError? in
            do {
                _ = try await auth.accessToken()
                return nil
            } catch { return error as? AuthError }
        }
        #expect(busy?.code == .busy)
        #expect(busy?.message.contains("another task of this process") == true)
        #expect(bench.service.refreshCount == 0)
        await hold.release()
        bench.clock.advance(by: .seconds(60))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("a token's refresh that begins during another process's adopts what that one stored")
    func adoptsDuringWait() async throws {
        let (bench, first) = try await ended()
        let second = try bench.process(seed: 9)
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let one = Task { try await first.accessToken() }
        try await bench.service.waitForRefreshes(1)
        let two = Task { try await second.accessToken() }
        hold.open()
        #expect(try await one.value == two.value)
        #expect(bench.service.refreshCount == 1)
    }

    @Test("an answer that brings no token of the wanted kind is stored all the same, and said to be malformed")
    func answerWithoutToken() async throws {
        let (bench, auth) = try await ended()
        bench.service.script(refreshes: .refreshed(CredentialChange(refreshToken: Secret("refresh-x"))))
        // The record still has the ended token; it is not handed out as the answer.
        #expect(await code { try await auth.accessToken() } == .untrusted(.malformed))
        #expect(try await bench.store.onlyRecord().document["credential"]?["renewal"]?.string == "refresh-x")
    }
}
