import Latchkey
import Testing

@testable import LatchkeyCurl

@Suite("libcurl transport: User-Agent") struct CurlUserAgentTests {
    private func lines(_ server: RawServer) -> [[String]] {
        server.requests.map { request in
            request.split(separator: "\r\n").map(String.init).filter { $0.lowercased().hasPrefix("user-agent:") }
        }
    }

    @Test("Every request names this package, after the app's product if it has one, also on a kept connection")
    func named() async throws {
        for (agent, line) in [
            (UserAgent.latchkey, "User-Agent: \(UserAgent.latchkey)"),
            (try UserAgent(products: "Notes/1.2"), "User-Agent: Notes/1.2 \(UserAgent.latchkey)"),
        ] {
            let server = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
            let transport = CurlTransport(userAgent: agent)
            for method in ["GET", "POST", "HEAD", "DELETE", "GET"] {
                _ = try await transport.send(TransportRequest(method, server.url), deadline: .seconds(10))
            }
            #expect(lines(server) == [[String]](repeating: [line], count: 5))
        }
    }

    @Test("A request's own field takes its place, and the next request has the usual one again")
    func own() async throws {
        let server = try RawServer { _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        let transport = CurlTransport()
        for fields: HeaderFields in [["user-agent": "own/1"], [:], ["User-Agent": ""]] {
            _ = try await transport.send(
                TransportRequest("GET", server.url, fields: fields), deadline: .seconds(10))
        }
        #expect(lines(server) == [["user-agent: own/1"], ["User-Agent: \(UserAgent.latchkey)"], ["User-Agent:"]])
    }
}
