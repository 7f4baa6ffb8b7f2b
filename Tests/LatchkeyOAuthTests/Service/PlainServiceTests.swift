import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("A service that speaks OAuth without OpenID Connect") struct PlainServiceTests {
    private static let issuer = "https://id.example"
    private static let redirect = "http://127.0.0.1:1/cb"

    /// A service with any document, at either address or at none, that gives tokens without an ID token.
    private final class Service: HTTPTransport {
        let document: [String: JSON]?
        let isOpenID: Bool
        let refusal: String?
        private let requests = Locked<[TransportRequest]>([])

        init(_ document: [String: JSON]?, isOpenID: Bool = false, refusal: String? = nil) {
            (self.document, self.isOpenID, self.refusal) = (document, isOpenID, refusal)
        }

        /// How many requests went to an address that ends so.
        func count(_ suffix: String) -> Int { requests.withLock { $0.count { $0.url.hasSuffix(suffix) } } }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            requests.withLock { $0.append(request) }
            guard request.method == "POST" else {
                return request.url.hasSuffix("/keys")
                    ? TransportResponse(status: 200, body: Array(#"{"keys":[]}"#.utf8)) : metadata(request)
            }
            if let refusal {
                return TransportResponse(status: 400, body: JSON.object(["error": .string(refusal)]).serialized())
            }
            let code: JSON = [
                "device_code": "d", "user_code": "u", "verification_uri": "https://id.example/enter", "expires_in": 60,
            ]
            let tokens: JSON = ["access_token": "a", "token_type": "Bearer", "refresh_token": "r"]
            let found = request.url.hasSuffix("/device") ? code : tokens
            return TransportResponse(status: 200, body: found.serialized())
        }

        private func metadata(_ request: TransportRequest) -> TransportResponse {
            let name = isOpenID ? "openid-configuration" : "oauth-authorization-server"
            guard let document, request.url.hasSuffix(name) else { return TransportResponse(status: 404) }
            var members: [String: JSON] = [
                "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
                "token_endpoint": .string("\(issuer)/token"),
                "device_authorization_endpoint": .string("\(issuer)/device"),
            ]
            members.merge(document) { $1 }
            return TransportResponse(status: 200, body: JSON.object(members).serialized())
        }
    }

    private func context(_ service: Service) -> ProviderContext {
        ProviderContext(world: .testing(clock: ManualClock()), transport: service, cache: KeepingCache())
    }

    private var provider: OAuthProvider {
        var provider = OAuthProvider(issuer: Self.issuer, clientID: "c")
        provider.redirect = Self.redirect
        return provider
    }

    private func visit(
        _ service: Service, _ provider: OAuthProvider, _ options: SignInOptions = SignInOptions()
    ) async throws -> (FormParameters, Challenge) {
        guard
            case .asked(let challenge) = try await provider.begin(
                .signIn(.browser()), options, in: context(service)),
            case .visit(let url, _) = challenge.ask
        else { throw Missing() }
        let query = url.split(separator: "?", maxSplits: 1).last ?? ""
        return (try #require(FormEncoding.decode(query)), challenge)
    }

    private func comeBack(
        _ service: Service, _ provider: OAuthProvider, _ sent: FormParameters, _ challenge: Challenge,
        with answer: String = "code=x"
    ) async throws -> Turn {
        let address = "\(Self.redirect)?\(answer)&state=\(sent["state"] ?? "")"
        return try await provider.answer(.redirected(Secret(address)), to: challenge, in: context(service))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var document: [String: JSON]
        var isOpenID = false
        var scope: String?
    }

    static let cases = [
        Case(testDescription: "RFC 8414, no keys", document: [:]),
        Case(
            testDescription: "RFC 8414, keys, no scopes", document: ["jwks_uri": "https://id.example/keys"]),
        Case(
            testDescription: "scopes with offline_access", document: ["scopes_supported": ["read", "offline_access"]],
            scope: "offline_access"),
        Case(
            testDescription: "OpenID's address, no keys", document: ["scopes_supported": ["openid"]], isOpenID: true),
        Case(
            testDescription: "OpenID's address, scopes without openid",
            document: ["jwks_uri": "https://id.example/keys", "scopes_supported": ["read"]], isOpenID: true),
        Case(
            testDescription: "OpenID Connect that brings no ID token",
            document: ["jwks_uri": "https://id.example/keys", "scopes_supported": ["openid"]], isOpenID: true,
            scope: "openid"),
    ]

    @Test("is asked for what its document has, and the sign-in goes on without a name", arguments: cases)
    func signsIn(_ row: Case) async throws {
        let service = Service(row.document, isOpenID: row.isOpenID)
        let (sent, challenge) = try await visit(service, provider)
        #expect(sent["scope"] == row.scope && (sent["nonce"] != nil) == (row.scope == "openid"))
        guard
            case .asked(let device) = try await provider.begin(
                .signIn(.device), SignInOptions(), in: context(service))
        else { throw Missing() }
        let turns = [
            try await provider.answer(.poll, to: device, in: context(service)),
            try await provider.begin(.signIn(.ticket(Secret("old"))), SignInOptions(), in: context(service)),
        ]
        for turn in turns + [try await comeBack(service, provider, sent, challenge)] {
            guard case .signedIn(let grant) = turn else { throw Missing() }
            #expect(grant.sessions.first?.account.isUnnamed == true && grant.refreshToken == Secret("r"))
        }
    }

    @Test("that has no keys refuses `openid` before the browser opens, and says what to leave out")
    func withoutKeys() async throws {
        let service = Service([:])
        var options = SignInOptions()
        options.scopes = ["openid", "read"]
        for request in [SignInRequest.signIn(.browser()), .signIn(.device)] {
            let error = try await trouble { _ = try await provider.begin(request, options, in: context(service)) }
            #expect(error.code == .configuration(.unsupported) && error.message.contains("without the scope `openid`"))
        }
        #expect(service.count("/device") == 0)
    }

    @Test("named scopes are sent as they are, and nothing is added")
    func named() async throws {
        let documents: [[String: JSON]] = [
            [:], ["jwks_uri": "https://id.example/keys", "scopes_supported": ["openid", "offline_access"]],
        ]
        for document in documents {
            var options = SignInOptions()
            options.scopes = ["read"]
            #expect(try await visit(Service(document, isOpenID: true), provider, options).0["scope"] == "read")
            var none = provider
            none.scopes = []
            #expect(try await visit(Service(document, isOpenID: true), none).0["scope"] == nil)
        }
    }

    @Test("a sign-in that must prove when or how the person signed in fails without an ID token")
    func mustProve() async throws {
        let service = Service([:])
        var options = SignInOptions()
        options.maxAge = .seconds(60)
        var openID = provider
        openID.endpoints.keys = "https://id.example/keys"
        options.scopes = ["openid"]
        let (sent, challenge) = try await visit(service, openID, options)
        #expect(sent["max_age"] == "60")
        await #expect(throws: (any Error).self) {
            _ = try await comeBack(service, openID, sent, challenge)
        }
    }

    @Test("a refusal of the scope names what was asked for, if nobody had named it")
    func refusedScope() async throws {
        let document: [String: JSON] = [
            "jwks_uri": "https://id.example/keys", "scopes_supported": ["openid", "profile", "offline_access"],
        ]
        let service = Service(document, isOpenID: true, refusal: "invalid_scope")
        let advice = "`openid profile offline_access`: name other scopes, or none"
        let (sent, challenge) = try await visit(service, provider)
        let denied = try await trouble {
            _ = try await comeBack(service, provider, sent, challenge, with: "error=invalid_scope")
        }
        let device = try await trouble {
            _ = try await provider.begin(.signIn(.device), SignInOptions(), in: context(service))
        }
        for error in [denied, device] {
            #expect(error.code == .refused(.scope) && error.message.contains(advice), "\(error.message)")
        }
        var options = SignInOptions()
        options.scopes = ["read"]
        let own = try await trouble { _ = try await provider.begin(.signIn(.device), options, in: context(service)) }
        #expect(own.code == .refused(.scope) && !own.message.contains("default"), "\(own.message)")
    }

    @Test("without any document, the endpoints that are named are enough, beside an issuer and alone")
    func endpointsAlone() async throws {
        let endpoints = OAuthEndpoints(
            authorization: "\(Self.issuer)/authorize", token: "\(Self.issuer)/token", device: "\(Self.issuer)/device")
        var beside = provider
        beside.endpoints = endpoints
        var alone = OAuthProvider(endpoints, clientID: "c")
        alone.redirect = Self.redirect
        for (provider, issuer) in [(beside, "https://id.example"), (alone, "https://id.example/any")] {
            let service = Service(nil)
            let (sent, challenge) = try await visit(service, provider)
            #expect(sent["scope"] == nil)
            let wrong = try await trouble {
                _ = try await comeBack(service, provider, sent, challenge, with: "code=x&iss=https://evil.example")
            }
            #expect(wrong.code == .untrusted(.issuer) && service.count("/token") == 0)
            guard
                case .signedIn = try await comeBack(
                    service, provider, sent, challenge, with: "code=x&iss=\(issuer)")
            else { throw Missing() }
        }
        let error = try await trouble { _ = try await visit(Service(nil), self.provider) }
        #expect(error.code == .configuration(.invalid) && error.message.contains("needs its endpoints named"))
    }
}
