import FoundationEssentials
import Latchkey
import LatchkeyJSON
import LatchkeyOAuthCore
import LatchkeyTesting
import Testing

@testable import LatchkeyOAuth

@Suite("Recorded device sign-ins")
struct RecordedDeviceTests {
    struct Begin: Sendable, CustomTestStringConvertible {
        var server: Server
        var userCode: String
        var complete: Bool
        var interval: Duration
        var lasts: Double
        var testDescription: String { server.rawValue }
    }

    static let begins = [
        Begin(server: .glewlwyd, userCode: "7FYW-2UEH", complete: true, interval: .seconds(5), lasts: 600),
        Begin(server: .djangoOAuthToolkit, userCode: "NSBQ3K41", complete: false, interval: .seconds(5), lasts: 1_800),
        Begin(server: .oidcProvider, userCode: "VJPT-BQDD", complete: true, interval: .seconds(5), lasts: 300),
        Begin(server: .keycloak, userCode: "IBRQ-WKIG", complete: true, interval: .seconds(2), lasts: 120),
    ]

    private func begin(_ server: Server, _ exchange: Exchange) async throws -> (OAuthProvider, Stage, Challenge) {
        let provider = server.provider(for: exchange.form["client_id"] ?? "")
        let stage = try Stage.of(server, [exchange])
        var options = SignInOptions()
        options.scopes = (exchange.form["scope"] ?? "").split(separator: " ").map(String.init)
        guard case .asked(let challenge) = try await provider.begin(.signIn(.device), options, in: stage.context) else {
            throw Missing()
        }
        return (provider, stage, challenge)
    }

    @Test("a recorded answer becomes a code to show", arguments: begins)
    func shown(_ row: Begin) async throws {
        let exchange = try row.server.exchange("device authorization")
        let (_, stage, challenge) = try await begin(row.server, exchange)
        guard case .device(let device) = challenge.ask else { throw Missing() }
        #expect(device.userCode == row.userCode && device.interval == row.interval)
        #expect((device.complete != nil) == row.complete)
        #expect(try device.at == exchange.member("verification_uri")?.string)
        #expect(challenge.expiresAt == stage.clock.wall().addingTimeInterval(row.lasts))
        #expect(!"\(challenge.state)".contains(try exchange.member("device_code")?.string ?? ""))
    }

    @Test(
        "each required member that is missing is named",
        arguments: ["device_code", "user_code", "verification_uri", "expires_in"])
    func missing(_ member: String) async throws {
        for server in Server.allCases {
            let exchange = try server.exchange("device authorization").without(member)
            let error = try await trouble { _ = try await begin(server, exchange) }
            #expect(error.code == .untrusted(.malformed) && error.message == "The device answer has no `\(member)`.")
        }
    }

    typealias Poll = RecordedRow<Outcome>

    enum Outcome: Sendable, Equatable {
        case again(Duration)
        case signedIn(String?)
        case over(AuthError.Code)
    }

    static let polls: [Poll] = [
        Poll(.glewlwyd, "device poll pending", .again(.seconds(5))),
        Poll(.glewlwyd, "device poll slow_down", .again(.seconds(10))),
        Poll(.glewlwyd, "device poll unknown code", .over(.declined)),
        Poll(.djangoOAuthToolkit, "device poll pending", .again(.seconds(5))),
        Poll(.djangoOAuthToolkit, "device poll unknown code", .over(.refused(.other))),
        Poll(.oidcProvider, "device poll pending", .again(.seconds(5))),
        Poll(.oidcProvider, "device poll after approval", .signedIn("user1")),
        Poll(.oidcProvider, "device_code used a second time", .over(.refused(.expired))),
        Poll(.oidcProvider, "device poll denied on the confirmation page", .over(.declined)),
        Poll(.oidcProvider, "device poll 2 s after expiry", .over(.refused(.expired))),
        Poll(.oidcProvider, "device poll 20 s after expiry: the code is forgotten", .over(.refused(.expired))),
        Poll(.keycloak, "device poll pending", .again(.seconds(5))),
        Poll(.keycloak, "device poll after approval", .signedIn("3aae47e9-e6c4-4fc5-ba37-2a341c0acccd")),
        Poll(.keycloak, "device poll denied", .over(.declined)),
        Poll(.keycloak, "device poll after expiry", .over(.refused(.expired))),
    ]

    private func challenge(
        _ provider: OAuthProvider, _ exchange: Exchange, interval: Duration = .seconds(5)
    ) -> Challenge {
        let state = DeviceState(
            deviceCode: Secret(exchange.form["device_code"] ?? ""), interval: .seconds(5), scopes: ["openid"])
        return Challenge(
            id: "x", binding: provider.rules.binding,
            ask: .device(Ask.Device(userCode: "u", at: "https://x", interval: interval)), state: state.json)
    }

