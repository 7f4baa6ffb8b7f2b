import Latchkey
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyOAuth
import LatchkeyTesting
import Testing

@Suite struct ProviderContractTests {
    @Test("the OAuth provider keeps the provider's contract, at a real service over real sockets")
    func contract() async throws {
        let server = try DevServer(.init(port: 0, autoApprove: true))
        defer { server.stop() }
        let transport = CurlTransport()
        var options = SignInOptions()
        options.redirect = "http://127.0.0.1:7777/callback"
        let browser = ProviderContract<OAuthProvider>.Conversation(.signIn(.browser()), options: options) { challenge in
            guard case .visit(let url, _) = challenge.ask else { return .declined }
            let response = try await transport.send(TransportRequest("GET", url), deadline: .seconds(10))
            return .redirected(Secret(response.fields["Location"] ?? ""))
        }
        try await ProviderContract([browser]) {
            let world = PluginContext.system
            return .init(
                .oauth(issuer: server.issuer, clientID: "dev-native"),
                in: ProviderContext(world: world, transport: transport, cache: KeepingCache()))
        }
        .run()
    }
}
