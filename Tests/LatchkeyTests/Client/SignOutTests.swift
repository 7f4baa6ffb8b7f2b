import Latchkey
import LatchkeyJSON
import LatchkeyLocked
import LatchkeyTesting
import Testing

@Suite struct SignOutTests {
    @Test("signing out empties memory and store at once, and the service is told")
    func signOut() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        #expect(try await auth.signOut() == .revoked)
        #expect(auth.currentToken() == nil)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(bench.service.revokedSecrets == ["refresh-1"])
        let document = try await bench.store.onlyRecord().document
        #expect(document["credential"] == nil)
        #expect(document["pending"]?.array?.isEmpty == true)
    }

    @Test("ending the other sessions keeps this one, with a token that the service takes, and owes nothing")
    func others() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let account = try #require(auth.currentAccount)
        bench.clock.advance(by: .seconds(3_600))
        #expect(try await auth.signOut(scope: .others) == .revoked)
        #expect(bench.service.revokedSecrets == ["refresh-2"], "An ended token was to be refreshed first.")
        #expect(bench.service.revocations.map(\.scope) == [.others])
        #expect(auth.currentAccount == account)
        #expect(auth.currentToken()?.value.revealText() == "access-2")

        let refusals: [(any Error, AuthError.Code)] = [
            (AuthError(.configuration(.unsupported), "not that"), .configuration(.unsupported)),
            (TransportError(.unreachable, wasSent: false), .offline(.unreachable)),
        ]
        for (refusal, expected) in refusals {
            bench.service.script(revocations: .failed(refusal))
            #expect(await code { try await auth.signOut(scope: .others) } == expected)
            #expect(auth.currentToken()?.value.revealText() == "access-2")
            #expect(try await bench.owed == 0)
        }
        #expect(try await auth.refresh().value.revealText() == "access-3")
        try await auth.signOut()
        #expect(try await auth.signOut(scope: .others) == .nothingToDo)
    }

    @Test("a refresh that comes back after sign-out is dropped, and what it brought is revoked")
    func lateRefresh() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        #expect(try await auth.signOut() == .revocationQueued)
        hold.open()
        #expect(await code { try await caller.value } == .signInRequired(.signedOut))
        #expect(auth.currentToken() == nil)
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        let document = try await bench.store.onlyRecord().document
        #expect(document["credential"] == nil)
        #expect(document["pending"]?.array?.isEmpty == true)
    }

    @Test("a sign-out between the save of a refresh and its publication wins")
    func signOutDuringSave() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        bench.store.script(replaces: .none, .before { _ = try await auth.signOut() })
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(auth.currentToken() == nil)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("a sign-out between the reading of a record and its use wins: the old login is not shown again")
    func signOutDuringRead() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let account = try #require(auth.currentAccount)
        let shown = Locked(false)
        bench.store.script(afterRead: {
            _ = try await auth.signOut()
            // What was read before is what the refresh goes on with; its mark is what comes next.
            bench.store.script(
                replaces: .after { shown.withLock { $0 = auth.currentToken(of: account) != nil } })
        })
        #expect(await code { try await auth.refresh() } == .signInRequired(.signedOut))
        #expect(bench.service.refreshCount == 0)
        #expect(!shown.withLock { $0 })
        #expect(auth.currentToken(of: account) == nil)
    }

    @Test("a refresh that read a newer token before the sign-out does not hand it out after it")
    func adoptionAfterSignOut() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let store = bench.store.inner
        bench.clock.advance(by: .seconds(3_600))
        try await store.swapRefreshToken(to: "winner", access: "winner-access", at: bench.clock)
        bench.store.script(afterRead: { _ = try await auth.signOut() })
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("a service that offers no revocation is not asked again, and the sign-out says that it was local")
    func notOffered() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(revocations: .failed(AuthError(.configuration(.unsupported), "no such endpoint")))
        #expect(try await auth.signOut() == .localOnly)
        #expect(try await bench.store.onlyRecord().document["pending"]?.array?.isEmpty == true)
        #expect(bench.service.revokeCount == 1)
    }

    @Test("another process's sign-out during a refresh wins")
    func signOutElsewhere() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let other = try bench.process(seed: 9)
        try await other.restore()
        bench.clock.advance(by: .seconds(3_600))
        bench.store.script(replaces: .none, .after { _ = try await other.signOut() })
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(auth.currentToken() == nil)
        #expect(bench.service.revokedSecrets.last == "refresh-2")
    }

    @Test("6: losing one commit to a mark does not end a sign-out")
    func conflict() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let store = bench.store.inner
        bench.store.script(replaces: .after { try await store.change { $0["extra"] = "kept" } })
        #expect(try await auth.signOut() == .revoked)
        let document = try await bench.store.onlyRecord().document
        #expect(document["credential"] == nil)
        #expect(document["extra"]?.string == "kept")
    }

    @Test("5: a repeated sign-out does not remove the login that came after")
    func loginAfterwards() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let other = try bench.process(seed: 9)
        try await other.restore()
        try await auth.signOut()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(try await other.signOut() == .nothingToDo)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("8: a process that dies as soon as its sign-out is stored leaves the revocation to the others")
    func deathAfterCommit() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let never = Latch()
        bench.store.script(replaces: .before { try await never.wait() })
        let dying = Task { try await auth.signOut() }
        try await bench.until { try await bench.store.onlyRecord().document["credential"] == nil }
        let other = try bench.process(seed: 9)
        try await bench.run {
            try await other.restore()
            try await bench.service.waitForRevocations(1)
        }
        #expect(bench.service.revokedSecrets == ["refresh-1"])
        dying.cancel()
    }

    @Test("7: a save that comes after the record was deleted and made anew does not touch the new login")
    func versionsNeverRepeat() async throws {
        let bench = Bench()
        let late = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await late.accessToken() }
        try await bench.service.waitForRefreshes(1)
        // The record was at its second version. It is deleted, and its successor comes to its second version, too.
        let (key, version, _) = try await bench.store.onlyRecord()
        try bench.store.inner.replace(key, at: version, with: nil)
        let next = try bench.process(seed: 9)
        _ = try await next.signIn(with: "scripted", .anonymous)
        try await bench.store.inner.change { $0["extra"] = "kept" }
        hold.open()
        #expect(await code { try await caller.value } != nil)
        #expect(try await bench.storedSecret == "refresh-2")
        #expect(try await next.accessToken().value.revealText() == "access-2")
        #expect(bench.service.revokedSecrets == ["refresh-3"])
    }

    @Test("a refresh that fails after the sign-out does not hand out the old token, good or not")
    func failureAfterSignOut() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .failed(TransportError(.timedOut, wasSent: true))))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        try await auth.signOut()
        hold.open()
        #expect(await code { try await caller.value } == .signInRequired(.signedOut))
    }

    @Test("a refresh that comes back after the sign-out and the next sign-in does not touch the new login")
    func nextLoginStays() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        try await auth.signOut()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        hold.open()
        #expect(await code { try await caller.value } == .signInRequired(.signedOut))
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        #expect(try await auth.accounts().map(\.state) == [.fresh])
        #expect(bench.service.revokedSecrets.last == "refresh-3")
        #expect(try await bench.storedSecret == "refresh-2")
    }

    @Test("what a late refresh brought is revoked also where it cannot be noted")
    func lateAnswerOnFullDisk() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        try await auth.signOut()
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        hold.open()
        #expect(await code { try await caller.value } == .signInRequired(.signedOut))
        #expect(bench.service.revokedSecrets == ["refresh-2"])
    }

    @Test("a late answer takes the place only of the entry that waits for it")
    func foreignEntry() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        try await auth.signOut()
        // The lane was lost, and another process got an answer to the same token meanwhile.
        try await bench.store.inner.change { members in
            var entry = try #require(members["pending"]?.array?.first?.object)
            var credential = try #require(entry["credential"]?.object)
            credential["renewal"] = "of-the-other"
            (entry["credential"], entry["mark"]) = (.object(credential), nil)
            members["pending"] = .array([.object(entry)])
        }
        hold.open()
        #expect(await code { try await caller.value } == .signInRequired(.signedOut))
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        let left = try await bench.store.onlyRecord().document["pending"]?.array?.first
        #expect(left?["credential"]?["renewal"]?.string == "of-the-other")
    }

    @Test("a sign-out while an answer is not stored revokes that answer, and lets the lane go")
    func signOutWhileUnsaved() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let hold = Latch()
        bench.service.script(refreshes: .held(hold, then: .rotated))
        let caller = Task { try await auth.accessToken() }
        try await bench.service.waitForRefreshes(1)
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        hold.open()
        #expect(try await caller.value.isDurable == false)
        bench.store.failCommits(nil)
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(auth.currentToken() == nil)
        try await bench.run { try await bench.service.waitForRevocations(1) }
        try await bench.until { try await bench.owed == 0 }
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        let key = try await bench.store.onlyRecord().key
        let lane = try await bench.store.lane(key, deadline: .seconds(1))
        await lane.release()
    }

    @Test("8: what the service cannot be told now waits in the record, and any process tells it later")
    func queuedRevocation() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(revocations: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(try await bench.store.onlyRecord().document["pending"]?.array?.count == 1)
        let other = try bench.process(seed: 9)
        _ = try await bench.run {
            try await other.restore()
            try await bench.service.waitForRevocations(2)
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.revokedSecrets == ["refresh-1", "refresh-1"])
    }

    @Test("9: a sign-out during a refresh whose answer is lost: the worker finds the family and ends it")
    func lostAnswer() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .failed(TransportError(.interrupted, wasSent: true)))
        _ = await code { try await auth.accessToken() }
        #expect(try await auth.signOut() == .revocationQueued)
        let other = try bench.process(seed: 9)
        _ = try await bench.run {
            try await other.restore()
            try await bench.service.waitForRevocations(1)
            try await bench.until { try await bench.owed == 0 }
        }
        #expect(bench.service.sentSecrets == ["refresh-1", "refresh-1"])
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("a full disk fails the sign-out's commit: it is told, memory is empty, and calling again succeeds")
    func fullDisk() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        #expect(await code { try await auth.signOut() } == .store(.full))
        #expect(auth.currentToken() == nil)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        bench.store.failCommits(nil)
        #expect(try await auth.signOut() == .revoked)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("a sign-out that the store did not take is tried again without being asked")
    func fullDiskForAWhile() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        #expect(await code { try await auth.signOut() } == .store(.full))
        bench.clock.advance(by: .seconds(2))
        await bench.settle()
        bench.store.failCommits(nil)
        try await bench.run { try await bench.service.waitForRevocations(1) }
        try await bench.until { try await bench.store.onlyRecord().document["credential"] == nil }
    }

    @Test("10: signing in over a login ends the old one and revokes it")
    func signInOver() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let other = try bench.process(seed: 9)
        try await other.restore()
        _ = try await bench.run {
            _ = try await auth.signIn(with: "scripted", .anonymous)
            try await bench.service.waitForRevocations(1)
        }
        #expect(bench.service.revokedSecrets == ["refresh-1"])
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        // The other process adopts it: it is the same account.
        bench.clock.advance(by: .seconds(3_500))
        #expect(try await other.accessToken().value.revealText() == "access-3")
    }

    @Test("nobody signed in: nothing to do")
    func nobody() async throws {
        let bench = Bench()
        #expect(try await bench.process().signOut() == .nothingToDo)
    }
}
