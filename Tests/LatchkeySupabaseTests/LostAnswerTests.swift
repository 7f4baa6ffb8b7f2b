import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting
import Testing

@testable import LatchkeySupabase

@Suite("A lost answer of a request that moves the refresh token") struct LostAnswerTests {
    /// A client whose clock and whose server's clock can be moved, and whose network loses answers.
    private struct Away {
        let town: Town
        let client: AuthClient
        let clock = HurriedClock()
        let network: LossyAt

        init(_ seconds: Double, _ generation: DevServer.Supabase.TokenGeneration) async throws {
            town = try Town {
                $0.refreshTokens = generation
                $0.reuseInterval = seconds
            }
            network = LossyAt(town.transport)
            var provider = town.provider
            provider.reuseInterval = .seconds(seconds)
            var context = PluginContext.system
            context.clock = clock
            client = try AuthClient.Builder().provider(provider).store(MemoryStore()).transport(network)
                .context(context).build()
            try await town.signIn(client)
        }

        func wait(_ seconds: Double) {
            clock.skip(.seconds(seconds))
            town.moved.withLock { $0 += seconds }
        }
    }

    @Test(
        "a factor's proof whose answer is lost is a proof all the same, and the session lives on",
        arguments: [DevServer.Supabase.TokenGeneration.v1, .v2], [10.0, 60])
    func proof(_ generation: DevServer.Supabase.TokenGeneration, _ interval: Double) async throws {
        let away = try await Away(interval, generation)
        defer { away.town.stop() }
        let handle = try away.client.supabase()
        let begun = try await handle.enrollTOTP(name: "mine")
        let secret = try #require(begun.secret).revealText()
        away.wait(120)
        away.network.lose("/verify")
        try await handle.verify(factor: begun.id, code: try away.town.totp(secret))
        #expect(away.network.lost.withLock { $0 } == 1)
        #expect(try await handle.claims()["aal"] == "aal2")
        away.wait(120)
        try await away.client.refresh()
        #expect(away.town.server.supabaseSessions(of: Town.ada).map(\.level) == ["aal2"])
    }

    @Test("a new password whose answer is lost is set all the same, and the person is signed in")
    func newPassword() async throws {
        let away = try await Away(10, .v2)
        defer { away.town.stop() }
        _ = try await away.client.begin(.recover(identifier: Town.ada), with: "supabase")
        let link = try away.town.link()
        guard case .asked(let challenge) = try await away.client.supabase().open(away.town.browse(link)) else {
            throw Missing()
        }
        away.network.lose("/user")
        guard case .signedIn = try await away.client.answer(.password(Secret("another horse")), to: challenge.id) else {
            throw Missing()
        }
        #expect(away.network.lost.withLock { $0 } == 1)
        try await away.client.refresh()
    }

    @Test("a proof that never arrived is told as what it is, and the session lives on")
    func notArrived() async throws {
        let away = try await Away(10, .v2)
        defer { away.town.stop() }
        let handle = try away.client.supabase()
        let begun = try await handle.enrollTOTP(name: "mine")
        let secret = try #require(begun.secret).revealText()
        away.network.lose("/verify", before: true)
        let error = try await trouble { try await handle.verify(factor: begun.id, code: try away.town.totp(secret)) }
        #expect(error.code == .offline(.unreachable))
        #expect(try await handle.claims()["aal"] == "aal1")
        try await handle.verify(factor: begun.id, code: try away.town.totp(secret))
        #expect(try await handle.claims()["aal"] == "aal2")
    }

    @Test("a wrong code stays wrong, and costs no refresh")
    func wrongCode() async throws {
        let away = try await Away(10, .v2)
        defer { away.town.stop() }
        let handle = try away.client.supabase()
        let begun = try await handle.enrollTOTP(name: "mine")
        let error = try await trouble { try await handle.verify(factor: begun.id, code: Secret("000000")) }
        #expect(error.supabase == .mfaVerificationFailed && away.town.server.supabaseRefreshes().isEmpty)
    }

    @Test("where the service forgives nothing, nothing is sent after a lost proof")
    func nothingForgiven() async throws {
        let away = try await Away(0, .v2)
        defer { away.town.stop() }
        let handle = try away.client.supabase()
        let begun = try await handle.enrollTOTP(name: "mine")
        let secret = try #require(begun.secret).revealText()
        away.network.lose("/verify")
        let error = try await trouble { try await handle.verify(factor: begun.id, code: try away.town.totp(secret)) }
        #expect(error.code == .offline(.unreachable) && away.town.server.supabaseRefreshes().isEmpty)
    }

    @Test("a refresh that moves the session to another kind of token is asked for again at once")
    func upgrade() async throws {
        let away = try await Away(10, .v1)
        defer { away.town.stop() }
        away.town.server.configure { $0.supabase.refreshTokens = .v2 }
        away.network.lose("grant_type=refresh_token")
        try await away.client.refresh()
        #expect(away.network.lost.withLock { $0 } == 1)
        away.wait(3_600)
        try await away.client.refresh()
        #expect(away.town.server.supabaseSessions(of: Town.ada).count == 1)
    }

    @Test("after a lost answer nothing waits: the next refreshes are sent at once")
    func noWaiting() async throws {
        let away = try await Away(10, .v2)
        defer { away.town.stop() }
        let begun = away.clock.now()
        for _ in 0..<3 {
            away.network.lose("grant_type=refresh_token", count: 2)
            #expect(try await trouble { try await away.client.refresh() }.code == .offline(.unreachable))
            try await away.client.refresh()
            try await away.client.refresh()
        }
        #expect(away.clock.now() - begun < .seconds(5))
        #expect(away.town.server.supabaseSessions(of: Town.ada).count == 1)
    }
}

/// A network that loses answers to requests whose address has a part.
final class LossyAt: HTTPTransport {
    private let inner: CurlTransport
    private let part = Locked<(text: String, count: Int, isBefore: Bool)>(("", 0, false))
    let lost = Locked(0)

    init(_ inner: CurlTransport) { self.inner = inner }

    /// - Parameter before: Whether the requests are lost, and not their answers alone.
    func lose(_ text: String, count: Int = 1, before: Bool = false) { part.withLock { $0 = (text, count, before) } }

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        let (isLost, isBefore) = part.withLock { part in
            guard part.count > 0, request.url.contains(part.text) else { return (false, false) }
            part.count -= 1
            return (true, part.isBefore)
        }
        if isLost { lost.withLock { $0 += 1 } }
        if isLost, isBefore { throw TransportError(.interrupted, wasSent: true) }
        let response = try await inner.send(request, deadline: deadline)
        if isLost { throw TransportError(.interrupted, wasSent: true) }
        return response
    }
}
