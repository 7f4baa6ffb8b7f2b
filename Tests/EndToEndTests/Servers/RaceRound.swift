import Latchkey

/// One round of a race: what each process held, got, and waited for.
struct RaceRound: Sendable {
    /// When a process asked for the lane, got it and let it go, in nanoseconds since boot.
    private struct Wait {
        var asked: Int64
        var taken: Int64
        var released: Int64
    }

    /// The tokens that are newer than what their process held, and how many processes got each.
    private(set) var newer: [String: Int] = [:]
    /// The codes that processes without a newer token ended with.
    private(set) var failures: [String: Int] = [:]
    private(set) var spread = 0.0
    private(set) var took = 0.0
    private var waits: [Wait] = []

    /// Lets `members` go at one instant. Blocks the thread.
    static func run(_ members: [HeldProcess]) throws -> RaceRound {
        var round = RaceRound()
        for member in members { member.tell("hold") }
        let held = try members.map { try hear($0) }
        let clock = SystemClock()
        let start = clock.now() + .milliseconds(30)
        for member in members { member.tell("race \(start.nanoseconds)") }
        let answers = try members.map { try hear($0) }
        round.took = Double((clock.now() - start) / .microseconds(1)) / 1000
        var late: [Double] = []
        for (answer, held) in zip(answers, held) {
            guard answer.count == 4 else { throw ServerFailure(description: "a process of the race is lost") }
            late.append((Double(answer[1]) ?? 0) / 1e6)
            round.waits += wait(answer[2])
            if answer[0] == "got", held.last != answer[3] {
                round.newer[answer[3], default: 0] += 1
            } else {
                round.failures[answer[0] == "got" ? "unchanged" : answer[3], default: 0] += 1
            }
        }
        round.spread = (late.max() ?? 0) - (late.min() ?? 0)
        return round
    }

    /// The most processes that waited at once while another held the lane.
    var maxWaiters: Int {
        waits.flatMap { [$0.asked, $0.taken] }.map { instant in
            waits.contains { $0.taken <= instant && instant < $0.released }
                ? waits.count { $0.asked <= instant && instant < $0.taken } : 0
        }.max() ?? 0
    }

    private static func hear(_ member: HeldProcess) throws -> [String] {
        guard let line = member.hear(within: 60) else {
            throw ServerFailure(description: "a process of the race does not answer")
        }
        return line.split(separator: " ").map(String.init)
    }

    private static func wait(_ text: String) -> [Wait] {
        text.split(separator: ",").compactMap { part in
            let times = part.split(separator: ":").compactMap { Int64($0) }
            return times.count == 3 ? Wait(asked: times[0], taken: times[1], released: times[2]) : nil
        }
    }
}
