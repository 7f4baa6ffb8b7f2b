import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyTesting
import Proofs
import Testing

/// Signing in at a service that attacks, over real sockets.
@Suite struct HostileSignInTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var attack: DevServer.Attack
        var outcome: String
        /// How many requests carry a code to the token endpoint.
        var exchanges: Int
        var testDescription: String { attack.rawValue }

        /// Refused before any code leaves.
        static func early(_ attack: DevServer.Attack, _ outcome: String) -> Row {
            Row(attack: attack, outcome: outcome, exchanges: 0)
        }

        /// Refused when the tokens are there: none of them is used.
        static func late(_ attack: DevServer.Attack, _ outcome: String) -> Row {
            Row(attack: attack, outcome: outcome, exchanges: 1)
        }
    }

    static let rows: [Row] = [
        .early(.mixUp, "untrusted.issuer"), .early(.foreignIssuer, "untrusted.issuer"),
        .early(.missingIssuer, "untrusted.issuer"), .early(.strayRedirect, "untrusted.redirect"),
        .early(.frontChannelTokens, "untrusted.malformed"), .early(.plainChallenges, "configuration.invalid"),
        .early(.foreignDocument, "untrusted.issuer"), .early(.insecureEndpoint, "untrusted.malformed"),
        .early(.divertedDocuments, "serviceTrouble"),
        .late(.injectedCode, "refused.expired"), .late(.uncheckedCode, "untrusted.nonce"),
        .late(.divertedPosts, "serviceTrouble"), .late(.foreignTokenType, "untrusted.malformed"),
        .late(.unsigned, "untrusted.signature"), .late(.symmetric, "untrusted.signature"),
        .late(.foreignKey, "untrusted.signature"), .late(.unknownKey, "untrusted.signature"),
        .late(.embeddedKey, "untrusted.signature"), .late(.encrypted, "untrusted.malformed"),
        .late(.foreignTokenIssuer, "untrusted.issuer"), .late(.foreignAudience, "untrusted.claims"),
        .late(.sharedAudience, "untrusted.claims"), .late(.foreignParty, "untrusted.claims"),
        .late(.expiredToken, "untrusted.claims"), .late(.oldToken, "untrusted.claims"),
        .late(.missingNonce, "untrusted.nonce"), .late(.replayedToken, "untrusted.nonce"),
        .late(.foreignHash, "untrusted.claims"), .late(.missingProof, "untrusted.claims"),
        .late(.foreignKind, "untrusted.claims"), .late(.foreignPerson, "untrusted.subject"),
    ]

    @Test(
        "a hostile service is refused for what it does, gets nothing that it should not, and changes no session",
        .standard(1, 5, 7, 8, 9, 10, 14, 15, 19, 20, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 41, 42, 43, 46, 49, 50),
        arguments: rows)
    func attacked(_ row: Row) async throws {
        let hostile = try HostileService()
        defer { hostile.stop() }
        let service = hostile.service
        let before = try await service.signedIn().accessToken()
        try await hostile.stealCode()
        let exchanges = hostile.exchanges
        #expect(hostile.play(row.attack))
        var options = SignInOptions()
        // Without a name in the ID token the userinfo endpoint is asked; with an age the proof must be told.
        options.scopes = ["openid"]
        options.maxAge = .seconds(600)
        let auth = try service.process()
        let browser = hostile.browser()
        let outcome = await outcome { [options] in
            try await auth.signIn(with: "oauth", .browser(), options: options, asking: browser)
        }
        #expect(outcome == row.outcome)
        #expect(hostile.exchanges - exchanges == row.exchanges)
        #expect(hostile.isVictimUntouched)
        #expect(browser.visited.allSatisfy { $0.contains("&code_challenge_method=S256") })
        #expect(try await service.process().accessToken() == before)
        #expect(try await service.process().accounts().count == 1)
        #expect(try await service.process().pendingChallenges().isEmpty)
        #expect(hostile.play(nil))
        #expect(await Self.signsIn(service, options, hostile.browser()))
    }

    /// Whether it was the attack that was refused.
    private static func signsIn(
        _ service: FaultyService, _ options: SignInOptions, _ browser: ScriptedBrowser
    ) async -> Bool {
        await outcome {
            try await service.process().signIn(with: "oauth", .browser(), options: options, asking: browser)
        } == "ok"
    }

    @Test("every attack that the development server knows is played")
    func complete() {
        #expect(Set(Self.rows.map(\.attack)) == Set(DevServer.Attack.allCases))
        #expect(Self.rows.count == DevServer.Attack.allCases.count)
    }

    @Test("a code that is led to another service comes to a redirect that this one never had", .standard(29))
    func redirectOfItsOwn() async throws {
        let hostile = try HostileService()
        defer { hostile.stop() }
        // The honest service says nothing of who it is, and knows its own redirect only.
        #expect(hostile.victim.configure { $0.attack = .missingIssuer })
        #expect(hostile.play(.mixUp))
        let auth = try hostile.service.process(client: "dev-native")
        let browser = hostile.browser(at: "http://127.0.0.1:7777/callback/hostile")
        #expect(
            await outcome { try await auth.signIn(with: "oauth", .browser(), asking: browser) } == "untrusted.redirect")
        #expect(hostile.exchanges == 0 && hostile.isVictimUntouched)
        #expect(hostile.victim.log().map(\.outcome) == ["page"])
    }

    @Test("each sign-in has a state, a nonce and a challenge of its own, and sends no verifier", .standard(6))
    func fresh() async throws {
        let hostile = try HostileService()
        defer { hostile.stop() }
        let browser = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { _ in
            throw AuthError(.declined, "Nobody wants to sign in.")
        }
        let auth = try hostile.service.process()
        for _ in 0..<8 {
            let outcome = await outcome { try await auth.signIn(with: "oauth", .browser(), asking: browser) }
            #expect(outcome == "declined")
        }
        for name in ["state", "nonce", "code_challenge"] {
            let values = browser.visited.compactMap { url in
                WebAddress(url)?.query?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            }
            #expect(values.count == 8 && Set(values).count == 8, "\(name)")
            #expect(values.allSatisfy { $0.utf8.count - name.utf8.count - 1 >= 22 }, "\(name)")
        }
        #expect(browser.visited.allSatisfy { !$0.contains("code_verifier") && $0.contains("response_type=code&") })
    }

    @Test(
        "an endpoint that never answers is given up, and changes no session", .standard(52),
        arguments: [DevServer.Endpoint.discovery, .keys, .token])
    func silent(_ endpoint: DevServer.Endpoint) async throws {
        let hostile = try HostileService()
        defer { hostile.stop() }
        let service = hostile.service
        let before = try await service.signedIn().accessToken()
        let auth = try service.process(through: Hurried(real: service.transport))
        #expect(service.server.inject(DevServer.Fault(.hold, at: endpoint, count: 3)))
        let outcome = await outcome { try await auth.signIn(with: "oauth", .browser(), asking: hostile.browser()) }
        #expect(outcome == "offline.signIn")
        service.server.clear()
        service.server.drop()
        #expect(try await service.process().accessToken() == before)
        #expect(try await service.process().pendingChallenges().isEmpty)
    }
}

/// The network, with little patience.
private struct Hurried: HTTPTransport {
    let real: any HTTPTransport

    func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
        try await real.send(request, deadline: min(deadline, .milliseconds(300)))
    }
}
