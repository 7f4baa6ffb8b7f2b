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
        let members = try (0..<Self.processes).map { _ in
            try app.member(by: proxy, scopes: scopes, protection: protection)
        }
        for _ in 0..<rounds {
            let round = try await HeldProcess.blocking { try RaceRound.run(members) }
            report.take(round)
            // A process has what it asked for when the server takes it.
            for (token, count) in round.newer where try await isTaken(token) { report.ok += count }
        }
        report.take(proxy.count)
        report.login = try await app.fate(newest: proxy.count.given.last, userInfo: userInfo, token: token)
        return report
    }

    private func isTaken(_ token: String) async throws -> Bool {
        try await app.userInfo(AccessToken(Secret(token)), at: userInfo).status == 200
    }
}

/// What the processes have against one another, in the helper's words.
enum RaceProtection: String, Sendable {
    /// All that the store has.
    case full
    /// The same, and a refresh is given up when any other request would be.
    case hasty
    /// Its compare-and-swap; the lane is off.
    case noLock = "no-lane"
    /// Nothing: each process has its own copy, and the last writer wins.
    case none
}
