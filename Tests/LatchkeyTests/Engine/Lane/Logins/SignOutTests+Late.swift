import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// What is under way when somebody signs out, and comes back after it.
extension SignOutTests {
    @Test(
        "a refresh that comes back after sign-out is dropped, and what it brought is revoked", .law(5),
        .complaint(.supabase, 1))
    func lateRefresh() async throws {
        let (bench, auth) = try await Bench.ended()
        let held = try await bench.service.hold { try await auth.accessToken() }
        #expect(try await auth.signOut() == .revocationQueued)
        held.answer()
        #expect(await code { try await held.value } == .signInRequired(.signedOut))
        #expect(auth.currentToken() == nil)
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        let document = try await bench.store.onlyRecord().document
        #expect(document["credential"] == nil)
        #expect(document["pending"]?.array?.isEmpty == true)
    }

    @Test("a sign-out between the save of a refresh and its publication wins", .law(5))
    func signOutDuringSave() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.store.script(replaces: .none, .before { _ = try await auth.signOut() })
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(auth.currentToken() == nil)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("a sign-out between the reading of a record and its use wins: the old login is not shown again", .law(5))
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

    @Test("a refresh that read a newer token before the sign-out does not hand it out after it", .law(5))
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

    @Test("another process's sign-out during a refresh wins", .law(5))
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

    @Test("7: a save that comes after the record was deleted and made anew does not touch the new login")
    func versionsNeverRepeat() async throws {
        let (bench, late) = try await Bench.ended()
        let held = try await bench.service.hold { try await late.accessToken() }
        // The record was at its second version. It is deleted, and its successor comes to its second version, too.
        let (key, version, _) = try await bench.store.onlyRecord()
        try bench.store.inner.replace(key, at: version, with: nil)
        let next = try bench.process(seed: 9)
        _ = try await next.signIn(with: "scripted", .anonymous)
        try await bench.store.inner.change { $0["extra"] = "kept" }
        held.answer()
        #expect(await code { try await held.value } != nil)
        #expect(try await bench.storedSecret == "refresh-2")
        #expect(try await next.accessToken().value.revealText() == "access-2")
        #expect(bench.service.revokedSecrets == ["refresh-3"])
    }

    @Test("a refresh that fails after the sign-out does not hand out the old token, good or not", .law(5))
    func failureAfterSignOut() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        let held = try await bench.service.hold(then: .failed(TransportError(.timedOut, wasSent: true))) {
            try await auth.accessToken()
        }
        try await auth.signOut()
        held.answer()
        #expect(await code { try await held.value } == .signInRequired(.signedOut))
    }

    @Test(
        "a refresh that comes back after the sign-out and the next sign-in does not touch the new login", .law(5),
        .complaint(.supabase, 1))
    func nextLoginStays() async throws {
        let (bench, auth) = try await Bench.ended()
        let held = try await bench.service.hold { try await auth.accessToken() }
        try await auth.signOut()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        held.answer()
        #expect(try await held.value.value.revealText() == "access-2")
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        #expect(try await auth.accounts().map(\.state) == [.fresh])
        #expect(bench.service.revokedSecrets.last == "refresh-3")
        #expect(try await bench.storedSecret == "refresh-2")
    }

    @Test("what a late refresh brought is revoked also where it cannot be noted", .law(5))
    func lateAnswerOnFullDisk() async throws {
        let (bench, auth) = try await Bench.ended()
        let held = try await bench.service.hold { try await auth.accessToken() }
        try await auth.signOut()
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        held.answer()
        #expect(await code { try await held.value } == .signInRequired(.signedOut))
        #expect(bench.service.revokedSecrets == ["refresh-2"])
    }

    @Test("a late answer takes the place only of the entry that waits for it", .law(5))
    func foreignEntry() async throws {
        let (bench, auth) = try await Bench.ended()
        let held = try await bench.service.hold { try await auth.accessToken() }
        try await auth.signOut()
        // The lane was lost, and another process got an answer to the same token meanwhile.
        try await bench.store.inner.change { members in
            var entry = try #require(members["pending"]?.array?.first?.object)
            var credential = try #require(entry["credential"]?.object)
            credential["renewal"] = "of-the-other"
            (entry["credential"], entry["mark"]) = (.object(credential), nil)
            members["pending"] = .array([.object(entry)])
        }
        held.answer()
        #expect(await code { try await held.value } == .signInRequired(.signedOut))
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        let left = try await bench.store.onlyRecord().document["pending"]?.array?.first
        #expect(left?["credential"]?["renewal"]?.string == "of-the-other")
    }

    @Test("a sign-out while an answer is not stored revokes that answer, and lets the lane go")
    func signOutWhileUnsaved() async throws {
        let (bench, auth) = try await Bench.ended()
        #expect(try await bench.unsavedToken(of: auth).isDurable == false)
        bench.store.failCommits(nil)
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(auth.currentToken() == nil)
        try await bench.run { try await bench.service.waitForRevocations(1) }
        try await bench.until { try await bench.owed == 0 }
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        try await bench.expectFreeLock()
    }

    @Test("9: a sign-out during a refresh whose answer is lost: the worker finds the family and ends it", .law(5))
    func lostAnswer() async throws {
        let (bench, auth) = try await Bench.ended()
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
}
