import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite struct EventTests {
    @Test("every listener hears what happens, in order")
    func order() async throws {
        let bench = Bench()
        let auth = try bench.process()
        let streams = [auth.events, auth.events]
        _ = try await auth.signIn(with: "scripted", .anonymous)
        try await auth.refresh()
        try await auth.signOut()
        let account = AccountID(subject: "alice", of: bench.service.rules.binding)
        for stream in streams {
            var heard: [AuthEvent] = []
            for await event in stream {
                heard.append(event)
                if case .currentChanged(nil) = event { break }
            }
            #expect(
                heard == [
                    .stateChanged(account, .fresh), .currentChanged(account), .signedIn(account),
                    .refreshed(account, .standard), .signedOut(account, by: .app), .currentChanged(nil),
                ])
        }
    }

    @Test("a reader who falls behind finds a gap where events are missing, and memory stays bounded", .law(14))
    func gap() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let stream = auth.events
        for _ in 0..<400 { try await auth.refresh() }
        var reader = stream.makeAsyncIterator()
        for _ in 0..<256 { #expect(await reader.next() != .gap) }
        try await auth.refresh()
        #expect(await reader.next() == .gap)
    }

    @Test("a client that is no longer used ends its streams")
    func end() async throws {
        let bench = Bench()
        var auth: AuthClient? = try bench.process()
        let stream = try #require(auth?.events)
        auth = nil
        for await _ in stream { Issue.record("nothing was expected") }
        #expect(auth == nil)
    }

    @Test("a client that is no longer used lets go of everything, once everything is stored", .complaint(.supabase, 12))
    func lifetime() async throws {
        let bench = Bench()
        var auth: AuthClient? = try await bench.signedIn()
        weak let engine = auth?.engine
        bench.clock.advance(by: .seconds(3_600))
        let held = try await bench.service.hold { [auth] in try await auth?.accessToken().isDurable }
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        held.answer()
        #expect(try await held.value == false)
        auth = nil
        // What the service has made is not lost because nobody holds the client any more.
        bench.store.failCommits(nil)
        try await bench.run { try await bench.until { engine == nil } }
        #expect(try await bench.process(seed: 9).accessToken().value.revealText() == "access-2")
    }

    @Test("the person is told once that a sign-in is required", .need("D1"), .complaint(.supabase, 22))
    func authenticationRequired() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let stream = auth.events
        bench.clock.advance(by: .seconds(3_600))
        bench.service.script(refreshes: .refused(Refusal(.definite, code: "invalid_grant")))
        for _ in 0..<3 { _ = await code { try await auth.accessToken() } }
        try await auth.signOut()
        var told = 0
        var reader = stream.makeAsyncIterator()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        while let event = await reader.next() {
            if case .authenticationRequired(_, .refused) = event { told += 1 }
            if case .signedIn = event { break }
        }
        #expect(told == 1)
    }
}
