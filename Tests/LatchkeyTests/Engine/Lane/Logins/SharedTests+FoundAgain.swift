import Latchkey
import LatchkeyJSON
import LatchkeyTesting
import Proofs
import Testing

extension SharedTests {
    /// Signs Ada in again where the service gives the session that is there, and signs her out in another process before
    /// the answer comes.
    private func leaveMeanwhile(_ auth: AuthClient, _ session: AuthSession) async throws -> Result<
        AuthSession, any Error
    > {
        let document = try await bench.store.onlyRecord().document
        var grant = Grant(refreshToken: Secret("refresh-again"), session)
        grant.shared = (document["credential"]?["id"]?.string).map { Credential.ID($0) }
        #expect(grant.shared != nil)
        let hold = Latch()
        bench.service.script(turns: .held(hold, then: .turn(.signedIn(grant))))
        let again = Task { try await auth.signIn(with: "scripted", .anonymous) }
        await bench.settle()
        let other = try bench.process(seed: 9)
        let leaving = Task { try await other.signOut(of: ada) }
        await bench.settle()
        bench.clock.advance(by: .seconds(2))
        _ = try await leaving.value
        hold.open()
        return await again.result
    }

    @Test(
        "a session that a sign-in finds again is over if its person has signed out meanwhile", .law(5),
        arguments: [false, true])
    func foundAgain(isBeside: Bool) async throws {
        let auth = try bench.process()
        let session = try await signIn("ada", auth)
        if isBeside { try await signIn("bob", auth) }
        let result = try await leaveMeanwhile(auth, session)
        #expect(throws: AuthError.self) { try result.get() }
        await bench.settle()
        #expect(try await stored == (isBeside ? ["bob"] : []))
        #expect(try await auth.accounts().map(\.label) == (isBeside ? ["bob"] : []))
        // Its end is told to the service with the newest token.
        bench.clock.advance(by: .seconds(120))
        try await auth.settleRevocations()
        #expect(bench.service.revokeCount > 0)
    }
}
