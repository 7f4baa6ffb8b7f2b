import Latchkey
import LatchkeyTesting
import Proofs
import Testing

/// A token that a resource refused is not handed out again, in this process or in another one.
@Suite("Refused tokens") struct DiscardTests {
    private let bench = Bench()
    private let offline = TransportError(.unreachable, wasSent: false)

    @Test(
        "a refused token is never handed out again, however long it would have lasted: the next call refreshes", .law(9)
    )
    func refreshed() async throws {
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken()
        #expect(try await auth.discard(token.value))
        #expect(auth.currentToken() == nil)
        #expect(bench.service.refreshCount == 0)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 1)
    }

    @Test("another process does not hand it out either, with a network or without", .law(9))
    func elsewhere() async throws {
        let token = try await bench.signedIn().accessToken()
        #expect(try await bench.process(seed: 8).discard(token.value))
        let later = try bench.process(seed: 9)
        bench.service.script(refreshes: .failed(offline))
        #expect(await code { try await later.accessToken() } == .offline(.unreachable))
        #expect(later.currentToken() == nil)
        let last = try bench.process(seed: 10)
        #expect(try await last.accessToken().value.revealText() == "access-2")
    }

    @Test("a process that held it already does not refresh back to it, but takes what another one brought")
    func adopted() async throws {
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken()
        let newer = try await bench.process(seed: 8).refresh()
        #expect(try await !auth.discard(token.value))
        #expect(try await auth.accessToken() == newer)
        #expect(bench.service.refreshCount == 1)
    }

    @Test(
        "a text that is no account's newest token changes nothing",
        arguments: ["", "access-0", "access-1 ", "refresh-1", "access-12"])
    func foreign(text: String) async throws {
        let auth = try await bench.signedIn()
        let before = try await bench.store.onlyRecord().version
        #expect(try await !auth.discard(Secret(text)))
        #expect(try await bench.store.onlyRecord().version == before)
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(bench.service.refreshCount == 0)
    }

    @Test("ten refusals of one token cause one refresh")
    func once() async throws {
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken()
        for _ in 0..<10 {
            try await auth.discard(token.value)
            #expect(try await auth.accessToken().value.revealText() == "access-2")
        }
        #expect(bench.service.refreshCount == 1)
    }

    @Test("a token that was refused while the store takes nothing is not handed out here, and the error says so")
    func unstored() async throws {
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken()
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        #expect(await code { try await auth.discard(token.value) } == .store(.full))
        #expect(auth.currentToken() == nil)
        for _ in 0..<3 { #expect(await code { try await auth.accessToken() } == .store(.full)) }
        #expect(await code { try await auth.refresh() } == .store(.full))
        bench.store.failCommits(nil)
        bench.clock.advance(by: .seconds(60))
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }

    @Test("a token that the store has not taken yet does not come back once it was refused, here or elsewhere", .law(9))
    func waitingToBeStored() async throws {
        let auth = try await bench.signedIn()
        bench.clock.advance(by: .seconds(3_600))
        let token = try await bench.unsavedToken(of: auth)
        #expect(try await auth.discard(token.value))
        for _ in 0..<3 {
            bench.clock.advance(by: .seconds(10))
            await bench.settle()
            #expect(auth.currentToken() == nil)
        }
        bench.store.failCommits(nil)
        bench.clock.advance(by: .seconds(60))
        await bench.settle()
        #expect(auth.currentToken() == nil)
        #expect(try await bench.process(seed: 8).accessToken() != token)
        #expect(try await auth.accessToken() != token)
    }

    @Test("a refresh that fails does not hand out a token that was refused while it was under way")
    func meanwhile() async throws {
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken()
        let held = try await bench.service.hold(then: .failed(offline)) { try await auth.refresh() }
        #expect(try await auth.discard(token.value))
        let joining = Task { try await auth.accessToken() }
        await bench.settle()
        held.answer()
        #expect(await code { try await joining.value } == .offline(.unreachable))
        #expect(auth.currentToken() == nil)
        _ = try? await held.value
    }

    @Test("nor does its own caller get that token, which the record had before")
    func meanwhileForItsCaller() async throws {
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken()
        // Shortly before the end: it lasts, and a newer one is asked for.
        bench.clock.advance(by: .seconds(3_400))
        let held = try await bench.service.hold(then: .failed(offline)) { try await auth.accessToken() }
        #expect(try await auth.discard(token.value))
        held.answer()
        #expect(await code { try await held.value } == .offline(.unreachable))
    }

    @Test("nor does one of a sign-in that the store has not taken yet")
    func signInWaitingToBeStored() async throws {
        let auth = try bench.process(seed: 7)
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        #expect(await code { try await auth.signIn(with: "scripted", .anonymous) } == .store(.full))
        let token = try #require(auth.currentToken())
        #expect(try await auth.discard(token.value))
        bench.clock.advance(by: .seconds(10))
        await bench.settle()
        #expect(auth.currentToken() == nil)
        bench.store.failCommits(nil)
        bench.clock.advance(by: .seconds(60))
        await bench.settle()
        #expect(try await bench.process(seed: 8).accessToken() != token)
        #expect(try await auth.accessToken() != token)
    }

    @Test("a session that nothing can refresh asks for a sign-in once its token is refused")
    func unrefreshable() async throws {
        let session = AuthSession(
            id: AuthSession.ID("session"), account: AccountID(subject: "alice", of: bench.service.rules.binding),
            tokens: [.standard: AccessToken(Secret("access-1"))])
        bench.service.script(turns: .turn(.signedIn(Grant(refreshToken: nil, session))))
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken()
        try await auth.discard(token.value)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.expired))
    }

    @Test("a service that answers with the refused token again does not make it good: the person is asked to sign in")
    func sameAgain() async throws {
        let auth = try await bench.signedIn()
        let token = try await auth.accessToken()
        let same = ScriptedProvider.RefreshStep.refreshed(
            CredentialChange(minted: [AuthSession.ID("session-1"): [.standard: AccessToken(token.value)]]))
        try await auth.discard(token.value)
        bench.service.script(refreshes: same)
        #expect(await code { try await auth.accessToken() } == .signInRequired(.notAccepted))
        #expect(auth.currentToken() == nil)
        let later = try bench.process(seed: 9)
        bench.service.script(refreshes: same)
        #expect(await code { try await later.accessToken() } == .signInRequired(.notAccepted))
        // Another one ends that.
        #expect(try await bench.process(seed: 10).accessToken().value.revealText() == "access-2")
    }
}
