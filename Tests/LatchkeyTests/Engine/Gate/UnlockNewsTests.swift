import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// What unlocking tells of the sessions behind the gate.
@Suite struct UnlockNewsTests {
    @Test(
        "unlocking tells of a refresh only if another process has refreshed meanwhile", .law(21),
        arguments: [false, true])
    func refreshedMeanwhile(isRefreshed: Bool) async throws {
        let bench = Bench()
        let memory = MemoryStore(context: bench.world)
        let key = UnlockKey(.key(source: "test"), Secret("0123456789abcdef"))
        func open() async throws -> AuthClient {
            let unlock = ScriptedKeyUnlock(ScriptedUnlock(clock: bench.clock), key: key)
            let store = KeyedStore(memory, key: key.secret)
            let auth = try bench.process(seed: 9) { $0.store(store).unlock(unlock, reason: "Show your notes") }
            try await auth.unlock()
            return auth
        }
        let other = try await open()
        _ = try await other.signIn(with: "scripted", .anonymous)
        let auth = try await open()
        let token = try await auth.accessToken()
        await auth.lock()
        if isRefreshed { _ = try await other.refresh() }
        let stream = auth.events
        try await auth.unlock()
        let newer = try await auth.accessToken()
        #expect((newer == token) == !isRefreshed)
        auth.engine.accounts.hub.close()
        let told = await stream.reduce(into: []) { $0.append($1) }
        let refreshes = told.count { if case .refreshed = $0 { true } else { false } }
        #expect(refreshes == (isRefreshed ? 1 : 0), "\(told)")
    }
}
