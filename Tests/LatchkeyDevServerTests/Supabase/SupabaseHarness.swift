import LatchkeyHTTPServer
import LatchkeyJSON
import LatchkeySystem
import Testing

@testable import LatchkeyDevServer

/// A server whose clock stands still until it is set, asked in its Supabase dialect without sockets.
final class SupabaseHarness: Sendable {
    let server: DevServer
    let time: Locked<Double>
    static let password = "correct horse 42 staple"

    init(_ change: (inout DevServer.Supabase) -> Void = { _ in }) throws {
        let time = Locked(1_795_000_000.0)
        var configuration = DevServer.Configuration()
        configuration.now = { time.withLock { $0 } }
        configuration.sleep = { _ in }
        configuration.signing = .es256
        configuration.supabase.users = []
        configuration.supabase.publishableKey = nil
        change(&configuration.supabase)
        server = try DevServer(configuration)
        self.time = time
    }

    deinit { server.stop() }

    var now: Double { time.withLock { $0 } }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }

    func change(_ change: @Sendable (inout DevServer.Supabase) -> Void) {
        server.configure { change(&$0.supabase) }
    }

    /// Makes an account with a confirmed address.
    func user(_ email: String, password: String = SupabaseHarness.password, nickname: String? = nil) {
        let user = DevServer.SupabaseUser(email: email, password: password, nickname: nickname)
        server.state.withLock { state in
            state.supabase.now = time.withLock { $0 }
            state.supabase.seed(user)
        }
    }

    func send(
        _ method: String, _ target: String, _ body: JSON? = nil, raw: [UInt8]? = nil, bearer: String? = nil,
        fields: [(name: String, value: String)] = []
    ) async throws -> Answer {
        var all: [(name: String, value: String)] = [("Host", "127.0.0.1:\(server.port)")]
        if !fields.contains(where: { $0.name == "X-Supabase-Api-Version" }) {
            all.append(("X-Supabase-Api-Version", "2024-01-01"))
        }
        if body != nil { all.append(("Content-Type", "application/json")) }
        if let bearer { all.append(("Authorization", "Bearer \(bearer)")) }
        all += fields.filter { !$0.value.isEmpty }
        let request = try #require(
            ServerRequest(method, "/auth/v1\(target)", fields: all, body: raw ?? body?.serialized() ?? []))
        return Answer(try #require(await server.answer(request)))
    }

    func post(_ target: String, _ body: JSON, bearer: String? = nil) async throws -> Answer {
        try await send("POST", target, body, bearer: bearer)
    }

    func signIn(_ email: String, password: String = SupabaseHarness.password) async throws -> Answer {
        let answer = try await post(
            "/token?grant_type=password", ["email": .string(email), "password": .string(password)])
        try #require(answer.status == 200, "\(answer.text)")
        return answer
    }

    func refresh(_ token: String) async throws -> Answer {
        try await post("/token?grant_type=refresh_token", ["refresh_token": .string(token)])
    }

    func admin(_ method: String, _ target: String, _ body: JSON? = nil) async throws -> Answer {
        try await send(
            method, "/admin\(target)", body, bearer: server.supabaseLegacyKey(role: "service_role"))
    }

    /// The newest message to somebody.
    func newest(_ recipient: String) throws -> DevServer.SupabaseMessage {
        try #require(server.inbox(of: recipient).last, "nothing was sent to \(recipient)")
    }
}

extension Answer {
    var code: String? { json["code"]?.string }
    /// Parameters of the redirect's query and fragment.
    var landing: [String: String] {
        guard let location = field("Location") else { return [:] }
        var found: [String: String] = [:]
        let parts = location.split(separator: "#", maxSplits: 1)
        let query = parts[0].split(separator: "?", maxSplits: 1).dropFirst().first
        for text in [query, parts.dropFirst().first].compactMap(\.self) {
            for pair in FormPairs.decode(Array(text.utf8)) ?? [] { found[pair.name] = pair.value }
        }
        return found
    }
}
