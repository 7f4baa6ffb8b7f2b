import CBench
import Latchkey
import LatchkeyCurl
import LatchkeyTesting

/// Measures many callers that find the token expired.
enum CrowdRows {
    /// The time of a service in the same town, network included, in microseconds.
    static let serviceTime: UInt32 = 20_000

    static func expired() async throws -> Row {
        let port = cb_server_start(1_024, serviceTime)
        guard port != 0 else { throw BenchError.failed("the server does not start") }
        let transport = CurlTransport()
        let service = RemoteService(url: "http://127.0.0.1:\(port)/token")
        let clock = ManualClock()
        var world = PluginContext.system
        world.clock = clock
        let context = world
        var settings = EngineSettings()
        settings.refresh = .onDemand
        let auth = try AuthClient.Builder().provider(service).transport(transport).context(context).settings(settings)
            .build()
        _ = try await auth.signIn(with: "bench", .anonymous)
        var requests: [UInt64] = []
        let times = try await Comparison(
            pairs: 51, of: .count(1),
            ours: { _ in
                clock.advance(by: .seconds(7_200))
                let before = cb_server_answered()
                // Separate tasks, as callers are: a group's bookkeeping grows with the square of its children.
                let callers = (0..<1_000).map { _ in Task { _ = try await auth.accessToken() } }
                for caller in callers { try await caller.value }
                requests.append(cb_server_answered() - before)
            },
            reference: { _ in _ = try await transport.send(service.request, deadline: .seconds(10)) })
        var row = Row("expired-1000", times, limit: 1.5)
        let most = requests.max() ?? 0
        row.ours += ",\(most)request" + (most == 1 ? "" : "s")
        row.limit += ",1request"
        row.isWithin = row.isWithin && requests.allSatisfy { $0 == 1 }
        return row
    }
}

/// A service with one request for a refresh.
struct RemoteService: AuthProvider {
    let local = Service()
    let request: TransportRequest

    var rules: ProviderRules { local.rules }

    init(url: String) {
        request = TransportRequest(
            "POST", url, fields: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array("grant_type=refresh_token&refresh_token=abc".utf8))
    }

    func begin(_ request: SignInRequest, _ options: SignInOptions, in context: ProviderContext) async throws -> Turn {
        try await local.begin(request, options, in: context)
    }

    func answer(_ answer: Answer, to challenge: Challenge, in context: ProviderContext) async throws -> Turn {
        try await local.answer(answer, to: challenge, in: context)
    }

    func refresh(_ credential: Credential, for want: TokenWant, in context: ProviderContext) async throws
        -> CredentialChange
    {
        _ = try await context.transport.send(request, deadline: .seconds(10))
        return try await local.refresh(credential, for: want, in: context)
    }
}
