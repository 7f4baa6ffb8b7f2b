import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
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

    @Test("a service that offers no revocation is not asked again, and the sign-out says that it was local")
    func notOffered() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(revocations: .failed(AuthError(.configuration(.unsupported), "no such endpoint")))
        #expect(try await auth.signOut() == .localOnly)
        #expect(try await bench.store.onlyRecord().document["pending"]?.array?.isEmpty == true)
        #expect(bench.service.revokeCount == 1)
    }

    @Test("6: losing one commit to a mark does not end a sign-out", .law(5))
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

    @Test("5: a repeated sign-out does not remove the login that came after", .law(4))
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

    @Test(
        "8: what the service cannot be told now waits in the record, and any process tells it later",
        .complaint(.supabase, 20), .complaint(.clerk, 11))
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

    @Test("what the service is owed has an end, seven days after the newest sign-out, which no look at it moves")
    func owedEnd() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        #expect(try await auth.owedRevocationsEnd() == nil)
        let week = TimeInterval(7 * 86_400)
        let begun = bench.clock.wall()
        bench.service.script(revocations: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(try await auth.owedRevocationsEnd() == begun.addingTimeInterval(week))
        let other = try bench.process(seed: 9)
        bench.clock.setWall(begun.addingTimeInterval(3_600))
        let end = try await other.owedRevocationsEnd()
        #expect(end == begun.addingTimeInterval(3_600 + week), "The time since boot counts, and not the wall clock.")
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

    @Test("a sign-out that the store did not take is tried again without being asked", .law(5))
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

    @Test("10: signing in over a login ends the old one and revokes it", .law(5))
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
