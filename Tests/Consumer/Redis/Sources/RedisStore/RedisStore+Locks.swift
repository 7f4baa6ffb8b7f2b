import Foundation
public import Latchkey
import Synchronization

extension RedisStore: CrossProcessStore {
    /// Takes the lock of `key`: a lease, which is renewed while it is held.
    ///
    /// - Throws: ``/Latchkey/AuthError`` `busy` after the deadline; `CancellationError`.
    public func lock(_ key: StoreKey, deadline: Duration) async throws -> any HeldLock {
        let name = try name(key).replacing(":record:", with: ":lock:", maxReplacements: 1)
        let clock = context.clock
        let giveUp = clock.now() + deadline
        var pause = Duration.milliseconds(5)
        while true {
            try Task.checkCancellation()
            let lock = RedisLock(name, token: context.randomName(), in: self)
            if try await lock.take() {
                // A cancelled caller does not know that it has it.
                if Task.isCancelled {
                    await lock.release()
                    throw CancellationError()
                }
                return lock
            }
            let now = clock.now()
            guard now < giveUp else { throw AuthError(.busy, "another client holds the lock in Redis") }
            try await clock.sleep(until: min(giveUp, now + pause))
            pause = min(pause * 2, .milliseconds(100))
        }
    }
}

/// A lease in Redis, renewed three times in its length.
private final class RedisLock: HeldLock {
    private struct State {
        /// Until when it is surely held; `nil` once it is lost or released.
        var until: MonotonicInstant?
        var renewal: Task<Void, Never>?
    }

    private let name: String
    private let token: String
    private let connection: RedisConnection
    private let clock: any AuthClock
    private let lease: Duration
    private let state = Mutex(State())

    init(_ name: String, token: String, in store: RedisStore) {
        (self.name, self.token) = (name, token)
        (connection, clock, lease) = (store.locking, store.context.clock, store.place.patience)
    }

    var isHeld: Bool {
        let now = clock.now()
        return state.withLock { $0.until.map { now < $0 } ?? false }
    }

    /// Whether it is this caller's now.
    func take() async throws -> Bool {
        let asked = clock.now()
        do {
            guard try await ask(["SET", name, token, "NX", "PX", String(lease.milliseconds)]).text == "OK" else {
                return false
            }
        } catch {
            throw RedisStore.trouble(error)
        }
        hold(since: asked)
        let renewal = Task { [self] in await renew() }
        state.withLock { $0.renewal = renewal }
        return true
    }

    /// Counted from before it was asked for, and with a tenth in hand.
    private func hold(since asked: MonotonicInstant) { state.withLock { $0.until = asked + lease * 0.9 } }

    private func renew() async {
        while isHeld {
            do { try await clock.sleep(until: clock.now() + lease / 3) } catch { return }
            let asked = clock.now()
            guard isHeld else { break }
            // Without an answer, it is tried again until the lease is over.
            guard let answer = try? await ask(["EVAL", Self.prolong, "1", name, token, String(lease.milliseconds)])
            else {
                continue
            }
            guard answer.integer == 1 else { break }
            state.withLock { if $0.until != nil { $0.until = asked + lease * 0.9 } }
        }
        state.withLock { $0.until = nil }
    }

    func release() async {
        let renewal = state.withLock { state in
            defer { state = State() }
            return state.renewal
        }
        guard let renewal else { return }
        renewal.cancel()
        // Without an answer, the lease ends by itself.
        _ = try? await ask(["EVAL", Self.free, "1", name, token])
    }

    private func ask(_ words: [String]) async throws -> RedisReply {
        try await connection.ask(words.map { Array($0.utf8) })
    }

    private static let prolong = """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        return redis.call('PEXPIRE', KEYS[1], ARGV[2])
        """
    private static let free =
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
}
