import Glibc

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

    /// How many rounds: what the environment says, or twenty.
    static var wantedRounds: Int {
        getenv("LATCHKEY_RACE_ROUNDS").flatMap { Int(String(cString: $0)) }.map { max(1, $0) } ?? 20
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
