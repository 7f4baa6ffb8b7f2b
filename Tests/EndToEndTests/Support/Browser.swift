import Latchkey
import LatchkeyCurl
import Testing

/// Does what a browser does: opens an address and follows where it is sent, once.
struct Browser: Sendable {
    private let transport = CurlTransport()

    /// Where the service at `url` sends the browser.
    func destination(of url: String) async throws -> String {
        let response = try await transport.send(TransportRequest("GET", url), deadline: .seconds(20))
        try #require((302...303).contains(response.status))
        return try #require(response.fields["Location"])
    }

    /// Opens `url`, and then the address it leads to; what that answers.
    @discardableResult
    func visit(_ url: String) async throws -> Int {
        try await open(destination(of: url))
    }

    /// Opens `url` alone; what it answers.
    func open(_ url: String) async throws -> Int {
        try await transport.send(TransportRequest("GET", url), deadline: .seconds(20)).status
    }

    /// Whether the resource at `url` takes `token`.
    func isAccepted(_ token: String, at url: String) async -> Bool {
        let request = TransportRequest("GET", url, fields: ["Authorization": "Bearer \(token)"])
        return (try? await transport.send(request, deadline: .seconds(20)).status) == 200
    }
}
