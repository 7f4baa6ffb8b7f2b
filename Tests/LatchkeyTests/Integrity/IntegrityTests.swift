import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

@Suite("Integrity: the app is told, and nothing is refused")
struct IntegrityTests {
    private struct Found: IntegrityChecking {
        var findings: [IntegrityFinding]
        func check() async -> [IntegrityFinding] { findings }
    }

    @Test("What a check finds reaches the app and its listeners, and the client goes on as before", .need("R6"))
    func told() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        var events = auth.events.makeAsyncIterator()
        let findings: [IntegrityFinding] = [.debuggerAttached, .preloaded("a.so"), .preloaded("b.so")]
        #expect(await auth.checkIntegrity(by: Found(findings: findings)) == findings)
        #expect(await events.next() == .integrityFindings(findings))
        #expect(bench.observer.observations.suffix(2) == [.integrity(.debuggerAttached), .integrity(.preloaded)])
        #expect(!auth.isLocked)
        _ = try await auth.accessToken()
        try await auth.refresh()
    }

    @Test("A check that finds nothing tells nobody")
    func nothing() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        var events = auth.events.makeAsyncIterator()
        #expect(await auth.checkIntegrity(by: Found(findings: [])).isEmpty)
        await auth.checkIntegrity(by: Found(findings: [.notChecked]))
        #expect(await events.next() == .integrityFindings([.notChecked]))
    }
}
