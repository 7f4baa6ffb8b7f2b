import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// A store that is slow, full or away during a refresh.
extension LaneTests {
    @Test("3: another field of the record changed meanwhile: the save is repeated and nothing is lost", .law(4))
    func conflictingField() async throws {
        let (bench, auth) = try await Bench.ended()
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
        let (bench, auth) = try await Bench.ended(.scripted(refresh: .fixed))
        bench.service.script(refreshes: .minted)
        bench.store.script(replaces: .doneButFailed(full))
        let token = try await auth.accessToken()
        #expect(token.value.revealText() == "access-2")
        #expect(token.isDurable)
        #expect(try await auth.accounts().first?.isDurable == true)
    }

    @Test("4: the save took effect but reported failure: one's own write is recognised", .law(4))
    func ambiguousSave() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.store.script(replaces: .none, .doneButFailed(full))
        let token = try await auth.accessToken()
        #expect(token.value.revealText() == "access-2")
        #expect(token.isDurable)
        #expect(bench.service.revokeCount == 0)
    }

    @Test("14: where the mark cannot be stored, nothing is sent", .law(1))
    func noMarkNoRequest() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.store.script(replaces: .refused(full))
        #expect(await code { try await auth.accessToken() } == .store(.full))
        #expect(bench.service.refreshCount == 0)
    }

    @Test("a mark that took long to store is set anew before anything is sent", .law(1))
    func slowMark() async throws {
        let (bench, auth) = try await Bench.ended()
        bench.store.script(replaces: .before { bench.clock.advance(by: .seconds(9)) })
        let held = try await bench.service.hold { try await auth.accessToken() }
        let sent = try await bench.store.onlyRecord().document["mark"]?["sent"]?["at"]?.integer
        #expect(sent == bench.clock.now().nanoseconds)
        held.answer()
        #expect(try await held.value.value.revealText() == "access-2")
    }

    @Test("a store that is too slow for a mark keeps the token from being sent, and no mark stays behind")
    func hopelessMark() async throws {
        let (bench, auth) = try await Bench.ended()
        let slow = FaultyStore<MemoryStore>.Fault.before { bench.clock.advance(by: .seconds(9)) }
        bench.store.script(replaces: slow, slow, slow)
        #expect(await code { try await auth.accessToken() } == .store(.unavailable))
        #expect(bench.service.refreshCount == 0)
        #expect(try await bench.store.onlyRecord().document["mark"] == nil)
    }

    @Test("17: an answer that cannot be stored is used, told to be so, and keeps the lane until it is stored", .law(2))
    func notDurable() async throws {
        let (bench, auth) = try await Bench.ended()
        let token = try await bench.unsavedToken(of: auth)
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
        let (bench, auth) = try await Bench.ended()
        bench.store.script(replaces: .none)
        #expect(try await bench.unsavedToken(of: auth).isDurable == false)
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
        let (bench, auth) = try await Bench.ended()
        let gone = AuthError(.store(.unavailable), "gone")
        let held = try await bench.service.hold { try await auth.accessToken() }
        bench.store.script(replaces: .refused(gone))
        bench.store.script(reads: gone)
        held.answer()
        #expect(await code { try await held.value } == .store(.unavailable))
        #expect(auth.currentToken() == nil)
        try await bench.run { try await bench.until { auth.currentToken() != nil } }
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("11: a sign-out that an unreachable store hides is not overlooked: nothing new is shown before it is read")
    func hiddenSignOut() async throws {
        let (bench, auth) = try await Bench.ended()
        let other = try bench.process(seed: 9)
        try await other.restore()
        let gone = AuthError(.store(.unavailable), "gone")
        let held = try await bench.service.hold { try await auth.accessToken() }
        #expect(try await other.signOut() == .revocationQueued)
        bench.store.script(replaces: .refused(gone))
        bench.store.script(reads: gone)
        held.answer()
        #expect(await code { try await held.value } == .store(.unavailable))
        #expect(auth.currentToken() == nil)
        try await bench.run { try await bench.service.waitForRevocations(1) }
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
    }

    @Test("reading the store anew does not hide a token that could not be stored")
    func restoreWhileUnsaved() async throws {
        let (bench, auth) = try await Bench.ended()
        #expect(try await bench.unsavedToken(of: auth).isDurable == false)
        #expect(try await auth.restore().first?.isDurable == false)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("an answer that cannot be stored and whose record is gone is given up, revoked, and its lane let go")
    func recordGone() async throws {
        let (bench, auth) = try await Bench.ended()
        #expect(try await bench.unsavedToken(of: auth).isDurable == false)
        let (key, version, _) = try await bench.store.onlyRecord()
        try bench.store.inner.replace(key, at: version, with: nil)
        bench.store.failCommits(nil)
        try await bench.run { try await bench.service.waitForRevocations(1) }
        #expect(bench.service.revokedSecrets == ["refresh-2"])
        #expect(auth.currentToken() == nil)
        let lane = try await bench.store.lock(key, deadline: .seconds(1))
        await lane.release()
    }
}
