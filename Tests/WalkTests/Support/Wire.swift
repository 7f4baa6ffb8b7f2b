import Latchkey
import LatchkeySystem

/// The way to a service, which a test can cut or let a gateway answer. It counts what leaves.
final class Wire: HTTPTransport {
    /// What happens to requests.
    enum Weather: Sendable, Equatable {
        /// They arrive.
        case fair
        /// They go to a port at which nobody listens.
        case cut
        /// Something in front of the service answers them.
        case answered(Int, retryAfter: Int?)
    }

    private let service: any HTTPTransport
    private let state = Locked((weather: Weather.fair, count: 0))

    init(_ service: any HTTPTransport) { self.service = service }

    /// How many requests were made.
    var count: Int { state.withLock { $0.count } }

    func set(_ weather: Weather) { state.withLock { $0.weather = weather } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let weather = state.withLock { state in
            state.count += 1
            return state.weather
        }
        switch weather {
        case .fair: return try await service.send(request, deadline: deadline)
        case .cut: throw TransportError(.unreachable, wasSent: false)
        case .answered(let status, let seconds):
            return TransportResponse(
                status: status, fields: seconds.map { ["Retry-After": "\($0)"] } ?? [:], body: Array("<html>".utf8))
        }
    }
}
