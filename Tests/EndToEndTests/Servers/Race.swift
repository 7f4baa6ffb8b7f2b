import Dispatch
import Glibc
import Latchkey

/// Eight processes that share a session and ask, all at one instant, for a token newer than the one they hold; round
/// after round, at a real server behind a proxy that counts.
struct Race<User: Person>: Sendable {
    let app: ServedApp<User>
    /// Where the server tells about the person, and where it gives tokens, below its issuer.
    var userInfo = "/userinfo"
    var token = "/token"
    /// What the app asked for, with commas between; `nil`: what it asks for by itself.
    var scopes: String?
    /// Whether the processes use the store as it is; otherwise without its lane and its compare-and-swap.
    var isProtected = true

    static var processes: Int { 8 }

    /// How many rounds: what the environment says, or twenty.
    static var rounds: Int {
        getenv("LATCHKEY_RACE_ROUNDS").flatMap { Int(String(cString: $0)) }.map { max(1, $0) } ?? 20
    }

    func run() async throws -> RaceReport {
        let proxy = try CountingProxy(before: app.server.issuer)
        var report = RaceReport(rounds: Self.rounds, processes: Self.processes)
        let members = try (0..<Self.processes).map { _ in try member(by: proxy) }
        for _ in 0..<Self.rounds {
            let round = try await Self.blocking { try RaceRound.run(members) }
            report.take(round)
            // A process has what it asked for when the server takes it.
            for (token, count) in round.newer where try await isTaken(token) { report.ok += count }
        }
        report.take(proxy.count)
        report.login = try await fate(proxy.count)
        return report
    }

    private func member(by proxy: CountingProxy) throws -> HeldProcess {
        try HeldProcess(
            try Program.built("race-member").path,
            [
                app.server.issuer, "pub1", scopes ?? "-", proxy.origin, app.directory,
                isProtected ? "protected" : "unprotected",
            ])
    }

    private func isTaken(_ token: String) async throws -> Bool {
        try await app.userInfo(AccessToken(Secret(token)), at: userInfo).status == 200
    }

    /// What became of the login: one more refresh by a new process, and a request with what that brings.
    private func fate(_ count: CountingProxy.Count) async throws -> RaceReport.Login {
        if let token = try? await app.restarted().refresh(), try await isTaken(token.value.revealText()) {
            return .alive
        }
        // The server has the last word: the newest refresh token that it gave, sent once more.
        guard let newest = count.given.last else { return .dead }
        return try await app.spend(newest, client: "pub1", at: token) == 200 ? .lost : .dead
    }

    /// Does `work` on a thread that tasks do not run on.
    private static func blocking<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}

/// What a race showed. Its description is one line.
struct RaceReport: CustomStringConvertible, Sendable {
    /// What became of the login.
    enum Login: String, Sendable {
        /// It is refreshed once more, and the server takes what that brings.
        case alive
        /// The server refuses it.
        case dead
        /// The server would go on with it; the processes have thrown it away.
        case lost
    }

    let rounds: Int
    let processes: Int
    /// How many processes got a newer token that the server takes, over all rounds.
    var ok = 0
    /// The refresh requests on the wire.
    var refreshes = 0
    /// The most that were on the wire at once.
    var mostAtOnce = 0
    /// The most processes that waited for the lane at once.
    var maxWaiters = 0
    var login = Login.lost
    /// How far apart the processes began, at most, and how long the rounds took, in milliseconds.
    var spread = 0.0
    var took: [Double] = []
    /// What the processes without a token were told, and how often.
    var failures: [String: Int] = [:]

    mutating func take(_ round: RaceRound) {
        maxWaiters = max(maxWaiters, round.maxWaiters)
        spread = max(spread, round.spread)
        took.append(round.took)
        failures.merge(round.failures, uniquingKeysWith: +)
    }

    mutating func take(_ count: CountingProxy.Count) {
        (refreshes, mostAtOnce) = (count.refreshes, count.mostAtOnce)
    }

    var description: String {
        "rounds=\(rounds) processes=\(processes) ok=\(ok) refreshes=\(refreshes) max_waiters=\(maxWaiters) login=\(login)"
    }

    /// More about it, for whoever wonders.
    var details: String {
        let failed = failures.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        return "at_once=\(mostAtOnce) released_within=\(Int(spread.rounded(.up)))ms"
            + " longest_round=\(Int(took.max() ?? 0))ms all_rounds=\(Int(took.reduce(0, +)))ms\(failed)"
    }
}
