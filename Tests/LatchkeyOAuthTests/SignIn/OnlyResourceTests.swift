import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("A sign-in for one resource") struct OnlyResourceTests {
    private static let issuer = "https://id.example"
    private static let api: Audience = "https://api.example"

    /// A service without OpenID Connect that notes what it is sent.
    private final class Service: HTTPTransport {
        let refreshToken: String?
        private let sent = Locked<[FormParameters]>([])

        init(refreshToken: String?) { self.refreshToken = refreshToken }

        /// The resources of each request that asked for tokens.
        var resources: [[String]] {
            sent.withLock { $0 }.filter { $0["grant_type"] != nil }.map { form in
                form.pairs.filter { $0.name == "resource" }.map(\.value)
            }
        }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            guard request.method == "POST" else { return document(request) }
            let form = FormEncoding.decode(String(decoding: request.body ?? [], as: UTF8.self)) ?? FormParameters()
            sent.withLock { $0.append(form) }
            var found: [String: JSON] = ["access_token": "a", "token_type": "Bearer"]
            found["refresh_token"] = refreshToken.map { .string($0) }
            if request.url.hasSuffix("/device") {
                found = [
                    "device_code": "d", "user_code": "u", "verification_uri": "https://id.example/enter",
                    "expires_in": 60,
                ]
            }
            return TransportResponse(status: 200, body: JSON.object(found).serialized())
        }

        private func document(_ request: TransportRequest) -> TransportResponse {
            guard request.url.hasSuffix("oauth-authorization-server") else { return TransportResponse(status: 404) }
            let document: JSON = [
                "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
                "token_endpoint": .string("\(issuer)/token"),
                "device_authorization_endpoint": .string("\(issuer)/device"),
            ]
            return TransportResponse(status: 200, body: document.serialized())
        }
    }

    private func provider(_ resources: [String]) -> OAuthProvider {
        var provider = OAuthProvider(issuer: Self.issuer, clientID: "c")
        provider.redirect = "http://127.0.0.1:1/cb"
        provider.resources = resources
        return provider
    }

    private func grant(
        _ request: SignInRequest, _ provider: OAuthProvider, _ service: Service, _ options: SignInOptions
    ) async throws -> Grant {
        let context = ProviderContext(world: .testing(), transport: service, cache: KeepingCache())
        var turn = try await provider.begin(request, options, in: context)
        if case .asked(let challenge) = turn {
            var answer = Answer.poll
            if case .visit(let url, _) = challenge.ask {
                let sent = FormEncoding.decode(url.split(separator: "?", maxSplits: 1).last ?? "")
                answer = .redirected(Secret("http://127.0.0.1:1/cb?code=x&state=\(sent?["state"] ?? "")"))
            }
            turn = try await provider.answer(answer, to: challenge, in: context)
        }
        guard case .signedIn(let grant) = turn else { throw Missing() }
        return grant
    }

    @Test(
        "names it in the token request, in the browser and at another device, and its token is the default one too",
        arguments: [SignInRequest.signIn(.browser()), .signIn(.device)], [nil, "r"] as [String?])
    func one(_ request: SignInRequest, _ refreshToken: String?) async throws {
        let service = Service(refreshToken: refreshToken)
        let grant = try await grant(request, provider([Self.api.name]), service, SignInOptions())
        #expect(service.resources == [[Self.api.name]])
        let tokens = try #require(grant.sessions.first?.tokens)
        #expect(Set(tokens.keys) == [.standard, Self.api])
    }

    @Test("of two resources none is named: services refuse two, and which one is meant is the caller's to say")
    func two() async throws {
        for request in [SignInRequest.signIn(.browser()), .signIn(.device)] {
            let service = Service(refreshToken: "r")
            let both = provider([Self.api.name, "https://other.example"])
            let plain = try await grant(request, both, service, SignInOptions())
            #expect(plain.sessions.first.map { Set($0.tokens.keys) } == [.standard])
            var options = SignInOptions()
            options.audience = Self.api
            let named = try await grant(request, both, service, options)
            #expect(named.sessions.first.map { Set($0.tokens.keys) } == [Self.api])
            let none = try await grant(request, provider([]), service, SignInOptions())
            #expect(none.sessions.first.map { Set($0.tokens.keys) } == [.standard])
            #expect(service.resources == [[], [Self.api.name], []])
        }
    }

    @Test("a client's own sign-in names it as well")
    func client() async throws {
        let service = Service(refreshToken: nil)
        var own = provider([Self.api.name])
        own.flow = .service
        own.authentication = .post(Secret("s"))
        let grant = try await grant(.signIn(.clientCredentials), own, service, SignInOptions())
        #expect(service.resources == [[Self.api.name]])
        #expect(grant.sessions.first.map { Set($0.tokens.keys) } == [.standard, Self.api])
    }

    @Test("with an ID token and a refresh token, the default token stays one that the userinfo endpoint takes")
    func openID() {
        let access = AccessToken(Secret("a"))
        let only = FirstAudience(Self.api, isOnlyResource: true)
        #expect(Set(only.tokens(access, alsoStandard: false).keys) == [Self.api])
        #expect(Set(FirstAudience(Self.api).tokens(access, alsoStandard: true).keys) == [Self.api])
    }
}
