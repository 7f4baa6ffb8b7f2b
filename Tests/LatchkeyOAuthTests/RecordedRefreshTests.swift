import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyOAuth

@Suite("Recorded refreshes")
struct RecordedRefreshTests {
    typealias Row = RecordedRow<Outcome>

    enum Outcome: Sendable, Equatable {
        case refreshed
        case definite
        case unexplained
        case trouble(AuthError.Code)
    }

    static let rows: [Row] = [
        Row(.oidcProvider, "refresh", .refreshed), Row(.oidcProvider, "second refresh", .refreshed),
        Row(.oidcProvider, "refresh without scope after narrowing: full again", .refreshed),
        Row(.oidcProvider, "refresh for resource B", .refreshed),
        Row(.oidcProvider, "refresh without resource", .refreshed),
        Row(.oidcProvider, "step-up: refresh keeps acr and auth_time", .refreshed),
        Row(.oidcProvider, "refresh with offline_access after logout", .refreshed),
        Row(.oidcProvider, "refresh after the code replay", .definite),
        Row(.oidcProvider, "reuse of a rotated refresh token", .definite),
        Row(.oidcProvider, "newest refresh token after the reuse", .definite),
        Row(.oidcProvider, "unknown refresh token", .definite),
        Row(.oidcProvider, "refresh of the device login after the device_code replay", .definite),
        Row(.oidcProvider, "refresh after revocation", .definite),
        Row(.keycloak, "refresh", .refreshed), Row(.keycloak, "second refresh", .refreshed),
        Row(.keycloak, "refresh with offline_access", .refreshed),
        Row(.keycloak, "refresh after the access token was revoked", .refreshed),
        Row(.keycloak, "reuse of a rotated refresh token", .definite),
        Row(.keycloak, "newest refresh token after the reuse", .definite),
        Row(.keycloak, "unknown refresh token", .definite), Row(.keycloak, "refresh after revocation", .definite),
        Row(.keycloak, "refresh after logout", .definite),
        Row(.keycloak, "unknown client at the token endpoint", .trouble(.configuration(.clientRefused))),
        Row(.djangoOAuthToolkit, "invalid refresh token", .definite),
        Row(.djangoOAuthToolkit, "unknown client", .trouble(.configuration(.clientRefused))),
        Row(.glewlwyd, "invalid refresh token (empty 400 body)", .trouble(.serviceTrouble)),
        Row(.glewlwyd, "unknown client", .trouble(.serviceTrouble)),
    ]

    private func refresh(
        _ server: Server, _ exchange: Exchange, claims: JSON? = nil, stage: Stage? = nil,
        replay: ProviderRules.RefreshRule = .killsFamily, interval: Duration? = nil
    ) async throws -> CredentialChange {
        var provider = server.provider(for: exchange.form["client_id"] ?? "web1")
        (provider.refreshRule, provider.reuseInterval) = (replay, interval)
        if exchange.authorization != nil {
            let secret = server == .keycloak ? "kc-s3cr3t+/&:x%=1" : "s3cr3t+/&:x%=0123456789abcdef"
            provider.authentication = .basic(Secret(secret))
        }
        let stage = try stage ?? Stage.of(server, [exchange])
        let resource = exchange.form["resource"]
        let held = credential(
            provider, refreshToken: exchange.form["refresh_token"], claims: try claims ?? exchange.priorClaims(),
            resources: resource.map { [$0] } ?? [])
        return try await provider.refresh(
            held, for: want(resource.map { Audience($0) } ?? .standard), in: stage.context)
    }

    @Test("each recorded answer has one meaning", arguments: rows)
    func outcomes(_ row: Row) async throws {
        let exchange = try row.server.exchange(row.exchange)
        do {
            let change = try await refresh(row.server, exchange)
            #expect(row.outcome == .refreshed)
            let tokens = try #require(change.minted[AuthSession.ID("s")])
            let token = try #require(tokens[exchange.form["resource"].map { Audience($0) } ?? .standard])
            #expect(try token.value == exchange.member("access_token")?.string.map { Secret($0) })
            #expect(try change.refreshToken == exchange.member("refresh_token")?.string.map { Secret($0) })
            #expect(try change.sessions?.first?.state["id_token"] == exchange.member("id_token"))
            #expect(change.sessions?.first?.state["later"] == true)
            #expect(try change.sessions?.first?.state["claims"] == exchange.priorClaims())
        } catch let refusal as Refusal {
            #expect(row.outcome == (refusal.kind == .definite ? .definite : .unexplained))
        } catch let unsent as NotSent {
            // Refused before the refresh token was looked at: it is as good as not sent.
            #expect(unsent.error.code == .configuration(.clientRefused))
            #expect(row.outcome == .trouble(unsent.error.code))
        } catch let error as AuthError {
            #expect(row.outcome == .trouble(error.code))
        }
    }

