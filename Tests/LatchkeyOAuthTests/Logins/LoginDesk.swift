import Latchkey
import LatchkeySystem
import LatchkeyOAuthCore
import LatchkeyTesting

@testable import LatchkeyOAuth

/// One service, one store, and the processes that sign in there.
struct LoginDesk {
    /// How somebody signs in.
    enum Way: String, CaseIterable, Sendable {
        case browser, device, token, sameToken, program
    }

    let clock = ManualClock()
    let service: LoginService
    let store: MemoryStore
    let observer = RecordingObserver()
    private let provider: OAuthProvider

    init(
        _ reach: LoginService.Reach, namesSession: Bool = true, isProgram: Bool = false,
        _ change: (inout OAuthProvider) -> Void = { _ in }
    ) {
        service = LoginService(reach, namesSession: namesSession, clock: clock)
        store = MemoryStore(context: .testing(clock: clock))
        var provider: OAuthProvider =
            isProgram
            ? .oauthService(issuer: LoginService.issuer, clientID: "app", authentication: .basic(Secret("s")))
            : .oauth(issuer: LoginService.issuer, clientID: "app", scopes: ["openid"])
        change(&provider)
        self.provider = provider
    }

    func process(seed: UInt64) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        settings.familyDeadline = settings.requestDeadline
        return try AuthClient.Builder().provider(provider).store(store).transport(service)
            .context(.testing(clock: clock, seed: seed, observer: observer)).settings(settings).build()
    }

    /// Signs in, in the browser with this name.
    func signIn(_ auth: AuthClient, _ way: Way, in browser: String = "b1") async throws {
        switch way {
        case .browser:
            let window = ScriptedBrowser(redirect: "http://127.0.0.1:7777/callback") { url in
                let query = FormEncoding.decode(String(url.drop { $0 != "?" }.dropFirst())) ?? FormParameters()
                let code = [browser, query["nonce"]].compactMap(\.self).joined(separator: ".")
                return "\(query["redirect_uri"] ?? "")?code=\(code)&state=\(query["state"] ?? "")"
            }
            _ = try await auth.signIn(with: "oauth", .browser(), asking: window)
        case .device:
            service.deviceBrowser.withLock { $0 = browser }
            guard case .asked(let challenge) = try await auth.begin(.signIn(.device), with: "oauth") else { return }
            _ = try await auth.answer(.poll, to: challenge.id)
        case .token:
            _ = try await auth.signIn(with: "oauth", .ticket(service.grantElsewhere(in: browser)))
        case .sameToken:
            let stored = service.grants.last { $0.isAlive }?.refresh ?? ""
            _ = try await auth.signIn(with: "oauth", .ticket(Secret(stored)))
        case .program: _ = try await auth.signIn(with: "oauth", .clientCredentials)
        }
    }
}
