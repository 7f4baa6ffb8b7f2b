import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore

import Proofs
import Testing

@testable import LatchkeyOAuth

@Suite("Recorded client credentials, revocations and resources' answers")
struct RecordedServiceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var server: Server
        var exchange: String
        var client: String
        var authentication: ClientAuthentication
        var code: AuthError.Code?
        var testDescription: String { "\(server.rawValue): \(exchange)" }

        init(
            _ server: Server, _ exchange: String, _ client: String, _ authentication: ClientAuthentication,
            _ code: AuthError.Code? = nil
        ) {
            self.server = server
            self.exchange = exchange
            self.client = client
            self.authentication = authentication
            self.code = code
        }
    }

    private static let secret = Secret("kc-s3cr3t+/&:x%=1")

    static let rows: [Row] = [
        Row(.oidcProvider, "client credentials", "cc1", .basic(Secret("cc-secret"))),
        Row(.oidcProvider, "client credentials for resource A", "cc1", .basic(Secret("cc-secret"))),
        Row(
            .oidcProvider, "client credentials, wrong secret", "cc1", .basic(Secret("no")),
            .configuration(.clientRefused)),
        Row(.keycloak, "client credentials", "web1", .basic(secret)),
        Row(.keycloak, "client auth: post", "web1", .post(secret)),
        Row(
            .keycloak, "client credentials, wrong secret", "web1", .basic(Secret("no")), .configuration(.clientRefused)),
        Row(.djangoOAuthToolkit, "client credentials", "conf1", .post(Secret("s3cr3t"))),
        Row(.djangoOAuthToolkit, "wrong client secret", "conf1", .post(Secret("bad")), .configuration(.clientRefused)),
        Row(.glewlwyd, "wrong client secret", "conf1", .post(Secret("bad")), .serviceTrouble),
    ]

    @Test("a program signs in with its own credentials, and asks again instead of refreshing", arguments: rows)
    func service(_ row: Row) async throws {
        let exchange = try row.server.exchange(row.exchange)
        let resource = exchange.form["resource"]
        let provider: OAuthProvider = .oauthService(
            issuer: row.server.issuer, clientID: row.client, authentication: row.authentication,
            scopes: (exchange.form["scope"] ?? "").split(separator: " ").map(String.init),
            resources: resource.map { [$0] } ?? [])
        let stage = try Stage.of(row.server, [exchange])
        var options = SignInOptions()
        options.audience = resource.map { Audience($0) } ?? .standard
        do {
            let turn = try await provider.begin(.signIn(.clientCredentials), options, in: stage.context)
            guard case .signedIn(let grant) = turn, let session = grant.sessions.first else { throw Missing() }
            #expect(row.code == nil && grant.refreshToken == nil && session.label == row.client)
            #expect(session.account == AccountID(subject: row.client, of: provider.rules.binding))
            let held = Credential(
                id: Credential.ID("c"), binding: provider.rules.binding, sessions: grant.sessions, state: grant.state)
            let change = try await provider.refresh(
                held, for: TokenWant(session: session.id, audience: options.audience), in: stage.context)
            let token = try #require(change.minted[session.id]?[options.audience])
            #expect(try token.value == exchange.member("access_token")?.string.map { Secret($0) })
            #expect(token.lifetime?.lasts == .seconds(60) && change.refreshToken == nil)
            #expect(stage.transport.sent.count { $0.method == "POST" } == 2)
        } catch let error as AuthError {
            #expect(error.code == row.code)
        }
    }

    @Test("a program's token of a type that was not asked for is refused, at the first time and later", .standard(46))
    func foreignType() async throws {
        let exchange = try Server.oidcProvider.exchange("client credentials")
        var body = try #require(try JSON.parse(exchange.response.body).object)
        body["token_type"] = "mac"
        let stage = try Stage.of(.oidcProvider, [exchange.with(body: .object(body))])
        let provider: OAuthProvider = .oauthService(
            issuer: Server.oidcProvider.issuer, clientID: "cc1", authentication: .basic(Secret("cc-secret")))
        let first = try await trouble {
            _ = try await provider.begin(.signIn(.clientCredentials), SignInOptions(), in: stage.context)
        }
        let held = credential(provider, refreshToken: nil, scopes: [])
        let later = try await trouble { _ = try await provider.refresh(held, for: want(), in: stage.context) }
        #expect(first.code == .untrusted(.malformed) && later.code == .untrusted(.malformed))
        #expect(stage.transport.count("/token") == 2)
    }

    @Test("a program's rules say that nothing rotates, and nobody else signs in there")
    func rules() async throws {
        let provider: OAuthProvider = .oauthService(
            issuer: "https://id.example", clientID: "c", authentication: .post(Secret("s")))
        #expect(provider.rules.methods == [.clientCredentials] && provider.rules.replay == .fixed)
        let stage = Stage([], at: nil)
        for request in [SignInRequest.signIn(.browser()), .signIn(.device), .recover(identifier: "a")] {
            let error = try await trouble { _ = try await provider.begin(request, SignInOptions(), in: stage.context) }
            #expect(error.code == .configuration(.unsupported))
        }
    }

    @Test(
        "revoking ends when the service has it, or says that it knows no such token",
        arguments: [
            (Server.oidcProvider, "revoke refresh token", AuthError.Code?.none),
            (.oidcProvider, "revoke unknown token", nil), (.keycloak, "revoke refresh token", nil),
            (.keycloak, "revoke unknown token", nil),
            // Its document says so beforehand, which is only a hint.
            (.glewlwyd, "revoke by public client (401)", .configuration(.unsupported)),
        ])
    func revoke(_ server: Server, _ name: String, _ code: AuthError.Code?) async throws {
        let exchange = try server.exchange(name)
        let provider = server.provider(for: exchange.form["client_id"] ?? "")
        let stage = try Stage.of(server, [exchange])
        let held = credential(provider, refreshToken: exchange.form["token"])
        do {
            try await provider.revoke(Revocation(held), in: stage.context)
            #expect(code == nil)
        } catch let error as AuthError {
            #expect(error.code == code)
        }
        let sent = stage.transport.sent.last { $0.method == "POST" }
        let form = sent.map { String(decoding: $0.body ?? [], as: UTF8.self) }
        #expect(form?.contains("token_type_hint=refresh_token") == true)
    }

    @Test("without a refresh token the access token is revoked; without an endpoint nothing is claimed")
    func revokeOtherwise() async throws {
        let exchange = try Server.oidcProvider.exchange("revoke access token")
        let provider = Server.oidcProvider.provider(for: "pub1")
        let stage = try Stage.of(.oidcProvider, [exchange])
        var held = credential(provider, refreshToken: nil)
        held.sessions[0].tokens[.standard] = AccessToken(Secret(exchange.form["token"] ?? ""))
        try await provider.revoke(Revocation(held), in: stage.context)
        #expect(stage.transport.count("/revocation") == 1)
        let others = try await trouble {
            try await provider.revoke(Revocation(held, scope: .others), in: stage.context)
        }
        #expect(others.code == .configuration(.unsupported))
        let none = Server.djangoOAuthToolkit.provider(for: "pub1")
        let bare = try Stage.of(.djangoOAuthToolkit, [])
        let error = try await trouble {
            try await none.revoke(Revocation(credential(none, refreshToken: "r")), in: bare.context)
        }
        #expect(error.code == .configuration(.unsupported))
    }

    @Test("every recorded answer of a resource says whether the token was good")
    func verdicts() throws {
        var seen = 0
        for server in Server.allCases {
            let provider = server.provider(for: "pub1")
            for exchange in try server.exchanges()
            where exchange.url.hasSuffix("/me") || exchange.url.contains("/userinfo") {
                let verdict = provider.verdict(on: exchange.response)
                #expect(verdict == (exchange.response.status == 401 ? .rejected : .accepted), "\(exchange.name)")
                seen += 1
            }
        }
        #expect(seen > 20)
    }

    @Test(
        "a demand for more proof or further scopes is no rejection",
        arguments: [
            (
                401, #"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="60""#,
                TokenVerdict.insufficient(StepUp(acr: ["gold", "silver"], maxAge: .seconds(60)))
            ),
            (401, #"DPoP error="insufficient_user_authentication", max_age="-1""#, .insufficient(StepUp())),
            (401, #"Basic realm="x", Bearer error="insufficient_user_authentication""#, .insufficient(StepUp())),
            (403, #"Bearer error="insufficient_scope", scope="a b""#, .insufficient(StepUp(scopes: ["a", "b"]))),
            (403, #"Bearer error="invalid_token""#, .accepted), (403, "", .accepted),
            (401, #"Bearer error="insufficient_scope", scope="a""#, .insufficient(StepUp(scopes: ["a"]))),
            (401, "Basic realm=x", .rejected),
            (400, #"Bearer error="invalid_token""#, .accepted), (500, "", .accepted),
        ] as [(Int, String, TokenVerdict)])
    func stepUp(_ status: Int, _ header: String, _ verdict: TokenVerdict) {
        let provider = OAuthProvider(issuer: "https://id.example", clientID: "c")
        #expect(
            provider.verdict(on: TransportResponse(status: status, fields: ["WWW-Authenticate": header])) == verdict)
    }
}