    @Test("an answer without a new refresh token keeps the old one; one without scope keeps the scopes")
    func nothingNew() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh").without("refresh_token").without("scope").without(
            "id_token")
        let change = try await refresh(.oidcProvider, exchange)
        #expect(change.refreshToken == nil && change.sessions == nil)
        #expect(change.minted[AuthSession.ID("s")]?[.standard]?.scopes == ["openid"])
    }

    @Test(
        "a token of a type that was not asked for is not used, and the refresh token beside it is kept", .standard(46))
    func foreignType() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        var body = try #require(try JSON.parse(exchange.response.body).object)
        for type in ["mac", "DPoP", "N_A"] {
            body["token_type"] = .string(type)
            try await expectKept(.oidcProvider, exchange.with(body: .object(body)), .untrusted(.malformed))
        }
    }

    /// Expects that the answer is refused, and that its refresh token is kept.
    private func expectKept(
        _ server: Server, _ exchange: Exchange, _ code: AuthError.Code, claims: JSON? = nil,
        replay: ProviderRules.RefreshRule = .killsFamily, interval: Duration? = nil
    ) async throws {
        let stage = try Stage.of(server, [exchange])
        let error = try await trouble {
            _ = try await refresh(server, exchange, claims: claims, stage: stage, replay: replay, interval: interval)
        }
        #expect(error.code == code)
        let brought = try exchange.member("refresh_token")?.string.map { Secret($0) }
        #expect(brought != nil && stage.context.carriedToken == brought)
    }

    @Test(
        "whatever is wrong with the rest of an answer, its refresh token is kept",
        arguments: [
            { $0.replacing("\"access_token\"", with: "\"accesstoken\"") },
            { $0.replacing("\"access_token\":\"", with: "\"access_token\":\"with a space and é ") },
            { $0.replacing("\"access_token\":\"", with: "\"access_token\":7,\"was\":\"") },
            { $0.replacing("\"expires_in\"", with: "\"scope\": \"a\", \"scope\": \"b\", \"expires_in\"") },
            { $0 + "}" }, { String($0.dropLast()) }, { $0 + "<!-- served by a cache -->" },
        ] as [@Sendable (String) -> String])
    func salvaged(_ change: @Sendable (String) -> String) async throws {
        var exchange = try Server.oidcProvider.exchange("refresh")
        let brought = try exchange.member("refresh_token")?.string.map { Secret($0) }
        let claims = try exchange.priorClaims()
        exchange.response.body = Array(change(String(decoding: exchange.response.body, as: UTF8.self)).utf8)
        let stage = try Stage.of(.oidcProvider, [exchange])
        _ = try await trouble { _ = try await refresh(.oidcProvider, exchange, claims: claims, stage: stage) }
        #expect(brought != nil && stage.context.carriedToken == brought)
    }

    @Test("an ID token with a moved time, more audiences, another nonce or an old date costs nothing")
    func tolerated() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        let claims = try #require(try exchange.priorClaims()?.object)
        let rows: [(String, JSON, isBelieved: Bool)] = [
            ("auth_time", 1, true), ("aud", ["another", "audience"], true), ("nonce", "another", false),
        ]
        for (claim, value, isBelieved) in rows {
            var prior = claims
            prior[claim] = value
            let change = try await refresh(.oidcProvider, exchange, claims: .object(prior))
            #expect(try change.refreshToken == exchange.member("refresh_token")?.string.map { Secret($0) })
            #expect(change.minted.count == 1)
            // What the sign-in has said stays.
            let kept = change.sessions?.first?.state["claims"]
            #expect(kept == (isBelieved ? .object(prior) : nil))
        }
    }

    @Test("the end of the refresh token is a limit of the session: idle, until a refresh does not move it")
    func limits() async throws {
        let exchange = try Server.keycloak.exchange("refresh")
        var body = try #require(try JSON.parse(exchange.response.body).object)
        let rows: [(told: JSON?, limit: Duration?)] = [
            (1_800, .seconds(1_800)), ("60", .seconds(60)), (0, nil), (nil, nil),
        ]
        for (told, limit) in rows {
            body["refresh_expires_in"] = told
            let change = try await refresh(.keycloak, exchange.with(body: .object(body)))
            #expect(change.sessions?.first?.limits?.idle?.lasts == limit)
            #expect(change.sessions?.first?.limits?.absolute == nil)
        }
    }

    @Test(
        "an access token that its ID token does not vouch for is not used, and the refresh token beside it is kept",
        arguments: [ProviderRules.RefreshRule.killsFamily, .fixed, .sameSuccessor, .newSuccessor],
        [nil, .zero, .seconds(5)] as [Duration?])
    func foreignAccess(_ replay: ProviderRules.RefreshRule, _ interval: Duration?) async throws {
        // Of a service with a grace time it may be the answer to a reuse, beside the first answer's ID token.
        let hasGrace = replay == .sameSuccessor || replay == .newSuccessor || interval == .seconds(5)
        let exchange = try Server.keycloak.exchange("refresh")
        var body = try #require(try JSON.parse(exchange.response.body).object)
        body["access_token"] = "of-somebody-else"
        guard hasGrace else {
            return try await expectKept(
                .keycloak, exchange.with(body: .object(body)), .untrusted(.claims), replay: replay, interval: interval)
        }
        let change = try await refresh(
            .keycloak, exchange.with(body: .object(body)), replay: replay, interval: interval)
        #expect(!change.minted.isEmpty)
        let foreign = try exchange.member("id_token")?.string
        #expect((change.sessions ?? []).allSatisfy { SessionState($0.state).idToken?.revealText() != foreign })
        #expect(try change.refreshToken == exchange.member("refresh_token")?.string.map { Secret($0) })
    }

    @Test("a missing access token is named, and ends nothing", .law(15))
    func missing() async throws {
        let exchange = try Server.keycloak.exchange("refresh").without("access_token")
        let error = try await trouble { _ = try await refresh(.keycloak, exchange) }
        #expect(error.code == .untrusted(.malformed) && error.message == "The token answer has no `access_token`.")
    }

    @Test(
        "an ID token that does not agree with the first one is not believed", .standard(44),
        arguments: [
            ("sub", JSON.string("another"), AuthError.Code.untrusted(.subject)),
            ("iss", "https://another.example", .untrusted(.issuer)),
        ])
    func changed(_ claim: String, _ value: JSON, _ code: AuthError.Code) async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        var claims = try #require(try exchange.priorClaims()?.object)
        claims[claim] = value
        try await expectKept(.oidcProvider, exchange, code, claims: .object(claims))
    }

    @Test(
        "a signature that no key has made says nothing against the tokens of a refresh: the old claims stay", .law(3),
        .standard(34))
    func forged() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        var body = try #require(try JSON.parse(exchange.response.body).object)
        let parts = (body["id_token"]?.string ?? "").split(separator: ".")
        let first = parts[2].first == "A" ? "B" : "A"
        let spoilt = "\(parts[0]).\(parts[1]).\(first)\(parts[2].dropFirst())"
        body["id_token"] = .string(spoilt)
        var stage = try Stage.of(.oidcProvider, [exchange.with(body: .object(body))])
        let observer = RecordingObserver()
        stage.context.world.observer = observer
        let claims = try exchange.priorClaims()
        let change = try await refresh(
            .oidcProvider, exchange.with(body: .object(body)), claims: claims, stage: stage)
        #expect(change.refreshToken != nil && change.minted.count == 1 && change.sessions == nil)
        #expect(observer.observations.contains(.idTokenPassedOver("oauth", .signature)))
        // The keys may have been replaced since they were fetched.
        #expect(stage.transport.count("/jwks") == 2)
        // What it says is still compared with the sign-in.
        var another = try #require(claims?.object)
        another["sub"] = "another"
        try await expectKept(
            .oidcProvider, exchange.with(body: .object(body)), .untrusted(.subject), claims: .object(another))
    }

    @Test("the keys are asked for after the tokens, and only if there is an ID token to check")
    func keysAfterwards() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        let stage = try Stage.of(.oidcProvider, [exchange])
        _ = try await refresh(.oidcProvider, exchange, stage: stage)
        let order = stage.transport.sent.map { $0.url.hasSuffix("/jwks") ? "keys" : $0.method }
        #expect(order.suffix(2) == ["POST", "keys"])
        let without = try exchange.without("id_token")
        let plain = try Stage.of(.oidcProvider, [without])
        _ = try await refresh(.oidcProvider, without, claims: try exchange.priorClaims(), stage: plain)
        #expect(plain.transport.count("/jwks") == 0)
        // Keys that cannot be had cost the ID token alone.
        let dark = try Stage.of(.oidcProvider, [exchange])
        dark.transport.fail(
            try Server.oidcProvider.exchange("jwks").url, with: TransportError(.timedOut, wasSent: true))
        let change = try await refresh(.oidcProvider, exchange, stage: dark)
        #expect(change.refreshToken != nil && change.minted.count == 1 && change.sessions == nil)
        #expect(dark.context.carriedToken == change.refreshToken)
    }

    @Test(
        "clocks that differ by days, and unpublished keys, cost the ID token and never the new refresh token", .law(13))
    func inconclusive() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        let stage = try Stage.of(.oidcProvider, [exchange])
        stage.clock.setWall(Date(timeIntervalSince1970: 1_795_229_352 + 7 * 86_400))
        let late = try await refresh(.oidcProvider, exchange, stage: stage)
        #expect(late.refreshToken != nil && late.sessions == nil)
        var keys = try Server.keycloak.exchange("jwks")
        keys.url = try Server.oidcProvider.exchange("jwks").url
        let foreign = Stage([exchange, try Server.oidcProvider.exchange("discovery"), keys], at: exchange.at)
        let unknown = try await refresh(.oidcProvider, exchange, stage: foreign)
        #expect(unknown.refreshToken != nil && unknown.sessions == nil)
        // After the first fetch an unknown key is looked for at once, in case it was replaced just now; after that, at
        // most once a minute.
        #expect(foreign.transport.count("/jwks") == 2)
        _ = try await refresh(.oidcProvider, exchange, stage: foreign)
        #expect(foreign.transport.count("/jwks") == 2)
        foreign.clock.advance(by: .seconds(61))
        _ = try await refresh(.oidcProvider, exchange, stage: foreign)
        #expect(foreign.transport.count("/jwks") == 3)
    }

    @Test("the service's own date decides, not this device's clock")
    func serverClock() async throws {
        var exchange = try Server.oidcProvider.exchange("refresh")
        exchange.response.fields.add("Date", HTTPDate.text(Date(timeIntervalSince1970: exchange.at ?? 0)))
        let stage = try Stage.of(.oidcProvider, [exchange])
        stage.clock.setWall(Date(timeIntervalSince1970: 1_000_000_000))
        #expect(try await refresh(.oidcProvider, exchange, stage: stage).sessions != nil)
    }

    @Test("what fails before the refresh token leaves is marked so, and nothing is sent")
    func notSent() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        let dark = try Stage.of(.oidcProvider, [exchange])
        dark.transport.fail(
            try Server.oidcProvider.exchange("discovery").url, with: TransportError(.interrupted, wasSent: true))
        await #expect(throws: TransportError(.interrupted, wasSent: false)) {
            _ = try await refresh(.oidcProvider, exchange, stage: dark)
        }
        #expect(dark.transport.count("/token") == 0)
        var broken = try Server.oidcProvider.exchange("discovery")
        broken.response = TransportResponse(status: 503, fields: ["Retry-After": "9"])
        let stage = Stage([exchange, broken], at: exchange.at)
        do {
            _ = try await refresh(.oidcProvider, exchange, stage: stage)
            Issue.record("nothing thrown")
        } catch let error as NotSent {
            #expect(error.error.code == .serviceTrouble && error.error.retryAfter == .seconds(9))
        }
    }

    @Test("what fails on the way of the refresh token itself stays as the transport said it")
    func onTheWay() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        let stage = try Stage.of(.oidcProvider, [exchange])
        stage.transport.fail(exchange.url, with: TransportError(.timedOut, wasSent: true))
        await #expect(throws: TransportError(.timedOut, wasSent: true)) {
            _ = try await refresh(.oidcProvider, exchange, stage: stage)
        }
    }

    @Test("keys that were fetched before serve for a day, and are not asked for meanwhile")
    func staleKeys() async throws {
        let exchange = try Server.oidcProvider.exchange("refresh")
        let stage = try Stage.of(.oidcProvider, [exchange])
        _ = try await refresh(.oidcProvider, exchange, stage: stage)
        stage.clock.advance(by: .seconds(7_200))
        stage.clock.setWall(Date(timeIntervalSince1970: exchange.at ?? 0))
        stage.transport.fail(
            try Server.oidcProvider.exchange("jwks").url, with: TransportError(.unreachable, wasSent: false))
        #expect(try await refresh(.oidcProvider, exchange, stage: stage).sessions != nil)
        #expect(stage.transport.count("/jwks") == 1)
    }

    @Test("a resource that the sign-in did not name, and no refresh token, send nothing", .standard(12))
    func nothingSent() async throws {
        let stage = try Stage.of(.oidcProvider, [])
        let provider = Server.oidcProvider.provider(for: "pub1")
        func code(_ held: Credential, _ wanted: TokenWant) async throws -> AuthError.Code {
            try await trouble { _ = try await provider.refresh(held, for: wanted, in: stage.context) }.code
        }
        let held = credential(provider, refreshToken: "r", resources: ["https://a.example"])
        #expect(try await code(held, want("https://b.example")) == .refused(.scope))
        #expect(try await code(credential(provider, refreshToken: nil), want()) == .signInRequired(.expired))
        #expect(try await code(held, TokenWant(session: AuthSession.ID("other"))) == .signInRequired(.signedOut))
        #expect(stage.transport.sent.isEmpty)
    }
}

extension Exchange {
    /// The claims that the sign-in before this refresh would have kept.
    func priorClaims() throws -> JSON? {
        guard let claims = try idTokenClaims()?.object else { return nil }
        return .object(claims.filter { ["iss", "sub", "aud", "auth_time", "nonce", "acr", "sid"].contains($0.key) })
    }
}
