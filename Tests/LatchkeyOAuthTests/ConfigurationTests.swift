import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import Proofs
import Testing

@testable import LatchkeyOAuth

@Suite("A wrong configuration is told before anything is sent")
struct ConfigurationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var provider: OAuthProvider

        init(_ name: String, _ change: (inout OAuthProvider) -> Void) {
            testDescription = name
            provider = OAuthProvider(issuer: "https://id.example", clientID: "c")
            change(&provider)
        }
    }

    static let wrong: [Row] = [
        Row("no client id") { $0.clientID = "" }, Row("a line break in the client id") { $0.clientID = "a\nb" },
        Row("an issuer over http") { $0.issuer = "http://id.example" }, Row("no issuer at all") { $0.issuer = "" },
        Row("an issuer with a query") { $0.issuer = "https://id.example?x" },
        Row("neither issuer nor endpoints") { $0.issuer = nil },
        Row("an endpoint over http") { $0.endpoints.device = "http://id.example/d" },
        Row("an endpoint with a fragment") { $0.endpoints.token = "https://id.example/t#x" },
        Row("an empty scope") { $0.scopes = ["openid", ""] }, Row("two scopes in one") { $0.scopes = ["a b"] },
        Row("a quote in a scope") { $0.scopes = ["a\""] }, Row("a scope that is not ASCII") { $0.scopes = ["é"] },
        Row("openid without an issuer") {
            $0.issuer = nil
            $0.endpoints.token = "https://id.example/t"
            $0.scopes = ["openid"]
        },
        Row("a redirect over http to another machine") { $0.redirect = "http://app.example/cb" },
        Row("a private scheme without a dot") { $0.redirect = "notes:/cb" },
        Row("a redirect with a fragment") { $0.redirect = "https://app.example/cb#x" },
        Row("a relative redirect") { $0.redirect = "/cb" },
        Row("a resource with a fragment") { $0.resources = ["https://a.example#x"] },
        Row("a resource that is no URI") { $0.resources = ["api"] },
        Row("an empty secret") { $0.authentication = .post(Secret("")) },
        Row("a program without authentication") { $0.flow = .service },
    ]

    @Test("each mistake is refused, by the check and by begin", .standard(15, 23), arguments: wrong)
    func refused(_ row: Row) async throws {
        let stage = Stage([], at: nil)
        let error = try await trouble { try row.provider.checkConfiguration() }
        #expect(error.code == .configuration(.invalid) && error.message.hasSuffix("."))
        let begun = try await trouble {
            _ = try await row.provider.begin(.signIn(.browser()), SignInOptions(), in: stage.context)
        }
        #expect(begun == error)
        #expect(stage.transport.sent.isEmpty)
    }

    static let right: [Row] = [
        Row("nothing but the required parts") { _ in }, Row("loopback") { $0.issuer = "http://127.0.0.1:8000/o" },
        Row("a private scheme") { $0.redirect = "com.example.app:/cb" },
        Row("an address of the app") { $0.redirect = "https://app.example/cb" },
        Row("loopback redirect") { $0.redirect = "http://[::1]:1/cb" },
        Row("a resource without a host") { $0.resources = ["urn:x:y"] },
        Row("endpoints alone") {
            $0.issuer = nil
            $0.endpoints = OAuthEndpoints(authorization: "https://x.example/a", token: "https://x.example/t")
            $0.scopes = ["repo"]
        },
    ]

    @Test("what is right passes", .standard(24), arguments: right)
    func accepted(_ row: Row) throws { try row.provider.checkConfiguration() }

    @Test("what a call asks for is checked as well")
    func options() async throws {
        let provider = Server.oidcProvider.provider(for: "pub1")
        let stage = try Stage.of(.oidcProvider, [])
        for change in [
            { $0.redirect = "http://app.example/cb" }, { $0.scopes = ["a b"] }, { $0.audience = "not a uri" },
        ] as [@Sendable (inout SignInOptions) -> Void] {
            var options = SignInOptions()
            options.redirect = "http://127.0.0.1:1/cb"
            change(&options)
            let error = try await trouble {
                _ = try await provider.begin(.signIn(.browser()), options, in: stage.context)
            }
            #expect(error.code == .configuration(.invalid))
        }
        let nowhere = try await trouble {
            _ = try await provider.begin(.signIn(.browser()), SignInOptions(), in: stage.context)
        }
        #expect(nowhere.code == .configuration(.invalid))
    }

    @Test("a service without discovery signs in with its endpoints alone, as the one account that has no name")
    func plain() async throws {
        var provider: OAuthProvider = .oauth(
            OAuthEndpoints(authorization: "https://x.example/a", token: "https://x.example/t"), clientID: "c",
            named: "x", scopes: ["repo"], redirect: "https://app.example/cb")
        provider.parameters = ["allow_signup": "false"]
        #expect(provider.rules.binding == ProviderBinding(provider: "x", authority: "https://x.example", client: "c"))
        let token = Exchange(
            name: "t", at: nil, method: "POST", url: "https://x.example/t", authorization: nil, form: FormParameters(),
            response: TransportResponse(
                status: 200, body: Array(#"{"access_token":"gho_1","scope":"repo,user","token_type":"bearer"}"#.utf8)))
        let stage = Stage([], at: nil)
        guard
            case .asked(let challenge) = try await provider.begin(
                .signIn(.browser()), SignInOptions(), in: stage.context),
            case .visit(let url, _) = challenge.ask
        else { throw Missing() }
        #expect(url.hasSuffix("&allow_signup=false") && !url.contains("nonce="))
        let state = try VisitState(challenge.state).transaction
        var exchange = token
        exchange.form = FormParameters([
            ("grant_type", "authorization_code"), ("code", "c1"), ("redirect_uri", "https://app.example/cb"),
            ("code_verifier", state.verifier.revealText()), ("allow_signup", "false"), ("client_id", "c"),
        ])
        stage.transport.replace([exchange])
        let came = Secret("https://app.example/cb?code=c1&state=\(state.state.revealText())")
        guard case .signedIn(let grant) = try await provider.answer(.redirected(came), to: challenge, in: stage.context)
        else { throw Missing() }
        let session = try #require(grant.sessions.first)
        #expect(grant.refreshToken == nil && session.label == nil)
        #expect(session.account.isUnnamed && session.account == AccountID(unnamedAt: provider.binding))
        #expect(session.account.value.hasPrefix("x https://x.example "))
        #expect(session.tokens[.standard]?.scopes == ["repo", "user"] && session.tokens[.standard]?.lifetime == nil)
    }

    @Test("default scopes are those that the service lists, and openid in any case")
    func defaultScopes() async throws {
        for (server, expected) in [
            (Server.djangoOAuthToolkit, "openid profile email"), (.oidcProvider, "openid profile email offline_access"),
        ] {
            let stage = try Stage.of(server, [])
            var options = SignInOptions()
            options.redirect = "http://127.0.0.1:1/cb"
            guard
                case .asked(let challenge) = try await server.provider(for: "c").begin(
                    .signIn(.browser()), options, in: stage.context)
            else { throw Missing() }
            #expect(try VisitState(challenge.state).transaction.scopes.joined(separator: " ") == expected)
        }
    }

    @Test("a service that takes pushed requests only is not asked in another way", .standard(51))
    func pushedOnly() async throws {
        var members = try #require(try JSON.parse(Server.oidcProvider.exchange("discovery").response.body).object)
        members["require_pushed_authorization_requests"] = true
        let stage = Stage([try Server.oidcProvider.exchange("discovery").with(body: .object(members))], at: nil)
        var options = SignInOptions()
        options.redirect = "http://127.0.0.1:1/cb"
        let provider = Server.oidcProvider.provider(for: "c")
        let error = try await trouble { _ = try await provider.begin(.signIn(.browser()), options, in: stage.context) }
        #expect(error.code == .configuration(.unsupported))
    }

    @Test("a password and a foreign token are not taken to any endpoint", .standard(13))
    func otherGrants() async throws {
        let provider = Server.oidcProvider.provider(for: "c")
        let stage = try Stage.of(.oidcProvider, [])
        var options = SignInOptions()
        options.redirect = "http://127.0.0.1:1/cb"
        let methods: [SignInMethod] = [
            .password(identifier: "ada", Secret("p")), .anonymous,
            .idToken(Secret("i"), issuer: "https://id.example", nonce: nil), .code(identifier: "ada", over: .mail),
        ]
        for method in methods {
            let error = try await trouble { _ = try await provider.begin(.signIn(method), options, in: stage.context) }
            #expect(error.code == .configuration(.unsupported))
        }
        #expect(stage.transport.sent.isEmpty && provider.rules.methods == [.browser, .device, .refreshToken, .ticket])
    }

    @Test("a step-up asks for what the resource wants, of the same person, and keeps the granted scopes")
    func stepUp() async throws {
        let provider = Server.oidcProvider.provider(for: "pub1")
        let stage = try Stage.of(.oidcProvider, [])
        let held = credential(provider, refreshToken: "r", claims: ["iss": "i", "sub": "user1", "aud": "pub1"])
        var options = SignInOptions()
        options.redirect = "http://127.0.0.1:1/cb"
        let wanted = StepUp(acr: ["gold"], maxAge: .seconds(60), scopes: ["write"])
        var context = stage.context
        context.principal = Principal(held, session: held.sessions[0])
        let turn = try await provider.begin(.stepUp(wanted), options, in: context)
        guard case .asked(let challenge) = turn, case .visit(let url, _) = challenge.ask else { throw Missing() }
        let form = try #require(FormEncoding.decode(WebAddress(url)?.query ?? ""))
        // This service takes claims.
        #expect(form["claims"] == #"{"id_token":{"acr":{"essential":true,"values":["gold"]}}}"#)
        #expect(form["acr_values"] == nil && form["max_age"] == "60" && form["scope"] == "openid write")
        let state = try VisitState(challenge.state)
        #expect(state.subject == "user1" && state.acr == ["gold"])
    }
}
