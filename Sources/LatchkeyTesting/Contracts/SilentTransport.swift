import Latchkey

/// Gives every request the same answer, and counts.
final class SilentTransport: HTTPTransport {
    private let answer: @Sendable (TransportRequest) throws -> TransportResponse
    private let sent = Tally()

    init(
        _ answer: @escaping @Sendable (TransportRequest) throws -> TransportResponse = { _ in
            throw TransportError(.unreachable, wasSent: false)
        }
    ) {
        self.answer = answer
    }

    var count: Int { sent.count }

    func send(_ request: TransportRequest, deadline: Duration) throws -> TransportResponse {
        sent.add()
        return try answer(request)
    }
}
