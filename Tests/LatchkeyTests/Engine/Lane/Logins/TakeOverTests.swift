import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// Signing in with a session that another client had: it is stored unasked, and never over anything.
@Suite struct TakeOverTests {
    private let gone = AuthError(.store(.unavailable), "gone")

    /// What another client had of alice: a refresh token, and no token.
    private func script(_ bench: Bench, times: Int = 1) {
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        let session = AuthSession(id: AuthSession.ID("shared"), account: account, label: "alice")
        var grant = Grant(refreshToken: Secret("theirs"), session)
        grant.isTakenOver = true
        for _ in 0..<times { bench.service.script(turns: .turn(.signedIn(grant))) }
    }

    /// A client, and a service that offers it that session so many times.
    private func offered(times: Int = 1) throws -> (Bench, AuthClient) {
        let bench = Bench()
        script(bench, times: times)
        return (bench, try bench.process())
    }

    private func takeOver(_ auth: AuthClient) async throws -> AuthSession {
        try await auth.signIn(with: "scripted", .ticket(Secret("any")))
    }

    @Test("a session that is taken over is stored without asking the service, and refreshed like every other")
    func storedUnasked() async throws {
        let (bench, auth) = try offered()
        let session = try await takeOver(auth)
        #expect(session.tokens.isEmpty && auth.currentToken() == nil && auth.currentAccount == session.account)
        #expect(try await bench.storedSecret == "theirs" && bench.service.refreshCount == 0)
        // Even by a process that comes later.
        #expect(try await bench.process(seed: 9).accessToken().value.revealText() == "access-1")
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(bench.service.sentSecrets == ["theirs"])
    }

