import Latchkey
import LatchkeyTesting
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A refresh is killed, or its answer is lost, at every moment; then somebody asks for a token. Each run is done twice:
/// with the rule, and as if nobody could tell that the sender has ended.
@Suite("kills in the middle of a refresh") struct KillTests {
    /// What happens.
    struct Run: Sendable {
        var kind: GraceService.Kind
        /// How long the service takes over the first request.
        var queue: Duration
        /// At which moment it is killed, in thousandths of all its steps; `nil`: the process lives, and loses its connection.
        var moment: Int?
        /// How long after that somebody asks.
        var later: Duration
        /// How many processes ask at once.
        var askers: Int
    }

    struct End: Sendable {
        var isKept: Bool
        var waited: Duration
        /// Whether a refresh that began a second after they asked would have kept the session.
        var wasAnswered: Bool
        /// Whether the service took longer over the first request than it had before.
        var isSlower: Bool
    }

    @Test(
        "where the service would have answered, the session is kept; and none is lost that was kept by waiting longer")
    func product() throws {
        let isWhole = getenv("LATCHKEY_KILLS") != nil
        let moments = isWhole ? 40 : 4
        let queues: [Duration] =
            isWhole
            ? [.milliseconds(20), .milliseconds(500), .seconds(2), .seconds(12), .seconds(30)]
            : [.milliseconds(20), .seconds(2)]
        var count = 0
        var lost = 0
        var needless = 0
        var anew = 0
        var slower = 0
        var gained = 0
        var waits: [Duration] = []
        for kind in GraceService.kinds {
            for queue in queues {
                for moment in [nil] + (0..<moments).map(Int?.some) {
                    for later in isWhole ? [0, 3, 8, 12] : [0, 3] {
                        for askers in moment == nil ? [1] : [1, 8] {
                            let run = Run(
                                kind: kind, queue: queue, moment: moment.map { $0 * 1_000 / moments },
                                later: .seconds(later), askers: askers)
                            let end = try KillStage(run, isTold: true).play()
                            // Nothing but the end of a process is told otherwise.
                            let before = moment == nil ? end : try KillStage(run, isTold: false).play()
                            count += 1
                            waits.append(end.waited)
                            if !end.isKept { lost += 1 }
                            if end.isKept, !before.isKept { gained += 1 }
                            if end.isSlower, !end.isKept, before.isKept { slower += 1 }
                            if !end.isKept, end.wasAnswered, !end.isSlower {
                                needless += 1
                                Issue.record("lost needlessly: \(run)")
                            }
                            if !end.isKept, before.isKept, !end.isSlower {
                                anew += 1
                                Issue.record("lost anew: \(run)")
                            }
                            if !end.isKept, before.isKept, kind.name == "strict" {
                                Issue.record("lost anew at a strict service: \(run)")
                            }
                        }
                    }
                }
            }
        }
        waits.sort()
        print(
            "kills: runs=\(count) lost=\(lost) lost_needlessly=\(needless) lost_anew=\(anew) lost_to_slow_service=\(slower)"
                + " gained=\(gained) wait_median=\(Self.text(waits[waits.count / 2])) wait_worst=\(Self.text(waits[waits.count - 1]))"
        )
    }

    private static func text(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
        return "\(milliseconds)ms"
    }
}