    @Test("each recorded poll has one meaning", arguments: polls)
    func judged(_ row: Poll) async throws {
        let exchange = try row.server.exchange(row.exchange)
        var provider = row.server.provider(for: exchange.form["client_id"] ?? "")
        provider.asksUserInfo = false
        let stage = try Stage.of(row.server, [exchange])
        do {
            let turn = try await provider.answer(.poll, to: challenge(provider, exchange), in: stage.context)
            switch turn {
            case .asked(let next):
                guard case .device(let device) = next.ask else { throw Missing() }
                #expect(row.outcome == .again(device.interval) && device.userCode == "u")
            case .signedIn(let grant):
                #expect(row.outcome == .signedIn(grant.sessions.first?.state["claims"]?["sub"]?.string))
                #expect(try grant.refreshToken == exchange.member("refresh_token")?.string.map { Secret($0) })
            case .continuesElsewhere: throw Missing()
            }
        } catch let error as AuthError {
            #expect(row.outcome == .over(error.code))
        }
    }

    @Test("faults only make the next wait longer, slow_down for good, and the first clear answer ends the faults")
    func backoff() async throws {
        let exchange = try Server.keycloak.exchange("device poll pending")
        let provider = Server.keycloak.provider(for: "dev1")
        let stage = try Stage.of(.keycloak, [exchange])
        func interval(after challenge: inout Challenge) async throws -> Duration {
            guard case .asked(let next) = try await provider.answer(.poll, to: challenge, in: stage.context),
                case .device(let device) = next.ask
            else { throw Missing() }
            challenge = next
            return device.interval
        }
        var challenge = challenge(provider, exchange)
        stage.transport.fail(exchange.url, with: TransportError(.timedOut, wasSent: true))
        for expected in [10, 20, 40, 60, 60] { #expect(try await interval(after: &challenge) == .seconds(expected)) }
        stage.transport.fail(exchange.url, with: nil)
        #expect(try await interval(after: &challenge) == .seconds(5))
        var slower = exchange
        slower.response = try Server.keycloak.exchange("device poll again at once: slow_down").response
        let standing = try ["discovery", "jwks"].map(Server.keycloak.exchange)
        stage.transport.replace([slower] + standing)
        #expect(try await interval(after: &challenge) == .seconds(10))
        #expect(try await interval(after: &challenge) == .seconds(15))
        stage.transport.replace([exchange] + standing)
        #expect(try await interval(after: &challenge) == .seconds(15))
        slower.response = TransportResponse(status: 503, fields: ["Retry-After": "90"])
        stage.transport.replace([slower] + standing)
        #expect(try await interval(after: &challenge) == .seconds(90))
    }

    @Test("the keys are asked for when the tokens have come; if they cannot be had, the sign-in fails and says so")
    func keysAfterwards() async throws {
        let exchange = try Server.keycloak.exchange("device poll after approval")
        let provider = Server.keycloak.provider(for: "dev1")
        let stage = try Stage.of(.keycloak, [exchange])
        stage.transport.fail(
            try Server.keycloak.exchange("jwks").url, with: TransportError(.unreachable, wasSent: false))
        await #expect(throws: TransportError.self) {
            _ = try await provider.answer(.poll, to: challenge(provider, exchange), in: stage.context)
        }
        #expect(stage.transport.count("/token") == 1)
        let pending = try Server.keycloak.exchange("device poll pending")
        let waiting = try Stage.of(.keycloak, [pending])
        _ = try await provider.answer(.poll, to: challenge(provider, pending), in: waiting.context)
        #expect(waiting.transport.count("/certs") == 0 && waiting.transport.count("/jwks") == 0)
    }

    @Test("a service without a device endpoint, and a client it does not know, are told apart")
    func refusedBegin() async throws {
        let provider = OAuthProvider(issuer: Server.djangoOAuthToolkit.issuer, clientID: "dev1")
        let stage = try Stage.of(.djangoOAuthToolkit, [])
        let error = try await trouble {
            _ = try await provider.begin(.signIn(.device), SignInOptions(), in: stage.context)
        }
        #expect(error.code == .configuration(.unsupported))
        let unknown = try Server.oidcProvider.exchange("device authorization, unknown client")
        let refused = try await trouble { _ = try await begin(.oidcProvider, unknown) }
        #expect(refused.code == .configuration(.clientRefused))
        let pkce = try Server.keycloak.exchange("device authorization without PKCE, client with a PKCE policy")
        #expect(try await trouble { _ = try await begin(.keycloak, pkce) }.code == .configuration(.invalid))
    }
}
