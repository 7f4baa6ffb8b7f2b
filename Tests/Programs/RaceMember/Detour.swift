import Latchkey

/// Sends what is meant for one place to another, which passes it on.
struct Detour: HTTPTransport {
    let origin: String
    let other: String
    let inner: any HTTPTransport

    init(around origin: String, by other: String, over inner: any HTTPTransport) {
        (self.origin, self.other, self.inner) = (origin, other, inner)
    }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        var request = request
        if request.url.hasPrefix(origin + "/") { request.url = other + request.url.dropFirst(origin.count) }
        return try await inner.send(request, deadline: deadline)
    }
}
