import Latchkey
import LatchkeyCrypto
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyTesting

/// A service that turns hostile, and an honest one that it uses: both know the same client.
struct HostileService {
    let service: FaultyService
    let victim: DevServer

    init() throws {
        service = try FaultyService()
        var configuration = DevServer.Configuration(port: 0, autoApprove: true)
        configuration.signing = .es256
        configuration.clients = [
            DevServer.Client(
                id: "dev-native", redirectURIs: ["http://127.0.0.1/callback"],
                grants: [.authorizationCode, .refreshToken])
        ]
        victim = try DevServer(configuration)
    }

    func stop() {
        service.server.stop()
        victim.stop()
    }

    /// From here on; `nil` ends it.
    func play(_ attack: DevServer.Attack?) -> Bool {
        service.server.configure { [issuer = victim.issuer] in
            $0.attack = attack
            $0.victim = issuer
        }
    }

    /// How many requests came to the token endpoint.
    var exchanges: Int { service.server.log().count { $0.endpoint == .token } }

    /// Whether no code, token or form came to the honest service.
    var isVictimUntouched: Bool { victim.log().allSatisfy { $0.endpoint == .authorize } }

    /// A browser that follows from one service to the other, until it is back at `redirect`.
    func browser(at redirect: String = "http://127.0.0.1:7777/callback") -> ScriptedBrowser {
        ScriptedBrowser(redirect: redirect) { [transport = service.transport] url in
            var address = url
            for _ in 0..<5 {
                let response = try await transport.send(TransportRequest("GET", address), deadline: .seconds(10))
                address = response.fields["Location"] ?? ""
                if WebAddress(address)?.path != "/authorize" { break }
            }
            return address
        }
    }

    /// An authorization request of the attacker's own, so that there is a code of another request to inject.
    func stealCode() async throws {
        let query = [
            "response_type=code", "client_id=dev-native", "redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback",
            "scope=openid", "state=a", "nonce=of-the-attacker", "code_challenge_method=S256",
            "code_challenge=" + Base64URL.encode(SecureRandom.bytes(32)),
        ]
        let address = "\(service.server.issuer)/authorize?\(query.joined(separator: "&"))"
        _ = try await service.transport.send(TransportRequest("GET", address), deadline: .seconds(10))
    }
}
