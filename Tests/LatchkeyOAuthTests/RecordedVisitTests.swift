import FoundationEssentials
import Latchkey
import LatchkeyCrypto
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import Proofs
import Testing

@testable import LatchkeyOAuth

/// One code exchange, and who signed in by it.
struct CodeRow: Sendable, CustomTestStringConvertible {
    var server: Server
    var exchange: String
    var subject: String?
    var label: String?
    var scopes: [String]
    var asked: [String]?
    var refreshes = true
    var authentication = ClientAuthentication.none
    var maxAge: Duration?
    var userinfo: String?

    var testDescription: String { "\(server.rawValue): \(exchange)" }
}

private let keycloakSubject = "3aae47e9-e6c4-4fc5-ba37-2a341c0acccd"

@Suite("Recorded visits: code exchange, redirects, userinfo")
struct RecordedVisitTests {
    static let codes: [CodeRow] = [
        CodeRow(
            server: .oidcProvider, exchange: "code exchange", subject: "user1", label: "user1@example.test",
            scopes: ["openid", "offline_access", "profile", "email"], userinfo: "userinfo"),
        CodeRow(
            server: .oidcProvider, exchange: "right verifier after a wrong one", subject: "user1",
            scopes: ["openid", "offline_access", "profile", "email"]),
        CodeRow(
            server: .oidcProvider, exchange: "token: offline_access without prompt=consent gives no refresh token",
            subject: "user1", scopes: ["openid", "profile", "email"], refreshes: false),
        CodeRow(
            server: .oidcProvider, exchange: "client auth: basic", subject: "user1",
            scopes: ["openid", "offline_access", "profile", "email"],
            authentication: .basic(Secret("s3cr3t+/&:x%=0123456789abcdef"))),
        CodeRow(
            server: .oidcProvider, exchange: "client auth: post", subject: "user1",
            scopes: ["openid", "offline_access", "profile", "email"],
            authentication: .post(Secret("s3cr3t+/&:x%=0123456789abcdef"))),
        CodeRow(
            server: .oidcProvider, exchange: "step-up, token: max_age and acr_values in a fresh browser",
            subject: "user1", scopes: ["openid", "offline_access", "profile", "email"], maxAge: .seconds(300)),
        CodeRow(
            server: .keycloak, exchange: "code exchange", subject: keycloakSubject, label: "user1@example.test",
            scopes: ["openid", "email", "profile"]),
        CodeRow(
            server: .keycloak, exchange: "code exchange with offline_access", subject: keycloakSubject,
            label: "user1@example.test", scopes: ["openid", "offline_access", "email", "profile"]),
        CodeRow(
            server: .keycloak, exchange: "code exchange without openid", subject: nil, label: nil,
            scopes: ["email", "profile"], asked: ["email"]),
    ]

