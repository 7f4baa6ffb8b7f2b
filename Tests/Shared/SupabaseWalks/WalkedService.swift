import FoundationEssentials
import Latchkey
import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import LatchkeyTesting

@testable import LatchkeyDevServer

/// A dev server with one setting, by a clock that a walk moves, and what it knows.
final class WalkedService: Sendable {
    let setting: ServiceSetting
    let clock = ManualClock()
    let server: DevServer
    private let names = Locked(0)

    init(_ setting: ServiceSetting) throws {
        self.setting = setting
        var configuration = DevServer.Configuration(port: 0, autoApprove: true)
        configuration.signing = .es256
        configuration.now = { [clock] in clock.wall().timeIntervalSince1970 }
        setting.apply(to: &configuration.supabase)
        server = try DevServer(configuration)
    }

    /// Gives new sessions, and those that are refreshed, tokens of this generation.
    func give(_ generation: DevServer.Supabase.TokenGeneration) {
        server.state.withLock { $0.configuration.supabase.refreshTokens = generation }
    }

    func number() -> Int {
        names.withLock { number in
            number += 1
            return number
        }
    }

    /// Whether the service would continue a session if it were given its newest token.
    func accepts(_ session: String) -> Bool {
        server.state.withLock { state in
            state.supabase.settings = state.configuration.supabase
            state.supabase.now = server.now()
            guard let found = state.supabase.sessions[session], (try? state.supabase.holder(of: found)) != nil else {
                return false
            }
            guard found.generation == .v1, let current = found.current else { return true }
            return state.supabase.oldTokens[current]?.revokedAt == nil
        }
    }

    /// Whether a session is older than the service lets one become.
    func isOverTime(_ session: String) -> Bool {
        guard let limit = setting.timeBox else { return false }
        return server.state.withLock { state in
            guard let found = state.supabase.sessions[session] else { return false }
            return server.now() >= found.createdAt + limit
        }
    }

    func level(_ session: String) -> String? { server.state.withLock { $0.supabase.sessions[session]?.level } }

    func sessions(of mail: String) -> Set<String> { Set(server.supabaseSessions(of: mail).map(\.id)) }

    func hasPassword(_ mail: String, _ password: String) -> Bool {
        server.state.withLock { state in
            guard let kept = state.supabase.person(email: mail)?.password else { return false }
            return kept == state.supabase.digest(password)
        }
    }

    func wants(_ mail: String, _ address: String) -> Bool {
        server.state.withLock { state in
            state.supabase.person(email: address) != nil || state.supabase.person(email: mail)?.newEmail == address
        }
    }

    func identities(of mail: String) -> Int {
        server.state.withLock { $0.supabase.person(email: mail)?.identities.count ?? 0 }
    }

    /// The refresh token of another session, as another program would have it.
    func otherSession(_ mail: String, _ password: String) async -> String? {
        let body = JSON.object(["email": .string(mail), "password": .string(password)]).serialized()
        let fields = [
            (name: "Host", value: "127.0.0.1:\(server.port)"), (name: "apikey", value: "sb_publishable_development"),
            (name: "Content-Type", value: "application/json"),
        ]
        guard let request = ServerRequest("POST", "/auth/v1/token?grant_type=password", fields: fields, body: body)
        else { return nil }
        let answer = await server.answer(request)
        return (answer.flatMap { try? JSON.parse($0.body) })?["refresh_token"]?.string
    }
}
