import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// Who shares a refresh that is under way, and who comes too late for it.
@Suite struct BoardingTests {
    /// Is called in the middle of whatever is observed.
    private struct Interrupting: AuthObserver {
        let call: @Sendable (AuthObservation) -> Void
        func observe(_ observation: AuthObservation) { call(observation) }
    }

    @Test(
        "a refresh that has come to its end takes nobody on board: whom its alarm sends would not be sent again",
        .law(13))
    func tooLate() async throws {
        let bench = Bench()
        let client = Locked<AuthClient?>(nil)
        let second = Locked<Task<String, any Error>?>(nil)
        let isUnderWay = Locked(false)
        let observer = Interrupting { observation in
            guard case .refresh = observation, let auth = client.withLock({ $0 }), second.withLock({ $0 == nil }) else {
                return
            }
            second.withLock {
                $0 = Task {
                    isUnderWay.withLock { $0 = true }
                    return try await auth.refresh().value.revealText()
                }
            }
            // Long enough for it to board, if it may; if not, it waits for this, however short.
            for _ in 0..<1_000_000 where isUnderWay.withLock({ !$0 }) {}
            for _ in 0..<50_000 { _ = isUnderWay.withLock(\.self) }
        }
        let auth = try bench.process { $0.observer(observer) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        client.withLock { $0 = auth }
        #expect(try await auth.refresh().value.revealText() == "access-2")
        let later = try #require(second.withLock { $0 })
        #expect(try await later.value == "access-3")
        #expect(bench.service.sentSecrets == ["refresh-1", "refresh-2"])
        client.withLock { $0 = nil }
    }

    @Test(
        "who comes a moment too late for a refresh that failed is told what the others were, and sends nothing", .law(9)
    )
    func late() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        bench.service.script(refreshes: .failed(TransportError(.unreachable, wasSent: false)))
        #expect(await code { try await auth.refresh() } == .offline(.unreachable))
        let old = try #require(auth.currentToken())
        let entry = try #require(auth.engine.table.entry(nil))
        // On the way here nothing had failed yet.
        func ask(isRefused: Bool, isForced: Bool = false) async throws -> AccessToken {
            let demand = Demand(
                want: Want(account: entry.account), old: old, isRefused: isRefused,
                forcedAt: isForced ? bench.clock.now() : nil)
            return try await auth.engine.lanes.with(entry.key) { lane in
                try await lane.token(demand)
            }
        }
        do {
            _ = try await ask(isRefused: true)
            Issue.record("The refused token is no answer.")
        } catch let error as AuthError {
            #expect(error.code == .offline(.unreachable) && error.retryAfter ?? .zero > .zero)
        }
        #expect(try await ask(isRefused: false) == old)
        #expect(bench.service.refreshCount == 1)
        // Who insists is let through, and so is everybody when its time has come.
        #expect(try await ask(isRefused: true, isForced: true).value.revealText() == "access-2")
        #expect(bench.service.refreshCount == 2)
    }
}
