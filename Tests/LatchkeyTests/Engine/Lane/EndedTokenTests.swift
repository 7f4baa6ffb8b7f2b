import Latchkey
import LatchkeyTesting
import Testing

/// A service whose access tokens have ended when they come.
@Suite struct EndedTokenTests {
    @Test("a token that has ended as it comes goes to who asked for it, and the next caller is told to wait")
    func asked() async throws {
        let bench = Bench(tokenLifetime: .zero)
        let auth = try await bench.signedIn()
        #expect(try await auth.accessToken().value.revealText() == "access-2")
        for _ in 0..<100 {
            let error = await #expect(throws: AuthError.self) { try await auth.accessToken() }
            #expect(error?.code == .serviceTrouble && (error?.retryAfter ?? .zero) > .zero)
        }
        #expect(auth.currentToken() == nil)
        #expect(bench.service.refreshCount == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await auth.accessToken().value.revealText() == "access-3")
        // Asked for by name, it is fetched at once.
        #expect(try await auth.refresh().value.revealText() == "access-4")
    }
}
