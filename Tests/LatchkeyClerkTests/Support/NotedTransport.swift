import Latchkey
import LatchkeySystem

/// Notes what passes, and may answer in the service's place.
final class NotedTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let noted = Locked<[TransportRequest]>([])
    private let instead = Locked<(@Sendable (TransportRequest) -> TransportResponse?)?>(nil)

    /// The service, which lives as long as somebody can reach it.
    private let service: (any Sendable)?

    init(_ inner: any HTTPTransport, keeping service: (any Sendable)? = nil) {
        (self.inner, self.service) = (inner, service)
    }

    var requests: [TransportRequest] { noted.withLock { $0 } }

    func count(_ part: String) -> Int { requests.count { $0.url.contains(part) } }

    func note(_ request: TransportRequest) { noted.withLock { $0.append(request) } }

    func answer(_ answer: @escaping @Sendable (TransportRequest) -> TransportResponse?) {
        instead.withLock { $0 = answer }
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        note(request)
        if let answer = instead.withLock({ $0 })?(request) { return answer }
        return try await inner.send(request, deadline: deadline)
    }
}
