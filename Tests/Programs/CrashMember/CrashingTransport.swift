import Latchkey

/// The network; what leaves and what arrives is a step each.
struct CrashingTransport: HTTPTransport {
    let doom: Doom
    let real: any HTTPTransport

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let path = WebAddress(request.url)?.path ?? ""
        doom.step("before sending to \(path)")
        let response = try await real.send(request, deadline: deadline)
        doom.step("before reading the answer of \(path)")
        return response
    }
}
