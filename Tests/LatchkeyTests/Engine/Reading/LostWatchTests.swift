import LatchkeySystem
import LatchkeyTesting
import Proofs
import Testing

@testable import Latchkey

/// A store behind a network that goes away and comes back.
@Suite("A store that goes away is listened to again when it is back", .law(24)) struct LostWatchTests {
    /// How a store shows that it is away, and what it does with those who listen.
    enum Outage: String, CaseIterable, Sendable {
        /// The streams end, and `changes()` says why not.
        case refusesListeners
        /// The streams end, and each new one ends at once.
        case endsAtOnce
        /// The streams end, and a new one is silent until the store is back.
        case listensInVain
        /// The streams go on, and tell of a change that cannot be read.
        case tellsUnreadable
        /// The streams end, and only listing fails.
        case cannotList
        /// The streams go on, and tell of a change that cannot be read, since the store is locked by another.
        case tellsLocked
        /// The same, since others may change its files.
        case tellsInsecure

        /// Whether the streams go on.
        var isTold: Bool { [.tellsUnreadable, .tellsLocked, .tellsInsecure].contains(self) }
    }

    /// A store that several clients share, and that can be away.
    final class FarStore: CrossProcessStore, WatchableStore {
        private struct State {
            var outage: Outage?
            var listeners = 0
            var refusal: AuthError?
        }

        let inner = MemoryStore()
        private let feed = ChangeFeed()
        private let state = Locked(State())

        var listeners: Int { state.withLock { $0.listeners } }

        /// Goes away, or comes back.
        func set(_ outage: Outage?) {
            let former = state.withLock { state in
                defer { state.outage = outage }
                return state.outage
            }
            if let outage, !outage.isTold { feed.finish() }
            if former?.isTold != true, outage == nil { feed.finish() }
        }

        /// Tells of every credential's key, as a channel does that goes another way than readings.
        func tellAll() { for key in inner.keys(.credential) { feed.tell(key) } }

        /// What `changes()` throws from now on.
        func refuse(_ refusal: AuthError?) { state.withLock { $0.refusal = refusal } }

        private func reach() throws {
            switch state.withLock({ $0.outage }) {
            case nil, .cannotList: break
            case .tellsLocked: throw AuthError(.locked, "the store is locked")
            case .tellsInsecure: throw AuthError(.store(.insecurePermissions), "others may change it")
            default: throw AuthError(.store(.unavailable), "the store is away")
            }
        }

        func read(_ key: StoreKey) async throws -> StoredRecord? {
            try reach()
            return try inner.read(key)
        }

        @discardableResult
        func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
            let version = try inner.replace(key, at: version, with: bytes)
            let outage = state.withLock { $0.outage }
            if outage?.isTold ?? true { feed.tell(key) }
            return version
        }

        func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] {
            if state.withLock({ $0.outage }) == .cannotList { throw AuthError(.store(.unavailable), "no list") }
            try reach()
            return inner.keys(kind)
        }

        func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
            try await inner.lock(key, deadline: deadline)
        }

        func changes() async throws -> AsyncStream<StoreKey> {
            let (outage, refusal) = state.withLock { state in
                state.listeners += 1
                return (state.outage, state.refusal)
            }
            if let refusal { throw refusal }
            switch outage {
            case .refusesListeners: throw AuthError(.store(.unavailable), "nobody listens")
            case .endsAtOnce: return AsyncStream { $0.finish() }
            default: return feed.listen()
            }
        }
    }

    private static let lost = AuthObservation.storeFailure(.credential, .watch, .store(.unavailable))

    private static func isBack(_ observation: AuthObservation) -> Bool {
        if case .store(.credential, .watch, .done, _) = observation { true } else { false }
    }

    /// The other client works on the store itself, which for it is not away.
    @Test(
        "what happened during an outage is seen within five seconds of its end, however the store was away",
        arguments: Outage.allCases, [1, 30])
    func seen(_ outage: Outage, seconds: Int) async throws {
        let bench = Bench()
        let store = FarStore()
        let acting = try bench.process { $0.store(store.inner) }
        let watching = try bench.process(seed: 9) { $0.store(store) }
        _ = try await acting.signIn(with: "scripted", .anonymous)
        _ = try await watching.accounts()
        try #require(watching.currentToken() != nil)
        store.set(outage)
        try await acting.signOut()
        if outage.isTold { store.tellAll() }
        await bench.pass(.seconds(seconds), by: .seconds(1))
        store.set(nil)
        await bench.pass(.milliseconds(4_900), by: .milliseconds(350))
        #expect(watching.currentToken() == nil)
        #expect(
            bench.observer.observations.contains {
                if case .storeFailure(.credential, .watch, _) = $0 { true } else { false }
            })
    }

    @Test("a change after the outage is told of again, and the observer learns once of its beginning and of its end")
    func toldAgain() async throws {
        let bench = Bench()
        let store = FarStore()
        let acting = try bench.process { $0.store(store) }
        let watching = try bench.process(seed: 9) { $0.store(store) }
        _ = try await watching.accounts()
        store.set(.refusesListeners)
        try await bench.run { try await bench.until { store.listeners >= 12 } }
        store.set(nil)
        try await bench.run { try await bench.until { bench.observer.observations.contains(where: Self.isBack) } }
        _ = try await acting.signIn(with: "scripted", .anonymous)
        try await bench.run { try await bench.until { watching.currentToken() != nil } }
        #expect(bench.observer.observations.count { $0 == Self.lost } == 1)
        #expect(bench.observer.observations.count(where: Self.isBack) == 1)
    }

    @Test("a store that is away at launch is listened to once it is there")
    func atLaunch() async throws {
        let bench = Bench()
        let store = FarStore()
        store.refuse(AuthError(.store(.unavailable), "not yet"))
        let acting = try bench.process { $0.store(store.inner) }
        let watching = try bench.process(seed: 9) { $0.store(store) }
        _ = try await watching.accounts()
        store.refuse(nil)
        _ = try await acting.signIn(with: "scripted", .anonymous)
        try await bench.run { try await bench.until { watching.currentToken() != nil } }
    }

    @Test("a store that never tells is asked twice, the observer is told, and the client goes on")
    func never() async throws {
        let bench = Bench()
        let store = FarStore()
        store.refuse(AuthError(.configuration(.unsupported), "this store tells of nothing"))
        let auth = try bench.process { $0.store(store) }
        _ = try await auth.signIn(with: "scripted", .anonymous)
        let never = AuthObservation.storeFailure(.credential, .watch, .configuration(.unsupported))
        try await bench.run { try await bench.until { bench.observer.observations.contains(never) } }
        await bench.pass(.seconds(30), by: .seconds(3))
        _ = try await auth.accessToken()
        #expect(store.listeners == 2)
        #expect(bench.observer.observations.count { $0 == never } == 1)
    }

    @Test("a store that is away is asked every few seconds at most")
    func pauses() async throws {
        let bench = Bench()
        let store = FarStore()
        let auth = try bench.process { $0.store(store) }
        _ = try await auth.accounts()
        store.set(.endsAtOnce)
        await bench.pass(.seconds(30), by: .milliseconds(250))
        #expect(store.listeners > 30 / 4)
        #expect(store.listeners < 30)
    }

    @Test("a client that is let go during an outage listens no longer")
    func letGo() async throws {
        let bench = Bench()
        let store = FarStore()
        var auth: AuthClient? = try bench.process { $0.store(store) }
        _ = try await auth?.accounts()
        store.set(.refusesListeners)
        try await bench.run { try await bench.until { store.listeners >= 3 } }
        weak let engine = auth?.engine
        auth = nil
        for _ in 0..<20 where engine != nil { await bench.pass(.seconds(1), by: .seconds(1)) }
        #expect(engine == nil)
        let listeners = store.listeners
        await bench.pass(.seconds(20), by: .seconds(1))
        #expect(store.listeners == listeners)
    }

    @Test("a watch that ends with its client is no failure")
    func ended() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        await auth.finish()
        await bench.settle()
        #expect(!bench.observer.observations.contains(Self.lost))
    }
}

extension Bench {
    /// Lets time pass in steps, with all that can happen in each.
    fileprivate func pass(_ time: Duration, by step: Duration) async {
        let end = clock.now() + time
        while clock.now() < end {
            await settle()
            clock.advance(by: step)
        }
        await settle()
    }
}
