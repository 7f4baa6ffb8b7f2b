import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

/// `session(of:at:)`: what is kept with a session, without a request.
@Suite struct KeptSessionTests {
    /// Keeps `text` with the session, as a provider's operation does.
    private func keep(_ text: JSON, _ auth: AuthClient) async throws {
        try await auth.perform(replay: .fixed) { credential, _ in
            var session = credential.sessions[0]
            session.state = .object((session.state.object ?? [:]).merging(["note": text]) { $1 })
            session.label = text.string
            return (CredentialChange(sessions: [session]), ())
        }
    }

    @Test("what an operation keeps is read by every process, survives refreshes, and needs no service")
    func kept() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        try await keep("one", auth)
        bench.clock.advance(by: .seconds(3_600))
        let other = try bench.process(seed: 9)
        let session = try await other.session()
        #expect(session.state["note"] == "one" && session.label == "one" && other.currentToken() == nil)
        #expect(bench.service.refreshCount == 0)
        _ = try await other.accessToken()
        #expect(try await auth.session().state["note"] == "one")
        #expect(try await auth.session().tokens[.standard]?.value.revealText() == "access-2")
        #expect(try await auth.session(of: session.account, at: "scripted").id == session.id)
    }

    @Test("it waits for no refresh that is under way, and reads what is there before its answer")
    func beside() async throws {
        let (bench, auth) = try await Bench.ended()
        let held = try await bench.service.hold { try await auth.accessToken() }
        #expect(try await auth.session().tokens[.standard]?.value.revealText() == "access-1")
        held.answer()
        _ = try await held.value
        #expect(try await auth.session().tokens[.standard]?.value.revealText() == "access-2")
    }

    @Test("what the store has not taken yet is read where it is, and not elsewhere")
    func unstored() async throws {
        let (bench, auth) = try await Bench.ended()
        try await keep("one", auth)
        #expect(try await bench.unsavedToken(of: auth).value.revealText() == "access-2")
        #expect(try await auth.session().tokens[.standard]?.value.revealText() == "access-2")
        #expect(try await auth.session().state["note"] == "one")
        #expect(
            try await bench.process(seed: 9).session().tokens[.standard]?.value.revealText() == "access-1")
        // Nor does it matter whether the store can be read.
        bench.store.script(reads: AuthError(.store(.unavailable), "away"))
        #expect(try await auth.session().tokens[.standard]?.value.revealText() == "access-2")
    }

    @Test("what the store takes while the record is read is read too, and not what was there before it", .law(2))
    func storedMeanwhile() async throws {
        let (bench, auth) = try await Bench.ended()
        #expect(try await bench.unsavedToken(of: auth).isDurable == false)
        let token = try await bench.run {
            bench.store.script(afterRead: {
                bench.store.failCommits(nil)
                try await bench.until { try await auth.accounts().first?.isDurable == true }
            })
            return try await auth.session().tokens[.standard]
        }
        #expect(token?.value.revealText() == "access-2")
    }

    @Test("a store that cannot be read is said to be so, and nobody is said to be signed out for it", .law(8))
    func unreadable() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.store.script(reads: AuthError(.store(.damaged), "broken"))
        #expect(await code { try await auth.session() } == .store(.damaged))
        #expect(try await auth.session().account.value.hasPrefix("scripted "))
    }

    @Test("a sign-out between the reading of the record and its use wins", .law(5))
    func signedOutMeanwhile() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.store.script(afterRead: { try await auth.signOut() })
        #expect(await code { try await auth.session() } == .signInRequired(.signedOut))
    }

    @Test("whoever signed in anew through another process is who is read")
    func anew() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        try await keep("of the former", auth)
        let other = try bench.process(seed: 9)
        _ = try await other.restore()
        try await auth.signOut()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let session = try await other.session()
        let newest = try await auth.session().tokens[.standard]
        #expect(session.state["note"] == nil && session.tokens[.standard] == newest)
    }

    @Test("nobody, somebody who signed out here or elsewhere, and somebody whom the service ended have no session")
    func nobody() async throws {
        let bench = Bench()
        let auth = try bench.process()
        #expect(await code { try await auth.session() } == .signInRequired(.signedOut))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let other = try bench.process(seed: 9)
        _ = try await other.restore()
        try await auth.signOut()
        #expect(await code { try await auth.session() } == .signInRequired(.signedOut))
        #expect(await code { try await other.session() } == .signInRequired(.signedOut))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        #expect(await code { try await auth.accessToken() } == .signInRequired(.refused))
        #expect(await code { try await auth.session() } == .signInRequired(.refused))
        #expect(await code { try await bench.process(seed: 11).session() } == .signInRequired(.refused))
    }

    @Test("an account of another provider is refused")
    func another() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        #expect(await code { try await auth.session(at: "other") } == .configuration(.invalid))
    }
}
