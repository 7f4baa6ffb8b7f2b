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
        #expect(bench.service.renewCount == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await auth.accessToken().value.revealText() == "access-3")
        // Asked for by name, it is fetched at once.
        #expect(try await auth.refresh().value.revealText() == "access-4")
    }

    @Test("tokens that have ended as they come are not renewed ahead of need")
    func ahead() async throws {
        let bench = Bench(tokenLifetime: .zero)
        let auth = try bench.process { $0.settings(EngineSettings()) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        for _ in 0..<3_600 {
            bench.clock.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(bench.service.renewCount == 0)
        #expect(try await auth.accessToken().value.revealText() == "access-2")
    }
}
