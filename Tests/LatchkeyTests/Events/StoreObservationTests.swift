import LatchkeyTesting
import Testing

@testable import Latchkey

/// Why the store failed, and how long work waited for its turn.
@Suite struct StoreObservationTests {
    @Test(
        "a commit that fails is told with its reason",
        arguments: [AuthError.StoreReason.full, .readOnly, .insecurePermissions, .unavailable, .damaged])
    func commit(reason: AuthError.StoreReason) async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        #expect(bench.observer.storeFailures.isEmpty)
        bench.store.failCommits(AuthError(.store(reason), "no"))
        _ = await code { try await auth.refresh() }
        let failures = bench.observer.storeFailures
        #expect(!failures.isEmpty)
        #expect(failures.allSatisfy { $0 == .storeFailure(.credential, .replace, .store(reason)) })
    }

    @Test("an error that is none of this SDK's has a code all the same")
    func foreign() async throws {
        struct Strange: Error {}
        let bench = Bench()
        let locks = KeyLocks(
            Broken(inner: bench.store, error: Strange()), bench.world, deadline: .seconds(1))
        let key = StoreKey(.credential, "a")
        await #expect(throws: Strange.self) { try await locks.hold(key, deadline: .seconds(1)) }
        guard case .storeFailure(.credential, .lock, _)? = bench.observer.storeFailures.first else {
            Issue.record("nothing was told")
            return
        }
        #expect(bench.observer.lockWaits == [.lockWait(.store, .failed, took: .zero)])
    }

    /// A store whose lock fails.
    private struct Broken: CrossProcessStore {
        let inner: FaultyStore<MemoryStore>
        let error: any Error

        func read(_ key: StoreKey) async throws -> StoredRecord? { try await inner.read(key) }

        func replace(_ key: StoreKey, at version: RecordVersion?, with bytes: [UInt8]?) async throws -> RecordVersion? {
            try await inner.replace(key, at: version, with: bytes)
        }

        func keys(_ kind: StoreKey.Kind) async throws -> [StoreKey] { try await inner.keys(kind) }

        func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock { throw error }
    }

    @Test("a reading that fails is told: of a record, and of the list of all")
    func reading() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        bench.store.failKeys(AuthError(.store(.unavailable), "no"))
        let first = try bench.process(seed: 9)
        #expect(await code { try await first.restore() } == .store(.unavailable))
        #expect(bench.observer.storeFailures == [.storeFailure(.credential, .keys, .store(.unavailable))])
        bench.store.failKeys(nil)
        let place = try await place(bench)
        bench.store.script(reads: AuthError(.store(.damaged), "no"))
        #expect(await code { try await place.read(unless: nil) } == .store(.damaged))
        #expect(bench.observer.storeFailures.last == .storeFailure(.credential, .read, .store(.damaged)))
    }

    /// Where the only record is.
    private func place(_ bench: Bench) async throws -> RecordPlace {
        RecordPlace(
            key: try await bench.store.onlyRecord().key, isShared: false, sharesKey: false, store: bench.store,
            locks: KeyLocks(bench.store, bench.world, deadline: .seconds(1)), context: bench.world)
    }

    @Test("a conflict is no failure of the store")
    func conflict() async throws {
        let bench = Bench()
        _ = try await bench.signedIn()
        let place = try await place(bench)
        guard case .found(let found?) = try await place.read(unless: nil),
            case .conflict = await place.replace(found.record, at: nil)
        else {
            Issue.record("the record was written over")
            return
        }
        #expect(bench.observer.storeFailures.isEmpty)
    }

    @Test("a refresh that need not wait says so, for both locks")
    func free() async throws {
        let bench = Bench()
        let auth = try await bench.signedIn()
        let before = bench.observer.lockWaits.count
        try await auth.refresh()
        #expect(
            bench.observer.lockWaits.dropFirst(before) == [
                .lockWait(.queue, .acquired, took: .zero), .lockWait(.store, .acquired, took: .zero),
            ])
    }

    @Test("a lock that is not free in time is busy after that time, and is no failure of the store")
    func busy() async throws {
        let (bench, auth) = try await Bench.ended()
        let hold = try await bench.store.lock(try await bench.store.onlyRecord().key, deadline: .seconds(1))
        #expect(try await bench.run { await code { try await auth.accessToken() } } == .busy)
        await hold.release()
        let wait = AuthObservation.lockWait(.store, .busy, took: Bench.settings.lockDeadline)
        #expect(bench.observer.lockWaits.last == wait)
        #expect(bench.observer.storeFailures.isEmpty)
    }

    @Test("work that finds its turn taken in this process waits for it, and says how long")
    func queued() async throws {
        let bench = Bench()
        let locks = KeyLocks(bench.store, bench.world, deadline: .seconds(1))
        let key = StoreKey(.credential, "a")
        let first = await locks.enter(key)
        let second = Task { await locks.enter(key) }
        await bench.settle()
        bench.clock.advance(by: .seconds(4))
        locks.leave(key, first)
        locks.leave(key, await second.value)
        #expect(bench.observer.lockWaits.last == .lockWait(.queue, .acquired, took: .seconds(4)))
    }

    @Test("work that would not wait and finds its turn taken is turned away at once")
    func turnedAway() async throws {
        let bench = Bench()
        let locks = KeyLocks(bench.store, bench.world, deadline: .seconds(1))
        let key = StoreKey(.credential, "a")
        let ticket = await locks.enter(key)
        await #expect(throws: AuthError.self) { try await locks.enter(key, waits: false) }
        locks.leave(key, ticket)
        #expect(
            bench.observer.lockWaits == [
                .lockWait(.queue, .acquired, took: .zero), .lockWait(.queue, .busy, took: .zero),
            ])
    }
}
