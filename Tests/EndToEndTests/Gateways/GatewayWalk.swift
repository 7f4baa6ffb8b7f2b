import Latchkey
import LatchkeyDevServer
import LatchkeyOAuth
import LatchkeyTesting

/// Walks through the places of OAuth with one answer, by a client that is signed in at a real server.
struct GatewayWalk {
    let service: FaultyService
    let gate: GatewaySwitch
    var report = GatewayReport()
    private var auth: AuthClient
    private var device: Challenge?
    private let provider: OAuthProvider

    init(_ service: FaultyService, _ gate: GatewaySwitch) throws {
        (self.service, self.gate) = (service, gate)
        auth = try service.process(through: gate)
        provider = OAuthProvider(issuer: service.server.issuer, clientID: "dev-device")
    }

    private var context: ProviderContext {
        ProviderContext(world: service.context, transport: gate, cache: KeepingCache())
    }

    /// Signs in.
    mutating func begin() async throws {
        _ = try await auth.signIn(with: "oauth", .browser(), asking: service.browser)
        let turn = try await provider.begin(.signIn(.device), SignInOptions(), in: context)
        if case .asked(let challenge) = turn { device = challenge }
    }

    mutating func walk(_ row: GatewayRow) async throws {
        try await refresh(row)
        await signIn(row)
        await others(row)
        try await endedToken(row)
        gate.stop { _ in true }
        for (place, error) in await GatewayPlaces(context: context).all() { report.note(row, at: place, error) }
        gate.open()
    }

    /// A refresh that a person asks for, and one that an app needs.
    private mutating func refresh(_ row: GatewayRow) async throws {
        for isForced in [true, false] {
            service.clock.advance(by: .seconds(301))
            gate.stop("/token")
            let auth = auth
            let error = await thrown { _ = try await isForced ? auth.refresh() : auth.accessToken() }
            report.note(row, at: "oauth refresh", error)
            gate.open()
            // As long as the first request may still arrive; and an app waits as long as the answer asks for, while a
            // person need not.
            service.clock.advance(by: .seconds(isForced ? 31 : max(31, row.wait + 1)))
            if let error = await thrown({
                _ = try await isForced ? auth.refresh(ignoresPause: true) : auth.accessToken()
            }) {
                report.block(row, at: "oauth refresh", "\(error)")
                if try await service.process().accounts().isEmpty { report.lose(row, at: "oauth refresh") }
                self.auth = try service.process(through: gate)
                try await begin()
            }
        }
    }

    private mutating func signIn(_ row: GatewayRow) async {
        for (place, path) in [
            ("oauth discovery", "/.well-known/"), ("oauth keys", "/jwks"), ("oauth code exchange", "/token"),
        ] {
            gate.stop { WebAddress($0.url)?.path.hasPrefix(path) == true }
            let (service, gate) = (service, gate)
            // A short pause is waited for before a code is sent again.
            let time = service.clock.passing()
            defer { time.cancel() }
            let error = await thrown {
                try await service.process(through: gate)
                    .signIn(with: "oauth", .browser(), asking: service.browser)
            }
            report.note(row, at: place, error)
            gate.open()
        }
    }

    private mutating func others(_ row: GatewayRow) async {
        let (context, provider, auth) = (context, provider, auth)
        gate.stop("/userinfo")
        report.note(row, at: "oauth userinfo", await thrown { try await auth.oauth().refreshClaims() })
        gate.stop("/device_authorization")
        report.note(
            row, at: "oauth device",
            await thrown { try await provider.begin(.signIn(.device), SignInOptions(), in: context) })
        gate.stop("/token")
        if let device {
            report.note(
                row, at: "oauth poll", await thrown { try await provider.answer(.poll, to: device, in: context) })
        }
        gate.stop("/revoke")
        let credential = Credential(
            id: Credential.ID("c"), binding: provider.rules.binding, refreshToken: Secret("refresh-token"), sessions: []
        )
        report.note(
            row, at: "oauth revocation", await thrown { try await provider.revoke(Revocation(credential), in: context) }
        )
        gate.open()
    }

    /// The service ends the session, a gateway answers first, and then the service is asked.
    private mutating func endedToken(_ row: GatewayRow) async throws {
        service.server.revoke(subject: "user-ada")
        service.clock.advance(by: .seconds(301))
        gate.stop("/token")
        let auth = auth
        report.note(row, at: "oauth ended token", await thrown { _ = try await auth.accessToken() })
        gate.open()
        service.clock.advance(by: .seconds(max(31, row.wait + 1)))
        let told = await outcome { try await auth.accessToken() }
        if !told.hasPrefix("signInRequired.") { report.block(row, at: "oauth ended token", told) }
        _ = try await auth.signIn(with: "oauth", .browser(), asking: service.browser)
    }
}
