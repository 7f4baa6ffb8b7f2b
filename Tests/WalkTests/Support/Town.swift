import FoundationEssentials
import Latchkey
import LatchkeyClerk
import LatchkeyCognito
import LatchkeyCurl
import LatchkeyDevServer
import LatchkeyOAuth
import LatchkeySupabase
import LatchkeyTesting

/// A service of one dialect, over real sockets where the development server speaks it, one clock for it and its
/// clients, and the clients.
final class Town: Sendable {
    /// The key of Grace's authenticator app.
    static let key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    /// Where the browser comes back to.
    static let redirect = "http://127.0.0.1:7777/callback"

    let dialect: Dialect
    let clock = ManualClock()
    let server: DevServer
    let wire: Wire
    /// Whether people sign in by another device.
    private let isDevice: Bool
    private let browser = CurlTransport()

    init(
        _ dialect: Dialect, demandsApp: Bool = false, isDevice: Bool = false,
        _ change: (inout DevServer.Configuration) -> Void = { _ in }
    ) throws {
        (self.dialect, self.isDevice) = (dialect, isDevice)
        var configuration = DevServer.Configuration(autoApprove: !isDevice)
        configuration.signing = .es256
        configuration.now = { [clock] in clock.wall().timeIntervalSince1970 }
        configuration.supabase.users = [.ada, .grace].map {
            .init(email: dialect.address($0), password: dialect.password($0))
        }
        change(&configuration)
        server = try DevServer(configuration)
        let pool = CognitoPool(clock: clock, key: Self.key, demandsApp: demandsApp)
        wire = dialect == .cognito ? Wire(pool) : Wire(CurlTransport())
    }

    func stop() { server.stop() }

    /// A client over `store`: a launch of the app.
    func client(_ store: some SessionStore, seed: UInt64 = 1) throws -> AuthClient {
        var settings = EngineSettings()
        settings.refresh = .onDemand
        // So that moving the clock for one thing does not end another that is under way.
        settings.requestDeadline = .seconds(86_400)
        settings.challengeLifetime = .seconds(86_400)
        return try client(store, seed: seed, through: wire, settings)
    }

    /// The same, with settings of its own, through `transport`.
    func client(
        _ store: some SessionStore, seed: UInt64, through transport: some HTTPTransport, _ settings: EngineSettings
    ) throws -> AuthClient {
        let context = PluginContext.testing(clock: clock, seed: seed)
        let builder = AuthClient.Builder().store(store).transport(transport).context(context).settings(settings)
        return try with(builder).build()
    }

    private func with(_ builder: AuthClient.Builder) -> AuthClient.Builder {
        switch dialect {
        case .supabase:
            builder.provider(
                .supabase(projectURL: server.supabaseURL, publishableKey: "sb_publishable_development"))
        case .clerk:
            builder.provider(
                .clerk(publishableKey: DevServer.Clerk().publishableKey, proxyURL: server.clerkURL))
        case .cognito: builder.provider(.cognito(userPool: CognitoPool.id, clientID: "client1"))
        case .oauth: builder.provider(.oauth(issuer: server.issuer, clientID: isDevice ? "dev-device" : "dev-native"))
        }
    }

    /// What the newest mail to `address` says.
    func code(_ address: String) -> String {
        switch dialect {
        case .supabase: server.inbox(of: address).last?.code ?? ""
        case .clerk: "424242"
        case .cognito, .oauth: CognitoPool.code
        }
    }

    /// What an authenticator app with `key` shows.
    func appCode(_ key: String = Town.key) -> String {
        DevServer.TOTP.code(secret: key, at: clock.wall().timeIntervalSince1970) ?? ""
    }

    /// Gives Grace an authenticator app at a service that does not give her one by itself.
    func enrol() async throws -> String {
        guard dialect == .supabase else { return Self.key }
        let phone = try client(MemoryStore(), seed: 99)
        _ = try await phone.signIn(
            with: dialect.provider, .password(identifier: dialect.address(.grace), Secret(dialect.password(.grace))))
        let handle = try phone.supabase()
        let begun = try await handle.enrollTOTP(name: "mine")
        let key = begun.secret?.revealText() ?? ""
        try await handle.verify(factor: begun.id, code: Secret(appCode(key)))
        // A code is good once, so the next one is wanted.
        clock.advance(by: .seconds(30))
        return key
    }

    /// Where a browser that opens `url` ends up, outside of the service.
    func browse(_ url: String) async throws -> String {
        var address = url
        for _ in 0..<8 where address.hasPrefix(server.issuer) {
            let response = try await browser.send(TransportRequest("GET", address), deadline: .seconds(5))
            guard let next = response.fields["Location"] else { throw Stuck() }
            address = next
        }
        return address
    }

    /// Moves the clock for whoever polls, until it is cancelled.
    func keepTime() -> Task<Void, Never> {
        guard isDevice else { return Task {} }
        return Task.detached { [clock] in
            for _ in 0..<100 {
                guard (try? await clock.waitForSleepers()) != nil else { return }
                clock.advance(by: .seconds(5))
                for _ in 0..<20_000 {
                    if Task.isCancelled { return }
                    await Task.yield()
                }
            }
        }
    }

    /// Returns `text` without what is drawn anew for each service: its port, proofs, and the codes of devices.
    func masked(_ text: String) -> String {
        text.replacing(issuer, with: "SERVICE")
            .replacing(/(state|nonce|code_challenge)=[^& ]+/) { "\($0.1)=…" }
            .replacing(/[A-Z]{4}-[A-Z]{4}/, with: "DEVICE-CODE")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/, with: "ID")
            .replacing(/user_[A-Za-z0-9]{20,}/, with: "ID")
    }

    private var issuer: String { server.issuer }

    /// A walk could not go on.
    struct Stuck: Error {
        var file: String
        var line: Int

        init(file: String = #fileID, line: Int = #line) { (self.file, self.line) = (file, line) }
    }
}
