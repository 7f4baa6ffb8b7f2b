import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyFileStore
import LatchkeySystem
import LatchkeyOAuth
import LatchkeyTesting
import Testing

/// What a transport that repeats requests may never do: repeat one that spends a credential.
@Suite struct RetryingRefreshTests {
    /// Counts what really leaves.
    private final class Counting: HTTPTransport {
        private let inner = CurlTransport()
        private let sent = Locked<[String]>([])

        /// Method and path, with the grant of a token request.
        var lines: [String] { sent.withLock { $0 } }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            let isRefresh = String(decoding: request.body ?? [], as: UTF8.self).contains("grant_type=refresh_token")
            let line = "\(request.method) \(WebAddress(request.url)?.path ?? "")\(isRefresh ? " refresh" : "")"
            sent.withLock { $0.append(line) }
            return try await inner.send(request, deadline: deadline)
        }
    }

    @Test(
        "a refresh over a retrying transport leaves exactly once, however the server dies of it",
        arguments: [
            DevServer.Fault(.drop, at: .token, grant: .refreshToken, count: 9),
            DevServer.Fault(.dropAfterActing, at: .token, grant: .refreshToken, count: 9),
            DevServer.Fault(.truncated, at: .token, grant: .refreshToken, count: 9),
            DevServer.Fault(.status, at: .token, grant: .refreshToken, count: 9, status: 503),
            DevServer.Fault(.html, at: .token, grant: .refreshToken, count: 9, status: 502),
            DevServer.Fault(.retryAfter, at: .token, grant: .refreshToken, count: 9, status: 429, seconds: 0),
        ])
    func once(fault: DevServer.Fault) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        _ = try await service.signedIn()
        let counting = Counting()
        var policy = RetryPolicy()
        policy.base = .zero
        var settings = EngineSettings()
        settings.refresh = .onDemand
        let auth = try AuthClient.Builder().provider(.oauth(issuer: service.server.issuer, clientID: "dev-native"))
            .store(.file(unencryptedAt: "\(service.folder.path)/store", context: service.context))
            .transport(Retrying(wrapping: counting, policy: policy, context: service.context))
            .context(service.context).settings(settings).build()
        service.clock.advance(by: .seconds(301))
        #expect(service.server.inject(DevServer.Fault(.status, at: .discovery, count: 2, status: 503)))
        #expect(service.server.inject(fault))
        #expect(await outcome { try await auth.accessToken() } != "ok")
        let lines = counting.lines
        #expect(lines.filter { $0.hasSuffix(" refresh") }.count == 1, "\(lines)")
        // The transport does repeat: what is asked before it can be asked again.
        #expect(lines.filter { $0.hasSuffix("openid-configuration") }.count == 3, "\(lines)")
    }
}
