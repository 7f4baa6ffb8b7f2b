import Latchkey
import LatchkeyCurl
import LatchkeySystem
import LatchkeyTesting

/// A network in which a gateway can answer in place of a service, over real sockets.
final class GatewaySwitch: HTTPTransport {
    private let base = CurlTransport()
    private let gateway: String
    private let stops = Locked<(@Sendable (TransportRequest) -> Bool)?>(nil)

    init(at gateway: String) { self.gateway = gateway }

    /// Sends the requests that `stops` names to the gateway, until ``open()``.
    func stop(_ stops: @escaping @Sendable (TransportRequest) -> Bool) { self.stops.withLock { $0 = stops } }

    /// Sends the requests to a path to the gateway.
    func stop(_ path: String) { stop { WebAddress($0.url)?.path == path } }

    /// Sends everything to its service again.
    func open() { stops.withLock { $0 = nil } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        guard stops.withLock({ $0?(request) }) == true else {
            return try await base.send(request, deadline: deadline)
        }
        var stopped = request
        stopped.url = gateway + (WebAddress(request.url)?.path ?? "/")
        // A gateway that drops the connection without a word would cost the whole deadline.
        return try await base.send(stopped, deadline: min(deadline, .seconds(5)))
    }
}