    @Test("a recorded code signs the person in", arguments: codes)
    func code(_ row: CodeRow) async throws {
        let exchange = try row.server.exchange(row.exchange)
        let (provider, stage, challenge) = try await begun(row, exchange)
        let turn = try await provider.answer(
            .redirected(redirect(exchange, row.server)), to: challenge, in: stage.context)
        guard case .signedIn(let grant) = turn else {
            Issue.record("another turn")
            return
        }
        let session = try #require(grant.sessions.first)
        if let subject = row.subject {
            #expect(session.account == AccountID(subject: subject, of: provider.rules.binding))
            #expect(session.state["claims"]?["sub"]?.string == subject)
        }
        #expect(session.label == row.label)
        #expect(try grant.refreshToken == exchange.member("refresh_token")?.string.map { Secret($0) })
        #expect((grant.refreshToken != nil) == row.refreshes)
        let token = try #require(session.tokens[.standard])
        #expect(try token.value == exchange.member("access_token")?.string.map { Secret($0) })
        #expect(Set(token.scopes ?? []) == Set(row.scopes) && token.scheme == "Bearer")
        #expect(token.lifetime?.lasts == .seconds(60))
        let authTime = try exchange.idTokenClaims()?["auth_time"]?.number
        if let authTime { #expect(session.authenticatedAt?.timeIntervalSince1970 == authTime) }
    }

    /// Begins a visit whose randomness is that of the recording.
    private func begun(
        _ row: CodeRow, _ exchange: Exchange
    ) async throws -> (OAuthProvider, Stage, Challenge) {
        var provider = row.server.provider(for: exchange.form["client_id"] ?? "web1")
        provider.authentication = row.authentication
        provider.asksUserInfo = row.userinfo != nil
        let nonce = try exchange.idTokenClaims()?["nonce"]?.string ?? "AAAAAAAAAAAAAAAAAAAAAA"
        let random =
            try [[UInt8](repeating: 7, count: 16), Base64URL.decode(nonce)]
            + [Base64URL.decode(try #require(exchange.form["code_verifier"]))]
        let stage = try Stage.of(
            row.server, [exchange] + (row.userinfo.map { [try row.server.exchange($0)] } ?? []), random: random)
        var options = SignInOptions()
        options.redirect = exchange.form["redirect_uri"]
        options.scopes = row.asked ?? row.scopes
        options.maxAge = row.maxAge
        let turn = try await provider.begin(.signIn(.browser()), options, in: stage.context)
        guard case .asked(let challenge) = turn else { throw Missing() }
        return (provider, stage, challenge)
    }

    private func redirect(_ exchange: Exchange, _ server: Server, state: String? = nil) -> Secret {
        let state = state ?? Base64URL.encode([UInt8](repeating: 7, count: 16))
        let query = FormParameters([
            ("code", exchange.form["code"] ?? ""), ("state", state), ("iss", server.issuer), ("session_state", "x"),
        ])
        return Secret("\(exchange.form["redirect_uri"] ?? "")?\(FormEncoding.encode(query))")
    }

    @Test("an answer without an ID token signs a person in without a name, unless the sign-in has to prove something")
    func withoutIDToken() async throws {
        for (maxAge, isRefused) in [(nil, false), (Duration.seconds(60), true)] {
            var row = Self.codes[0]
            row.maxAge = maxAge
            let exchange = try row.server.exchange(row.exchange)
            let (provider, stage, challenge) = try await begun(row, exchange)
            stage.transport.replace([
                try exchange.without("id_token"), try row.server.exchange("discovery"),
                try row.server.exchange("jwks"),
            ])
            let answer = Answer.redirected(redirect(exchange, row.server))
            guard !isRefused else {
                let error = try await trouble {
                    _ = try await provider.answer(answer, to: challenge, in: stage.context)
                }
                #expect(error.code == .untrusted(.malformed) && error.message.contains("`id_token`"))
                continue
            }
            guard case .signedIn(let grant) = try await provider.answer(answer, to: challenge, in: stage.context) else {
                throw Missing()
            }
            #expect(grant.sessions.first?.account.isUnnamed == true && grant.sessions.first?.label == nil)
        }
    }

    @Test("the member of the token answer that is missing is named", .law(15), arguments: ["access_token"])
    func missing(_ member: String) async throws {
        for row in [Self.codes[0], Self.codes[6]] {
            let exchange = try row.server.exchange(row.exchange)
            let (provider, stage, challenge) = try await begun(row, exchange)
            stage.transport.replace([
                try exchange.without(member), try row.server.exchange("discovery"), try row.server.exchange("jwks"),
            ])
            let error = try await trouble {
                _ = try await provider.answer(
                    .redirected(redirect(exchange, row.server)), to: challenge, in: stage.context)
            }
            #expect(error.code == .untrusted(.malformed))
            #expect(error.message == "The token answer has no `\(member)`.")
        }
    }

    @Test(
        "a document without a required member stops the sign-in and names it",
        arguments: ["issuer", "token_endpoint", "authorization_endpoint"])
    func missingMetadata(_ member: String) async throws {
        for server in Server.allCases {
            let provider = server.provider(for: "pub1")
            let stage = Stage([try server.exchange("discovery").without(member)], at: nil)
            var options = SignInOptions()
            options.redirect = "http://127.0.0.1:1/cb"
            let error = try await trouble {
                _ = try await provider.begin(.signIn(.browser()), options, in: stage.context)
            }
            #expect(error.message.contains(member) || error.message.contains("authorization endpoint"))
        }
    }

    @Test("an ID token of another nonce, an older proof or another person is not believed", .standard(9, 41))
    func hostile() async throws {
        let row = Self.codes[6]
        var exchange = try row.server.exchange(row.exchange)
        let later = Date(timeIntervalSince1970: (exchange.at ?? 0) + 100)
        exchange.response.fields.add("Date", HTTPDate.text(later))
        let (provider, stage, challenge) = try await begun(row, exchange)
        func refused(_ change: (inout VisitState) -> Void) async throws -> AuthError.Code? {
            var state = try VisitState(challenge.state)
            change(&state)
            var changed = challenge
            changed.state = state.json
            do {
                let answer = Answer.redirected(redirect(exchange, row.server))
                _ = try await provider.answer(answer, to: changed, in: stage.context)
                return nil
            } catch let error as AuthError {
                return error.code
            }
        }
        #expect(try await refused { $0.transaction.nonce = Secret("another") } == .untrusted(.nonce))
        #expect(try await refused { $0.subject = "another" } == .refused(.otherPerson))
        #expect(try await refused { $0.person = "another" } == .refused(.otherPerson))
        #expect(try await refused { $0.acr = ["unreachable"] } == .refused(.factorRequired))
        stage.clock.advance(by: .seconds(100))
        #expect(try await refused { $0.transaction.maxAge = .seconds(200) } == nil)
        #expect(try await refused { $0.transaction.maxAge = .seconds(10) } == .untrusted(.claims))
    }

    @Test("a token whose key is not in the set is not believed, however good the rest is", .standard(34))
    func unknownKey() async throws {
        let row = CodeRow(server: .keycloak, exchange: "code exchange, ES256", scopes: ["openid", "email", "profile"])
        let exchange = try row.server.exchange(row.exchange)
        let (provider, stage, challenge) = try await begun(row, exchange)
        let error = try await trouble {
            _ = try await provider.answer(.redirected(redirect(exchange, row.server)), to: challenge, in: stage.context)
        }
        #expect(error.code == .untrusted(.signature))
    }

    @Test("a redirect with another state sends no code", .standard(3))
    func nothingSent() async throws {
        let row = Self.codes[0]
        let exchange = try row.server.exchange(row.exchange)
        let (provider, stage, challenge) = try await begun(row, exchange)
        let forged = redirect(exchange, row.server, state: "forged")
        #expect(
            try await trouble { _ = try await provider.answer(.redirected(forged), to: challenge, in: stage.context) }
                .code
                == .untrusted(.state))
        #expect(
            try await trouble { _ = try await provider.answer(.declined, to: challenge, in: stage.context) }.code
                == .declined)
        #expect(stage.transport.count("/token") == 0)
    }

    struct RedirectRow: Sendable, CustomTestStringConvertible {
        var server: Server
        var exchange: String
        var code: AuthError.Code?
        var testDescription: String { "\(server.rawValue): \(exchange)" }
    }

    static let redirects: [RedirectRow] = [
        RedirectRow(server: .oidcProvider, exchange: "authorization response", code: nil),
        RedirectRow(server: .oidcProvider, exchange: "other loopback port", code: nil),
        RedirectRow(server: .oidcProvider, exchange: "access denied at the login page", code: .declined),
        RedirectRow(
            server: .oidcProvider, exchange: "login_required: prompt=none without a session", code: .refused(.denied)),
        RedirectRow(
            server: .oidcProvider, exchange: "interaction_required: prompt=none, native client, session",
            code: .refused(.denied)),
        RedirectRow(server: .oidcProvider, exchange: "scope the client may not ask", code: .refused(.scope)),
        RedirectRow(server: .keycloak, exchange: "authorization response", code: nil),
        RedirectRow(server: .keycloak, exchange: "other loopback port", code: nil),
        RedirectRow(server: .keycloak, exchange: "access denied at the consent page", code: .declined),
        RedirectRow(
            server: .keycloak, exchange: "login_required: prompt=none without a session", code: .refused(.denied)),
        RedirectRow(server: .keycloak, exchange: "invalid_scope", code: .refused(.scope)),
    ]

    @Test("our request is the recorded one, and its redirect is judged", arguments: redirects)
    func redirected(_ row: RedirectRow) async throws {
        let exchange = try row.server.exchange(row.exchange)
        let asked = try #require(FormEncoding.decode(WebAddress(exchange.url)?.query ?? ""))
        let random = try [asked["state"], asked["nonce"]].map { try Base64URL.decode($0 ?? "") }
        let stage = try Stage.of(row.server, [], random: random)
        let provider = row.server.provider(for: asked["client_id"] ?? "")
        var options = SignInOptions()
        options.redirect = asked["redirect_uri"]
        options.scopes = (asked["scope"] ?? "").split(separator: " ").map(String.init)
        options.prompt =
            options.scopes.contains("offline_access") && asked["prompt"] == "consent" ? nil : asked["prompt"]
        let turn = try await provider.begin(.signIn(.browser()), options, in: stage.context)
        guard case .asked(let challenge) = turn, case .visit(let url, let redirect) = challenge.ask else {
            throw Missing()
        }
        func lines(_ form: FormParameters) -> [String] {
            form.pairs.filter { $0.name != "code_challenge" }.map { "\($0.name)=\($0.value)" }.sorted()
        }
        #expect(lines(try #require(FormEncoding.decode(WebAddress(url)?.query ?? ""))) == lines(asked))
        #expect(url.prefix { $0 != "?" } == exchange.url.prefix { $0 != "?" } && redirect == options.redirect)
        let transaction = try VisitState(challenge.state).transaction
        let location = Secret(exchange.response.fields["Location"] ?? "")
        if let code = row.code {
            let error = try await trouble {
                _ = try await provider.answer(.redirected(location), to: challenge, in: stage.context)
            }
            #expect(error.code == code && error.provider == provider.name)
        } else {
            #expect(try AuthorizationResponse.check(location, against: transaction).isEmpty == false)
        }
    }

    @Test(
        "a code that is used, expired, unknown or has another verifier is refused, and never sent again", .standard(8))
    func refusedCodes() async throws {
        let rows: [(Server, String, AuthError.Code)] = [
            (.oidcProvider, "code used a second time", .refused(.expired)),
            (.oidcProvider, "wrong verifier", .refused(.expired)),
            (.oidcProvider, "expired code", .refused(.expired)),
            (.keycloak, "code used a second time", .refused(.expired)),
            (.keycloak, "wrong verifier", .refused(.expired)),
            (.keycloak, "other redirect_uri at the token endpoint", .refused(.expired)),
        ]
        for (server, name, code) in rows {
            let exchange = try server.exchange(name)
            let row = CodeRow(server: server, exchange: name, scopes: ["openid"])
            let (provider, stage, challenge) = try await begun(row, exchange)
            let error = try await trouble {
                _ = try await provider.answer(.redirected(redirect(exchange, server)), to: challenge, in: stage.context)
            }
            #expect(error.code == code, "\(name)")
            #expect(stage.transport.sent.count { $0.method == "POST" } == 1)
        }
    }
}
