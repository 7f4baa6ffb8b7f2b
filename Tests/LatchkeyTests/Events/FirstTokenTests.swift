import LatchkeyTesting
import Testing

@testable import Latchkey

/// How long it takes from the building of a client to its first token.
@Suite struct FirstTokenTests {
    /// A process over a store in which alice is signed in, built `age` after that.
    private func launched(
        after age: Duration = .zero, _ change: (AuthClient.Builder) -> AuthClient.Builder = { $0 }
    ) async throws -> (Bench, AuthClient) {
        let bench = Bench()
        _ = try await bench.signedIn()
        bench.clock.advance(by: age)
        return (bench, try bench.process(seed: 9, change))
    }

    @Test("a token that was stored is told once, with the time since the client was built")
    func stored() async throws {
        let (bench, auth) = try await launched()
        bench.clock.advance(by: .seconds(2))
        for _ in 1...3 { _ = try await auth.accessToken() }
        #expect(auth.currentToken() != nil)
        try await auth.refresh()
        #expect(bench.observer.firstTokens == [.firstToken(.stored, took: .seconds(2))])
    }

    @Test("a token that had ended is told as refreshed")
    func refreshed() async throws {
        let (bench, auth) = try await launched(after: .seconds(3_600))
        _ = try await auth.accessToken()
        #expect(bench.observer.firstTokens == [.firstToken(.refreshed, took: .zero)])
    }

    @Test("a token that could not be refreshed and still lasts was stored")
    func offline() async throws {
        let (bench, auth) = try await launched(after: .seconds(3_400))
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(try await auth.accessToken().value.revealText() == "access-1")
        #expect(bench.observer.firstTokens == [.firstToken(.stored, took: .zero)])
    }

    @Test("after a sign-in the person's time is told apart")
    func signedIn() async throws {
        let bench = Bench()
        let auth = try bench.process()
        bench.clock.advance(by: .seconds(40))
        _ = try await auth.signIn(with: "scripted", .anonymous)
        #expect(bench.observer.firstTokens.isEmpty, "no token was handed out yet")
        _ = try await auth.accessToken()
        #expect(bench.observer.firstTokens == [.firstToken(.signedIn, took: .seconds(40))])
    }

    @Test("the token that is read without waiting counts, and finding none does not")
    func current() async throws {
        let (bench, auth) = try await launched()
        #expect(auth.currentToken() == nil, "nothing was read yet")
        #expect(bench.observer.firstTokens.isEmpty)
        try await auth.restore()
        bench.clock.advance(by: .seconds(1))
        #expect(auth.currentToken(for: "nothing") == nil)
        #expect(auth.currentToken() != nil)
        #expect(bench.observer.firstTokens == [.firstToken(.stored, took: .seconds(1))])
    }

    @Test("the token of a request counts")
    func request() async throws {
        let (bench, auth) = try await launched()
        let resource = ScriptedTransport()
        resource.always("GET", "https://api.example.com/", .answer(TransportResponse(status: 200)))
        let transport = try auth.authorized(resource, origins: ["https://api.example.com"])
        for _ in 1...2 {
            _ = try await transport.send(TransportRequest("GET", "https://api.example.com/"), deadline: .seconds(60))
        }
        #expect(bench.observer.firstTokens == [.firstToken(.stored, took: .zero)])
    }

    @Test("a call that fails is no first token, and does not stop the time")
    func failure() async throws {
        let bench = Bench()
        let auth = try bench.process()
        #expect(await code { try await auth.accessToken() } == .signInRequired(.signedOut))
        #expect(await code { try await auth.refresh() } == .signInRequired(.signedOut))
        #expect(bench.observer.firstTokens.isEmpty)
    }

    @Test("while locked there is no first token; unlocking is part of the time")
    func locked() async throws {
        let unlock = ScriptedUnlock(clock: ManualClock())
        let (bench, auth) = try await launched { $0.unlock(unlock, reason: "Show your notes") }
        #expect(auth.currentToken() == nil)
        #expect(await code { try await auth.accessToken() } == .locked)
        #expect(bench.observer.firstTokens.isEmpty)
        bench.clock.advance(by: .seconds(3))
        try await auth.unlock()
        _ = try await auth.accessToken()
        #expect(bench.observer.firstTokens == [.firstToken(.stored, took: .seconds(3))])
    }

    @Test("a thousand callers at launch make one observation")
    func storm() async throws {
        let (bench, auth) = try await launched()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...1_000 { group.addTask { _ = try await auth.accessToken() } }
            try await group.waitForAll()
        }
        #expect(bench.observer.firstTokens.count == 1)
    }
}
