import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// The way to a service that acts at once, and whose answer to one kind of request comes late. The clock moves by that, so
/// no test waits.
final class SlowWire: HTTPTransport {
    private struct State {
        var isSlow: (@Sendable (TransportRequest) -> Bool)?
        var delay = Duration.zero
        var spent = 0
        var cut = 0
    }

    /// How long a request may take on this machine, where everything answers at once.
    private static let patience = Duration.seconds(30)
    private let service: any HTTPTransport
    private let clock: ManualClock
    private let state = Locked(State())

    init(_ service: any HTTPTransport, clock: ManualClock) { (self.service, self.clock) = (service, clock) }

    /// Lets the answers to such requests come after `delay`, and counts from here.
    func slow(by delay: Duration, _ isSlow: @escaping @Sendable (TransportRequest) -> Bool) {
        state.withLock { $0 = State(isSlow: isSlow, delay: delay) }
    }

    /// Lets every answer come at once.
    func hurry() { state.withLock { $0.isSlow = nil } }

    /// How many of the slow requests the service granted, and how many of those the client did not wait for.
    var counts: (spent: Int, cut: Int) { state.withLock { ($0.spent, $0.cut) } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let delay = state.withLock { state in state.isSlow?(request) == true ? state.delay : nil }
        let response = try await service.send(request, deadline: Self.patience)
        guard let delay else { return response }
        let isCut = delay >= deadline
        state.withLock { state in
            guard response.status < 300 else { return }
            state.spent += 1
            if isCut { state.cut += 1 }
        }
        clock.advance(by: min(delay, deadline))
        if isCut { throw TransportError(.timedOut, wasSent: true) }
        return response
    }
}
