import FoundationEssentials
public import Latchkey
import LatchkeySystem

/// The transport that ``TransportWrapperContract`` gives to a wrapper: it keeps what it is given, and does what the clause
/// asks of it.
public final class WrappedTransport: TrustNaming {
    /// One request that came.
    struct Try: Sendable {
        var request: TransportRequest
        var deadline: Duration
        var begin: MonotonicInstant
    }

    /// What a request leads to; `number` counts from 1.
    typealias Act = @Sendable (_ request: TransportRequest, _ number: Int) async throws -> TransportResponse

    /// The most requests, after which a wrapper is taken for one that does not end.
    static let most = 200

    /// What decides whom its connections reach.
    public let trust: String
    private let clock: any AuthClock
    private let act: Act
    private let state = Locked<[Try]>([])
    private let arrivals = Tally()

    init(_ clock: any AuthClock, trust: String = "the contract's own", _ act: @escaping Act) {
        self.clock = clock
        self.trust = trust
        self.act = act
    }

    /// Every request that came, in order.
    var tries: [Try] { state.withLock { $0 } }

    /// Returns when at least `count` requests have come.
    func waitForTries(_ count: Int) async throws { try await arrivals.wait(for: count) }

    /// Keeps the request, and does what the clause asks.
    public func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let begin = clock.now()
        let number = state.withLock { tries in
            tries.append(Try(request: request, deadline: deadline, begin: begin))
            return tries.count
        }
        arrivals.add()
        guard number <= Self.most else { throw CancellationError() }
        return try await act(request, number)
    }
}

/// A clock that moves to the end of a sleep at once.
final class EagerClock: AuthClock {
    private let clock = ManualClock()

    var boot: String { clock.boot }

    func now() -> MonotonicInstant { clock.now() }

    func wall() -> Date { clock.wall() }

    func advance(by duration: Duration) { clock.advance(by: duration) }

    func sleep(until instant: MonotonicInstant) async throws {
        try Task.checkCancellation()
        let rest = instant - clock.now()
        if rest > .zero { clock.advance(by: rest) }
        await Task.yield()
    }
}
