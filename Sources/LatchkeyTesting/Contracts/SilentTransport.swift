import Latchkey

/// Answers everything the same way and counts.
final class SilentTransport: HTTPTransport {
    private let answer: @Sendable (HTTPRequest) throws -> HTTPResponse
    private let sent = Tally()

    init(
        _ answer: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse = { _ in
            throw TransportError(.unreachable, wasSent: false)
        }
    ) {
        self.answer = answer
    }

    var count: Int { sent.count }

    func send(_ request: HTTPRequest, deadline: Duration) throws -> HTTPResponse {
        sent.add()
        return try answer(request)
    }
}
