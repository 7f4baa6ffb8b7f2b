import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("The provider within a client")
struct ClientTests {
    /// A program that has signed in with its own credentials, by the recorded exchange.
    private func signedInProgram() async throws -> (Exchange, Stage, AuthClient) {
        let exchange = try Server.oidcProvider.exchange("client credentials")
        let stage = try Stage.of(.oidcProvider, [exchange])
        let auth = try AuthClient.Builder()
            .provider(
                .oauthService(
                    issuer: Server.oidcProvider.issuer, clientID: "cc1", authentication: .basic(Secret("cc-secret")))
            )
            .transport(stage.transport).context(stage.context.world).build()
        _ = try await auth.signIn(with: "oauth", .clientCredentials, asking: ScriptedPresenter())
        return (exchange, stage, auth)
    }

    @Test("a program signs in, and its token is asked for again when it ends")
    func service() async throws {
        let (exchange, stage, auth) = try await signedInProgram()
        #expect(try await auth.accessToken().value == exchange.member("access_token")?.string.map { Secret($0) })
        #expect(stage.transport.count("/token") == 1)
        var body = try #require(try JSON.parse(exchange.response.body).object)
        body["access_token"] = "second"
        let discovery = try Server.oidcProvider.exchange("discovery")
        stage.transport.replace([exchange.with(body: .object(body)), discovery])
        stage.clock.advance(by: .seconds(70))
        #expect(try await auth.accessToken().value == Secret("second"))
        #expect(stage.transport.count("/token") == 2)
    }

    @Test("what comes up before a refresh token leaves is told as it is")
    func notSent() async throws {
        let (_, stage, auth) = try await signedInProgram()
        let error = await #expect(throws: AuthError.self) {
            _ = try await auth.accessToken(for: "https://not-asked-for.example")
        }
        #expect(error?.code == .refused(.scope))
        #expect(stage.transport.count("/token") == 1)
    }

    @Test("the builder refuses a wrong configuration")
    func wrong() {
        #expect(throws: AuthError.self) {
            _ = try AuthClient.Builder().provider(.oauth(issuer: "https://id.example", clientID: ""))
                .transport(Replay([])).build()
        }
    }
}
