import Dispatch
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
    var protection = RaceProtection.full
    var rounds = RaceReport.wantedRounds

    static var processes: Int { 8 }

    func run() async throws -> RaceReport {
        let proxy = try CountingProxy(before: app.server.issuer)
        var report = RaceReport(rounds: rounds, processes: Self.processes)
        let members = try (0..<Self.processes).map { _ in try member(by: proxy) }
        for _ in 0..<rounds {
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
                protection.rawValue,
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

/// What the processes have against one another, in the helper's words.
enum RaceProtection: String, Sendable {
    /// All that the store has.
    case full
    /// Its compare-and-swap; the lane is off.
    case noLane = "no-lane"
    /// Nothing: each process has its own copy, and the last writer wins.
    case none
}
