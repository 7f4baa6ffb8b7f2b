import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// `AuthEvent.expiring`, where a refresh ahead of need fails.
@Suite("Warnings that a token ends") struct WarningTests {
    private let bench = Bench()
    private let notes = EventNotes()

    /// A process that refreshes without being asked, on a token that is about to be refreshed.
    private func wakeful() async throws -> AuthClient {
        let auth = try bench.process(seed: 8) { builder in
            var settings = Bench.settings
            settings.refresh = .ahead
            return builder.settings(settings).observer(notes)
        }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        return auth
    }

    private func wake(_ refreshes: Int) async throws {
        try await bench.clock.waitForSleepers(1)
        bench.clock.advanceToNextSleeper()
        try await bench.service.waitForRefreshes(refreshes)
    }

    @Test(
        "the end of a token is told once, however often its refresh fails, and anew for the next token", .law(20),
        .need("N9"))
    func once() async throws {
        let auth = try await wakeful()
        let failed = ScriptedProvider.RefreshStep.failed(TransportError(.unreachable, wasSent: false))
        bench.service.script(refreshes: failed, failed, failed)
        for count in 1...3 { try await wake(count) }
        try await bench.until { notes.warnings > 0 }
        try await wake(4)
        try await bench.until { auth.currentToken()?.value.revealText() == "access-2" }
        #expect(notes.warnings == 1)
        bench.service.script(refreshes: failed)
        try await wake(5)
        try await bench.until { notes.warnings >= 2 }
    }

    @Test("a locked client warns of nothing, also if the refresh that failed began before it locked", .law(20))
    func locked() async throws {
        let unlock = ScriptedUnlock(clock: bench.clock)
        let auth = try bench.process(seed: 8) { builder in
            var settings = Bench.settings
            settings.refresh = .ahead
            return builder.settings(settings).observer(notes).unlock(unlock, reason: "Show your notes")
        }
        try await auth.unlock()
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let latch = Latch()
        let failed = ScriptedProvider.RefreshStep.failed(TransportError(.unreachable, wasSent: false))
        bench.service.script(refreshes: .held(latch, then: failed), failed)
        try await wake(1)
        await auth.lock()
        latch.open()
        await bench.settle()
        #expect(notes.warnings == 0)
        // The unlock has it tried again, and only that failure is told of.
        try await auth.unlock()
        try await bench.run { [bench] in try await bench.service.waitForRefreshes(2) }
        try await bench.until { notes.warnings > 0 }
    }

    @Test("a token that has just come is not warned of, though the store did not take it", .law(20))
    func notDurable() async throws {
        let auth = try await wakeful()
        let latch = Latch()
        bench.service.script(refreshes: .held(latch, then: .rotated))
        try await wake(1)
        bench.store.failCommits(AuthError(.store(.full), "no space"))
        latch.open()
        try await bench.until { auth.currentToken()?.value.revealText() == "access-2" }
        await bench.settle()
        #expect(notes.warnings == 0)
    }
}
