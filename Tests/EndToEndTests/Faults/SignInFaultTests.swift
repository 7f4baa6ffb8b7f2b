import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyTesting
import Proofs
import Testing

/// What goes wrong while somebody signs in, over real sockets.
@Suite struct SignInFaultTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var fault: DevServer.Fault
        var outcome: String
        var testDescription: String { "\(fault.kind.rawValue) at \(fault.endpoint)" }

        init(_ kind: DevServer.Fault.Kind, _ endpoint: DevServer.Endpoint, seconds: Int = 0, _ outcome: String) {
            // The keys are asked for over the connection of the token request, and libcurl asks again on a new one.
            fault = DevServer.Fault(kind, at: endpoint, count: endpoint == .keys ? 9 : 3, seconds: seconds)
            self.outcome = outcome
        }

        static let all = [
            Row(.drop, .discovery, "offline.signIn"), Row(.status, .discovery, "serviceTrouble"),
            Row(.html, .discovery, "serviceTrouble"), Row(.oversize, .discovery, "untrusted.malformed"),
            Row(.truncated, .discovery, "offline.signIn"), Row(.retryAfter, .discovery, seconds: 5, "rateLimited"),
            Row(.drop, .keys, "offline.signIn"), Row(.oversize, .keys, "untrusted.malformed"),
            Row(.drop, .token, "offline.signIn"), Row(.dropAfterActing, .token, "offline.signIn"),
            Row(.status, .token, "serviceTrouble"), Row(.html, .token, "serviceTrouble"),
            Row(.truncated, .token, "offline.signIn"), Row(.oversize, .token, "untrusted.malformed"),
            Row(.retryAfter, .token, seconds: 5, "rateLimited"),
        ]
    }

    @Test(
        "a sign-in that goes wrong says why, and leaves the stored session untouched", .standard(52), arguments: Row.all
    )
    func faults(_ row: Row) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        let before = try await service.signedIn().accessToken()
        let auth = try service.process()
        #expect(service.server.inject(row.fault))
        // A short pause is waited for before the code is sent again.
        let time = row.fault.kind == .retryAfter && row.fault.endpoint == .token ? service.clock.passing() : nil
        let outcome = await outcome { try await auth.signIn(with: "oauth", .browser(), asking: service.browser) }
        time?.cancel()
        #expect(outcome == row.outcome)
        let stored = try await service.process().accessToken()
        #expect((stored == before) == (row.outcome != "ok"))
        #expect(try await service.process().pendingChallenges().isEmpty)
    }

    @Test(
        "a service whose clock is an hour off either way is signed in to, used and refreshed", .law(13),
        arguments: [-3_600, 3_600])
    func clockAnHourOff(seconds: Int) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        #expect(service.server.configure { $0.clockSkew = seconds })
        let auth = try await service.signedIn()
        service.clock.advance(by: .seconds(220))
        let first = try await service.process().accessToken()
        #expect(try await auth.accessToken() == first)
        service.clock.advance(by: .seconds(81))
        #expect(try await auth.accessToken() != first)
    }

    @Test(
        "a redirect that is not the answer to this sign-in is refused", .standard(3, 28),
        arguments: [
            ("?code=c&state=wrong", "untrusted.state"), ("?code=c", "untrusted.state"), ("", "untrusted.state"),
            ("?error=access_denied", "untrusted.state"), ("?code=a&code=b&state={state}", "untrusted.redirect"),
            ("?code=c&state={state}&state={state}", "untrusted.redirect"),
            ("?code=c&state={state}", "untrusted.issuer"),
            ("?code=c&state={state}&iss=https%3A%2F%2Fevil.example", "untrusted.issuer"),
            ("?error=access_denied&state={state}&iss={iss}", "declined"),
            ("?state={state}&iss={iss}", "untrusted.malformed"),
        ])
    func hostileRedirects(query: String, expected: String) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        let issuer = service.server.issuer
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { url in
            let pairs = WebAddress(url)?.query?.split(separator: "&") ?? []
            let state = pairs.first { $0.hasPrefix("state=") }?.dropFirst(6) ?? ""
            let encoded = issuer.map { $0 == ":" ? "%3A" : $0 == "/" ? "%2F" : "\($0)" }.joined()
            return "http://127.0.0.1:7777/callback"
                + query.replacing("{state}", with: state).replacing("{iss}", with: encoded)
        }
        let auth = try service.process()
        #expect(await outcome { try await auth.signIn(with: "oauth", .browser(), asking: browser) } == expected)
        #expect(try await service.process().accounts().isEmpty)
        #expect(!service.server.log().contains { $0.endpoint == .token })
    }

    @Test(
        "a redirect to another port or path is refused", .standard(1, 29),
        arguments: [
            "http://127.0.0.1:7778/callback", "http://127.0.0.1:7777/other", "http://localhost:7777/callback",
            "https://127.0.0.1:7777/callback", "http://evil.example/callback",
        ])
    func otherAddress(address: String) async throws {
        let service = try FaultyService()
        defer { service.server.stop() }
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") {
            [transport = service.transport] url in
            let response = try await transport.send(TransportRequest("GET", url), deadline: .seconds(10))
            let query = response.fields["Location"].flatMap { WebAddress($0)?.query } ?? ""
            return "\(address)?\(query)"
        }
        let auth = try service.process()
        #expect(
            await outcome { try await auth.signIn(with: "oauth", .browser(), asking: browser) } == "untrusted.redirect")
        #expect(!service.server.log().contains { $0.endpoint == .token })
    }
}
