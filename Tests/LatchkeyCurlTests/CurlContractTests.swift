import Latchkey
import LatchkeyCurl
import LatchkeyHTTPServer
import LatchkeyTesting
import Testing

@Suite("libcurl transport: contract")
struct CurlContractTests {
    @Test("keeps the transport contract over a real socket, alone and below retrying") func contract() async throws {
        let server = try HTTPServer { request in
            let routed = TransportRequest(
                request.method, request.path, fields: HeaderFields(request.fields), body: request.body)
            guard let answer = TransportRoutes.answer(to: routed) else {
                try? await Latch().wait()
                return nil
            }
            return ServerResponse(status: answer.status, fields: answer.fields.lines, body: answer.body)
        }
        let base = "http://127.0.0.1:\(server.port)"
        try await TransportContract(serving: base, CurlTransport()).run()
        try await TransportContract(Retrying(wrapping: CurlTransport())).run()
    }
}
