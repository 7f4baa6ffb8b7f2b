import Latchkey

extension ProviderContext {
    /// How long one request may take.
    static let deadline = Duration.seconds(10)

    /// Sends `request` with the deadline of every request.
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await transport.send(request, deadline: Self.deadline)
    }
}