    @Test(
        "whoever is signed in as the account stays so: theirs is returned, and nothing is written, told or revoked",
        .law(4))
    func yields() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let before = try await bench.store.onlyRecord().document
        let other = try bench.process(seed: 9)
        script(bench, times: 2)
        for process in [auth, other] {
            let session = try await takeOver(process)
            #expect(session.id == AuthSession.ID("session-1"))
            #expect(session.tokens[.standard]?.value.revealText() == "access-1")
        }
        #expect(try await bench.store.onlyRecord().document == before)
        #expect(try await other.accessToken().value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 0 && bench.service.revokeCount == 0)
    }

    @Test(
        "who is stopped while another process takes the same over, and refreshes it, does not put the old token back",
        .law(4))
    func stopped() async throws {
        let (bench, auth) = try offered(times: 2)
        let other = try bench.process(seed: 9)
        bench.store.script(
            replaces: .after {
                _ = try await takeOver(other)
                for _ in 0..<3 { try await other.refresh() }
            })
        let session = try await takeOver(auth)
        #expect(session.tokens[.standard]?.value.revealText() == "access-3")
        #expect(try await bench.storedSecret == "refresh-3" && auth.currentAccount == session.account)
        try await auth.refresh()
        #expect(bench.service.sentSecrets == ["theirs", "refresh-1", "refresh-2", "refresh-3"])
        #expect(bench.service.revokeCount == 0)
    }

    @Test("eight processes at once: one request, and the same token for all", .law(1))
    func together() async throws {
        let bench = Bench()
        script(bench, times: 8)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for seed in 0..<8 {
                let auth = try bench.process(seed: UInt64(20 + seed))
                group.addTask {
                    let session = try await takeOver(auth)
                    return try await auth.accessToken(of: session.account).value.revealText()
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["access-1"] && bench.service.sentSecrets == ["theirs"])
    }

    @Test("a session that was signed out here is not taken over while the service is still to be told", .law(5))
    func signedOut() async throws {
        let (bench, auth) = try offered(times: 3)
        _ = try await takeOver(auth)
        bench.service.script(revocations: .failed(AuthError(.offline(.unreachable), "no network")))
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(await code { try await takeOver(auth) } == .signInRequired(.signedOut))
        let other = try bench.process(seed: 9)
        #expect(await code { try await takeOver(other) } == .signInRequired(.signedOut))
        #expect(try await bench.owed == 1)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("a session that was signed out here is not taken over again once the service knows either", .law(5))
    func told() async throws {
        let (bench, auth) = try offered(times: 3)
        _ = try await takeOver(auth)
        #expect(try await auth.signOut() == .revoked)
        for process in [auth, try bench.process(seed: 9)] {
            #expect(await code { try await takeOver(process) } == .signInRequired(.signedOut))
        }
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test("who takes a session over while another process takes it over and signs out does not bring it back", .law(5))
    func signedOutMeanwhile() async throws {
        let (bench, auth) = try offered(times: 2)
        let other = try bench.process(seed: 9)
        bench.store.script(
            replaces: .after {
                _ = try await takeOver(other)
                #expect(try await other.signOut() == .revoked)
            })
        #expect(await code { try await takeOver(auth) } == .signInRequired(.signedOut))
        #expect(try await auth.accounts().isEmpty && auth.currentToken() == nil)
        #expect(try await bench.store.onlyRecord().document["credential"] == nil)
    }

    @Test(
        "a session in whose place another one came, and whose end the service was told, is not taken over again",
        .law(5))
    func replaced() async throws {
        let (bench, auth) = try offered()
        _ = try await takeOver(auth)
        bench.service.script(turns: .granted(to: "alice"))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await auth.signOut()
        try await bench.until { try await bench.owed == 0 }
        script(bench)
        #expect(await code { try await takeOver(auth) } == .signInRequired(.signedOut))
    }

    @Test("a session whose sign-out is not stored yet is not taken over by the process that knows of it", .law(5))
    func leaving() async throws {
        let (bench, auth) = try offered(times: 2)
        _ = try await takeOver(auth)
        bench.store.script(replaces: .refused(gone))
        #expect(await code { try await auth.signOut() } == .store(.unavailable))
        #expect(await code { try await takeOver(auth) } == .signInRequired(.signedOut))
        #expect(try await auth.accounts().isEmpty)
    }

    @Test("another session of the account that was signed out here is none of its business")
    func signedOutOther() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        script(bench)
        bench.service.script(revocations: .failed(AuthError(.offline(.unreachable), "no network")))
        #expect(try await auth.signOut() == .revocationQueued)
        _ = try await takeOver(auth)
        #expect(try await bench.storedSecret == "theirs")
        try await bench.until { try await bench.owed == 0 }
        #expect(Set(bench.service.revokedSecrets) == ["refresh-1"])
    }

    @Test(
        "what the store does not take is not kept: nobody is signed in, and the next try is one like the first", .law(4)
    )
    func notStored() async throws {
        let (bench, auth) = try offered(times: 2)
        bench.store.script(replaces: .refused(AuthError(.store(.full), "no space")))
        #expect(await code { try await takeOver(auth) } == .store(.full))
        #expect(try await auth.accounts().isEmpty && auth.currentAccount == nil)
        bench.clock.advance(by: .seconds(120))
        await bench.settle()
        #expect(try await bench.store.keys(.credential).isEmpty)
        _ = try await takeOver(auth)
        #expect(try await bench.storedSecret == "theirs")
    }

    @Test("a commit that is reported as failed and took effect is one")
    func storedAfterAll() async throws {
        let (bench, auth) = try offered()
        bench.store.script(replaces: .doneButFailed(gone))
        #expect(try await takeOver(auth).id == AuthSession.ID("shared"))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
    }

    @Test("where a revocation ends every grant, none is taken over while one is owed, of whichever session", .law(5))
    func everyGrant() async throws {
        let bench = Bench(rules: .scripted(revocationEndsEveryGrant: true))
        let auth = try await bench.signedIn()
        script(bench, times: 2)
        bench.service.script(revocations: .failed(AuthError(.offline(.unreachable), "no network")))
        #expect(try await auth.signOut() == .revocationQueued)
        #expect(await code { try await takeOver(auth) } == .signInRequired(.signedOut))
        #expect(try await bench.owed == 1)
        try await auth.settleRevocations()
        _ = try await takeOver(auth)
        #expect(try await bench.storedSecret == "theirs")
    }

    @Test("while a sign-in waits to be stored that is said, and when it is stored it stays")
    func waiting() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.store.script(replaces: .refused(AuthError(.store(.full), "no space")))
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .store(.full))
        script(bench, times: 2)
        #expect(await code { try await takeOver(auth) } == .store(.notDurable))
        #expect(auth.currentToken()?.value.revealText() == "access-1")
        try await bench.run { try await bench.until { try await !bench.store.keys(.credential).isEmpty } }
        #expect(try await takeOver(auth).id == AuthSession.ID("session-1"))
        #expect(try await bench.storedSecret == "refresh-1")
        #expect(bench.service.revokeCount == 0)
    }

    @Test("where the service ended the session of before, another one is taken over")
    func afterTheEnd() async throws {
        let (bench, auth) = try offered(times: 2)
        _ = try await takeOver(auth)
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        _ = try await takeOver(auth)
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(bench.service.revokeCount == 0)
    }
}
