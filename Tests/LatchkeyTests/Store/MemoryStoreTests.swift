import Latchkey
import LatchkeyTesting
import Testing

@Suite("Memory store")
struct MemoryStoreTests {
    let clock = ManualClock()
    let key = StoreKey(.credential, "alice")
    var store: MemoryStore { MemoryStore(context: .testing(clock: clock)) }

    @Test("a waiting lane is granted by the release, not by the clock") func grant() async throws {
        let store = store
        let first = try await store.lock(key, deadline: .zero)
        async let second = store.lock(key, deadline: .seconds(10))
        try await clock.waitForSleepers()
        await first.release()
        await first.release()
        await (try second).release()
        #expect(clock.sleepers == 0)
    }

    @Test("a lane that is not free by the deadline is busy, and the waiter is gone") func busy() async throws {
        let store = store
        let first = try await store.lock(key, deadline: .zero)
        let second = Task { try await store.lock(key, deadline: .seconds(10)) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: AuthError.self) { try await second.value }
        #expect(error?.code == .busy)
        await first.release()
        await (try store.lock(key, deadline: .zero)).release()
    }

    @Test("a cancelled waiter holds nothing and blocks nobody") func cancelled() async throws {
        let store = store
        let first = try await store.lock(key, deadline: .zero)
        let second = Task { try await store.lock(key, deadline: .seconds(10)) }
        try await clock.waitForSleepers()
        let third = Task { try await store.lock(key, deadline: .seconds(10)) }
        try await clock.waitForSleepers(2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await first.release()
        await (try third.value).release()
        await (try store.lock(key, deadline: .zero)).release()
    }

    @Test("a lane goes to the one who waits, not to who comes later") func fairness() async throws {
        let store = store
        let first = try await store.lock(key, deadline: .zero)
        async let next = store.lock(key, deadline: .seconds(10))
        try await clock.waitForSleepers()
        await #expect(throws: AuthError.self) { try await store.lock(key, deadline: .zero) }
        await first.release()
        await (try next).release()
    }

    @Test("releasing an old hold again does not free the next holder's lane") func staleRelease() async throws {
        let store = store
        let first = try await store.lock(key, deadline: .zero)
        await first.release()
        let second = try await store.lock(key, deadline: .zero)
        await first.release()
        await #expect(throws: AuthError.self) { try await store.lock(key, deadline: .zero) }
        await second.release()
    }

    @Test("names no store can keep are refused")
    func names() {
        for name in [String(repeating: "x", count: 4_097), "a\0b"] {
            #expect(throws: AuthError.self) { try store.read(StoreKey(.credential, name)) }
            #expect(throws: AuthError.self) { try store.replace(StoreKey(.credential, name), at: nil, with: []) }
        }
    }
}
