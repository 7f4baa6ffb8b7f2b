import FoundationEssentials
import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyJSON
import LatchkeyTesting
import Testing

@testable import LatchkeyClerk

/// A provider, and a development server that it talks to over loopback.
struct Scene: Sendable {
    let server: DevServer
    var provider: ClerkProvider
    let transport: NotedTransport
    let world = PluginContext.system

    init(_ change: (inout DevServer.Clerk) -> Void = { _ in }) throws {
        var configuration = DevServer.Configuration()
        configuration.signing = .es256
        change(&configuration.clerk)
        server = try DevServer(configuration)
        transport = NotedTransport(CurlTransport(), keeping: server)
        provider = .clerk(publishableKey: configuration.clerk.publishableKey, proxyURL: server.clerkURL)
    }

    var context: ProviderContext { ProviderContext(world: world, transport: transport, cache: KeepingCache()) }

    static let ada = "ada+clerk_test@example.test"
    static let grace = "grace+clerk_test@example.test"
    static let ofAda = SignInRequest.signIn(.password(identifier: ada, Secret("ada-password")))
    static let ofGrace = SignInRequest.signIn(.password(identifier: grace, Secret("grace-password")))

    /// What Grace's authenticator app shows.
    static var appCode: Secret {
        Secret(DevServer.TOTP.code(secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", at: Date().timeIntervalSince1970) ?? "")
    }

    func begin(_ request: SignInRequest, _ options: SignInOptions = SignInOptions()) async throws -> Turn {
        try await provider.begin(request, options, in: context)
    }

    func answer(_ answer: Answer, _ turn: Turn) async throws -> Turn {
        try await provider.answer(answer, to: turn.challenge(), in: context)
    }

    /// Ada, signed in.
    func credential() async throws -> Credential { try await begin(Self.ofAda).credential() }

    func mint(_ audience: Audience = .standard, of credential: Credential) async throws -> CredentialChange {
        try await provider.refresh(
            credential, for: TokenWant(session: credential.sessions[0].id, audience: audience), in: context)
    }
}

extension Turn {
    func challenge() throws -> Challenge {
        guard case .asked(let challenge) = self else { throw Missing() }
        return challenge
    }

    func grant() throws -> Grant {
        guard case .signedIn(let grant) = self else { throw Missing() }
        return grant
    }

    func credential() throws -> Credential {
        let grant = try grant()
        return Credential(
            id: .init("c"), binding: ProviderBinding(provider: "clerk", authority: "", client: ""),
            refreshToken: grant.refreshToken, sessions: grant.sessions, state: grant.state)
    }
}

/// Nothing was there, where something should have been.
struct Missing: Error {}
