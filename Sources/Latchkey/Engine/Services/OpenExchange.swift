import LatchkeySystem

/// One exchange with a service, from before its request leaves until what it brought is stored.
///
/// Before the request leaves, the exchange can be given up. After that its answer may be the only one, so it goes on to
/// its end, whoever stops waiting for it.
final class OpenExchange: Sendable {
    private enum Phase {
        /// It waits for the lock of the store.
        case queued
        /// Nothing that counts was sent.
        case prepared
        case givenUp
        /// The provider works, and has not said yet what it sends. It may use a channel of its own.
        case begun
        case sent
        case ended
    }

    private struct State {
        var phase: Phase
        /// Whether the request spends something. If not, the answer may be lost.
        var spends = true
        /// The origin that has been asked and has not answered.
        var asked: String?
    }

    /// The key of the credential, if there is one already.
    let key: StoreKey?
    private let state: Locked<State>
    /// Lands when the exchange is given up.
    private let abandonment = Flight<Void>()
    /// Lands when the exchange has ended.
    let end = Flight<Void>()

    init(key: StoreKey?, isQueued: Bool, isGivenUp: Bool) {
        self.key = key
        state = Locked(State(phase: isGivenUp ? .givenUp : isQueued ? .queued : .prepared))
        if isGivenUp { abandonment.land(.success(())) }
    }

    /// Whether its request has left, as far as is known, and its answer must not be lost.
    var isSent: Bool { state.withLock { ($0.phase == .sent || $0.phase == .begun) && $0.spends } }

    /// Whether its request has left, as far as is known, and its answer is not stored yet.
    var isUnderWay: Bool { state.withLock { $0.phase == .sent || $0.phase == .begun } }

    var isGivenUp: Bool { state.withLock { $0.phase == .givenUp } }

    /// What it waits for now.
    var waitsFor: Waiting {
        state.withLock { state in
            if let asked = state.asked { return .service(asked) }
            return state.phase == .queued ? .lock : .store
        }
    }

    enum Waiting: Hashable, Sendable {
        case service(String)
        case store
        case lock
    }

    /// Notes that the store's lock was taken, or that it has to be taken once more.
    func noteHeld(_ isHeld: Bool) {
        state.withLock { state in
            guard state.phase == .queued || state.phase == .prepared else { return }
            state.phase = isHeld ? .prepared : .queued
        }
    }

    /// Notes whether the request spends something.
    func noteSpending(_ spends: Bool) { state.withLock { $0.spends = spends } }

    /// Notes that the provider begins to work, for the service at `authority`.
    ///
    /// - Returns: `false` if the exchange was given up: then the provider must not be called.
    func noteBegun(at authority: String) -> Bool {
        state.withLock { state in
            guard state.phase != .givenUp else { return false }
            (state.phase, state.asked) = (.begun, WebAddress(authority)?.origin)
            return true
        }
    }

    /// Notes that the request that counts is about to leave.
    ///
    /// - Throws: ``NotSent`` if the exchange was given up: then the request must not leave.
    func noteSending(to url: String) throws(NotSent) {
        let mayLeave = state.withLock { state in
            guard state.phase != .givenUp else { return false }
            (state.phase, state.asked) = (.sent, WebAddress(url)?.origin)
            return true
        }
        if !mayLeave { throw NotSent(Self.stopped) }
    }

    /// Notes a request that spends nothing, such as one for a document or for keys.
    func noteAsking(_ url: String) {
        state.withLock { state in
            if state.phase == .begun { state.phase = .prepared }
            state.asked = WebAddress(url)?.origin
        }
    }

    /// Notes that the last request has its answer, or has failed.
    func noteAnswered() { state.withLock { $0.asked = nil } }

    /// Gives the exchange up if its request has not left.
    func giveUp() {
        let isNow = state.withLock { state in
            guard state.phase == .queued || state.phase == .prepared else { return false }
            state.phase = .givenUp
            return true
        }
        if isNow { abandonment.land(.success(())) }
    }

    /// Notes that everything is stored, or that nothing will be.
    func conclude() {
        state.withLock { $0 = State(phase: .ended) }
        end.land(.success(()))
    }

    /// Runs `work`, and cancels it if the exchange is given up.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask { [abandonment] in
                try? await abandonment.value()
                return nil
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
                group.cancelAll()
            }
            throw CancellationError()
        }
    }

    static var stopped: AuthError { AuthError(.cancelled, "The program ends, so nothing was sent.") }
}
