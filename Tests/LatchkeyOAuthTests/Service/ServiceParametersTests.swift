import Latchkey
import LatchkeyJSON
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("Parameters that one service alone knows") struct ServiceParametersTests {
    /// Answers each endpoint, and keeps the forms that came.
    private final class Service: HTTPTransport {
        private let forms = Locked<[(path: String, form: [String: String])]>([])

        var received: [(path: String, form: [String: String])] { forms.withLock { $0 } }

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            let path = String(request.url.split(separator: "/").last ?? "")
            let text = String(decoding: request.body ?? [], as: UTF8.self)
            forms.withLock { $0.append((path, ServiceParametersTests.read(text))) }
            let answer: JSON =
                path == "device"
                ? [
                    "device_code": "d", "user_code": "u", "verification_uri": "https://x.example/enter",
                    "expires_in": 600,
                ]
                : ["access_token": "a", "refresh_token": "r", "token_type": "Bearer", "expires_in": 60]
            return TransportResponse(status: 200, body: answer.serialized())
        }
    }

    private static func read(_ text: String) -> [String: String] {
        let pairs = FormEncoding.decode(text)?.pairs ?? []
        return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in "\(first) twice" }
    }

    private static let endpoints = OAuthEndpoints(
        authorization: "https://x.example/authorize", token: "https://x.example/token",
        device: "https://x.example/device")

    private func client(_ provider: OAuthProvider, _ service: Service) throws -> AuthClient {
        let world = PluginContext.testing(clock: ManualClock())
        return try AuthClient.Builder().provider(provider).store(MemoryStore(context: world)).transport(service)
            .context(world).build()
    }

    @Test(
        "each request for authorization, a device code or tokens has them, and the first alone those of OpenID Connect")
    func everywhere() async throws {
        let service = Service()
        let own = ["audience": "https://api.example", "vendor.x-1_y": "a b&c", "prompt": "consent"]
        let auth = try client(
            .oauth(
                Self.endpoints, clientID: "c", scopes: ["repo"], redirect: "https://app.example/cb", parameters: own),
            service)
        guard case .asked(let visit) = try await auth.begin(.signIn(.browser()), with: "oauth"),
            case .visit(let url, _) = visit.ask, let query = url.split(separator: "?").last
        else { throw Missing() }
        let asked = Self.read(String(query))
        for (name, value) in own { #expect(asked[name] == value) }
        let came = "https://app.example/cb?code=k&state=\(asked["state"] ?? "")"
        guard case .signedIn = try await auth.answer(.redirected(Secret(came)), to: visit.id) else { throw Missing() }
        _ = try await auth.refresh()
        guard case .asked(let device) = try await auth.begin(.signIn(.device), with: "oauth") else { throw Missing() }
        _ = try await auth.answer(.poll, to: device.id)
        let grants = service.received.map { $0.form["grant_type"] ?? $0.path }
        #expect(
            grants == [
                "authorization_code", "refresh_token", "device", "urn:ietf:params:oauth:grant-type:device_code",
            ])
        for (path, form) in service.received {
            #expect(form["audience"] == own["audience"] && form["vendor.x-1_y"] == "a b&c", "\(path)")
            #expect(form["prompt"] == nil, "\(path)")
        }
    }

    @Test("a program that signs itself in sends them too")
    func program() async throws {
        let service = Service()
        var provider = OAuthProvider(Self.endpoints, clientID: "c")
        (provider.flow, provider.authentication) = (.service, .post(Secret("s")))
        provider.parameters = ["audience": "https://api.example"]
        let auth = try client(provider, service)
        _ = try await auth.signIn(with: "oauth", .clientCredentials)
        _ = try await auth.refresh()
        #expect(service.received.count == 2)
        for (_, form) in service.received {
            #expect(form["audience"] == "https://api.example" && form["client_secret"] == "s")
        }
    }

    @Test("what the protocol itself sets, and what is no name, is refused before anything is sent")
    func refused() throws {
        for name in OAuthWire.ownParameters.union(["", "a b", "a=b", "a&b", "\u{E9}", "a\n"]) {
            let provider = OAuthProvider.oauth(issuer: "https://x.example", clientID: "c", parameters: [name: "v"])
            let error = #expect(throws: AuthError.self) { try provider.checkConfiguration() }
            #expect(error?.code == .configuration(.invalid), "\(name)")
            #expect(OAuthProvider.setsItself(parameter: name))
        }
        for name in OAuthWire.authorizationParameters.union(["audience", "access_type", "resource_id", "kc_idp_hint"]) {
            try OAuthProvider.oauth(issuer: "https://x.example", clientID: "c", parameters: [name: "v"])
                .checkConfiguration()
            #expect(!OAuthProvider.setsItself(parameter: name))
        }
    }

    @Test("Google is asked for offline access, unless the app says otherwise; no other service is")
    func offlineAccess() {
        func sent(_ issuer: String, _ own: [String: String] = [:]) -> [String: String] {
            let provider = OAuthProvider.oauth(issuer: issuer, clientID: "c", parameters: own)
            #expect(provider.tokenParameters.map(\.name) == own.keys.sorted())
            return Dictionary(provider.authorizationParameters.map { ($0.name, $0.value) }) { $1 }
        }
        let google = "https://accounts.google.com"
        #expect(sent(google) == ["access_type": "offline"])
        #expect(sent(google, ["access_type": "online"]) == ["access_type": "online"])
        #expect(sent(google, ["hd": "x.example"]) == ["access_type": "offline", "hd": "x.example"])
        for other in ["https://accounts.google.com.evil.example", "https://id.example"] { #expect(sent(other).isEmpty) }
    }

    @Test("without a refresh token the account says so, and when the session ends; with one it does not")
    func refreshable() async throws {
        let clock = ManualClock()
        let world = PluginContext.testing(clock: clock)
        for isGiven in [false, true] {
            let auth = try AuthClient.Builder().provider(.oauth(Self.endpoints, clientID: "c", scopes: ["repo"]))
                .store(MemoryStore(context: world)).transport(Answers(gives: isGiven)).context(world).build()
            guard case .asked(let device) = try await auth.begin(.signIn(.device), with: "oauth") else {
                throw Missing()
            }
            _ = try await auth.answer(.poll, to: device.id)
            let account = try #require(try await auth.accounts().first)
            #expect(account.isRefreshable == isGiven)
            #expect(account.sessionUntil == (isGiven ? nil : account.accessUntil))
            #expect(account.accessUntil != nil)
        }
    }

    /// A service that gives a refresh token, or none.
    private struct Answers: HTTPTransport {
        var gives: Bool

        func send(_ request: TransportRequest, deadline: Duration) async throws -> TransportResponse {
            let service = Service()
            let answer = try await service.send(request, deadline: deadline)
            guard !gives, var members = try JSON.parse(answer.body).object else { return answer }
            members["refresh_token"] = nil
            return TransportResponse(status: 200, body: JSON.object(members).serialized())
        }
    }
}
