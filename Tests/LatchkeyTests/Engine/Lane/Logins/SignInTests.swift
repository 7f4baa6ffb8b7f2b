import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

/// Signing in over what is there, and what happens to a sign-in that the store did not take.
@Suite struct SignInTests {
    private let gone = AuthError(.store(.unavailable), "gone")

    @Test("12: a sign-in that is tried again after somebody signed it out does not come back", .law(5))
    func signedOutMeanwhile() async throws {
        let bench = Bench()
        let auth = try bench.process()
        // Stored, reported as failed, and the store cannot be asked.
        bench.store.script(replaces: .doneButFailed(gone))
        bench.store.script(reads: nil, gone)
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .store(.unavailable))
        #expect(auth.currentToken() != nil)
        let other = try bench.process(seed: 9)
        try await other.restore()
        #expect(try await other.signOut() == .revoked)
        try await bench.run { try await bench.until { auth.currentToken() == nil } }
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
    }

    @Test("12: a sign-out between the failed commit of a sign-in and its check wins")
    func signedOutBeforeCheck() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let other = try bench.process(seed: 9)
        bench.store.script(
            replaces: .before { [gone] in
                try await other.restore()
                try await other.signOut()
                throw gone
            })
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .signInRequired(.signedOut))
        #expect(auth.currentToken() == nil)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("signing out of a sign-in that is not stored yet wins over its last try")
    func signedOutDuringRetry() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let leaving = Locked<Task<SignOutResult, any Error>?>(nil)
        let early = Locked(-1)
        bench.store.script(
            replaces: .refused(AuthError(.store(.full), "no space")),
            .after {
                leaving.withLock { $0 = Task { try await auth.signOut() } }
                await bench.settle()
                early.withLock { $0 = bench.service.revokeCount }
            })
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .store(.full))
        try await bench.run { try await bench.service.waitForRevocations(1) }
        try await bench.run {
            try await bench.until { try await bench.store.keys(.credential).isEmpty == false }
            try await bench.until { try await bench.store.onlyRecord().document["credential"] == nil }
        }
        _ = try await leaving.withLock { $0 }?.value
        #expect(early.withLock(\.self) == 0, "What was just stored is revoked once its end is stored.")
        #expect(auth.currentToken() == nil)
    }

    @Test("a sign-in that waits to be stored is revoked only when the next one is in its place", .law(3))
    func replacesWaiting() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let early = Locked(-1)
        bench.store.script(
            replaces: .refused(AuthError(.store(.full), "no space")),
            .after { early.withLock { $0 = bench.service.revokeCount } })
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .store(.full))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(early.withLock(\.self) == 0, "What is being stored may be the one that was revoked.")
        #expect(bench.service.revokedSecrets == ["refresh-1"])
        #expect(try await auth.refresh().value.revealText() == "access-3")
        #expect(bench.service.sentSecrets == ["refresh-2"])
    }

    @Test("while a sign-in waits to be stored, nothing is handed out of a login that it found replaced", .law(5))
    func readIsKnown() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let other = try bench.process(seed: 9)
        _ = try await other.signIn(with: "scripted", .anonymous)
        try await bench.until { try await bench.owed == 0 }
        // Asked last: a client that is let go settles nothing any more.
        #expect(other.currentToken()?.value.revealText() == "access-2")
        #expect(auth.currentToken()?.value.revealText() == "access-1", "Nobody told this process yet.")
        let shown = Locked<[String?]>([])
        bench.store.script(replaces: .after { shown.withLock { $0.append(auth.currentToken()?.value.revealText()) } })
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(shown.withLock(\.self) == ["access-2"])
        #expect(auth.currentToken()?.value.revealText() == "access-3")
    }

    @Test("while a sign-in waits to be stored, nothing is handed out of a login that it found signed out", .law(5))
    func readIsOver() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let other = try bench.process(seed: 9)
        try await other.restore()
        try await other.signOut()
        #expect(auth.currentToken()?.value.revealText() == "access-1", "Nobody told this process yet.")
        let shown = Locked<[String?]>([])
        bench.store.script(replaces: .after { shown.withLock { $0.append(auth.currentToken()?.value.revealText()) } })
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(shown.withLock(\.self) == [nil])
        #expect(auth.currentToken()?.value.revealText() == "access-2")
    }

    @Test("a session that was taken over twice is not revoked as one that was replaced")
    func sameSession() async throws {
        for isStored in [true, false] {
            let bench = Bench()
            let account = AccountID(subject: "alice", of: bench.service.rules.binding)
            func taken(_ refreshToken: String) -> ScriptedProvider.TurnStep {
                .turn(
                    .signedIn(
                        Grant(
                            refreshToken: Secret(refreshToken), AuthSession(id: AuthSession.ID("s"), account: account)))
                )
            }
            bench.service.script(turns: taken("first"), taken("second"))
            if !isStored { bench.store.script(replaces: .refused(AuthError(.store(.full), "no space"))) }
            let auth = try bench.process()
            let early = await code { try await auth.signIn(with: "scripted", .anonymous) }
            #expect(early == (isStored ? nil : .store(.full)))
            let next = isStored ? try bench.process(seed: 9) : auth
            _ = try await next.signIn(with: "scripted", .anonymous)
            #expect(try await bench.storedSecret == "second")
            #expect(try await bench.owed == 0 && bench.service.revokeCount == 0)
        }
    }

    @Test(
        "who asks after another process signed in anew is not told what became of the old login's refresh", .law(5),
        arguments: [
            (ScriptedProvider.RefreshStep.failed(TransportError(.timedOut, wasSent: true)), "access-3"),
            (.refused(Refusal(.definite, code: "invalid_grant")), "access-3"),
            // The late answer brought the third, which nobody sees.
            (.rotated, "access-4"),
        ])
    func asksAfterTheNext(_ late: ScriptedProvider.RefreshStep, _ next: String) async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_400))
        let held = try await bench.service.hold(then: late) { try await auth.accessToken() }
        let other = try bench.process(seed: 9)
        _ = try await other.signIn(with: "scripted", .anonymous)
        try await auth.restore()
        #expect(auth.currentToken()?.value.revealText() == "access-2")
        let asked = Task { try await auth.refresh() }
        await bench.settle()
        held.answer()
        #expect(try await asked.value.value.revealText() == next)
        _ = try? await held.value
        #expect(auth.currentToken()?.value.revealText() == next)
    }

    @Test("18: where a revocation ends every grant, the next sign-in drops what was owed")
    func everyGrant() async throws {
        let bench = Bench(rules: .scripted(revocationEndsEveryGrant: true))
        let auth = try await bench.signedIn()
        bench.service.script(revocations: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(try await bench.owed == 1)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(try await bench.owed == 0)
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(try await bench.owed == 0)
        #expect(bench.service.revokeCount == 1)
    }

    @Test("18: where a revocation ends every grant, a sign-in waits for the revocation that is under way")
    func everyGrantInTurn() async throws {
        let bench = Bench(rules: .scripted(revocationEndsEveryGrant: true))
        let auth = try await bench.signedIn()
        let other = try bench.process(seed: 9)
        let hold = Latch()
        bench.service.script(revocations: .held(hold, then: .done))
        let leaving = Task { try await auth.signOut() }
        try await bench.service.waitForRevocations(1)
        let entering = Task { try await other.signIn(with: "scripted", .anonymous) }
        await bench.settle()
        // What the service grants before it has done the revocation would end with it.
        #expect(bench.service.beginCount == 1)
        hold.open()
        #expect(try await leaving.value == .revoked)
        _ = try await entering.value
        #expect(try await other.accessToken().value.revealText() == "access-2")
    }

    @Test("18: where a revocation ends every grant, none is sent while a sign-in is under way")
    func everyGrantDuringSignIn() async throws {
        let bench = Bench(rules: .scripted(revocationEndsEveryGrant: true))
        let auth = try await bench.signedIn()
        let other = try bench.process(seed: 9)
        try await other.restore()
        let context = ProviderContext(world: bench.world, transport: ScriptedTransport(), cache: KeepingCache())
        let hold = Latch()
        bench.service.script(turns: .held(hold, then: .turn(.signedIn(bench.service.grant(in: context)))))
        let entering = Task { try await other.signIn(with: "scripted", .anonymous) }
        try await bench.until { bench.service.beginCount == 2 }
        #expect(try await auth.signOut() == .revocationQueued)
        hold.open()
        _ = try await entering.value
        #expect(try await bench.owed == 0)
        #expect(bench.service.revokeCount == 0)
    }
}
