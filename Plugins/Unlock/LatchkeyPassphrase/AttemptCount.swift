import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// How many wrong tries there were in a row, and when the next may be.
struct AttemptCount: Hashable, Sendable {
    /// An instant by both clocks.
    struct Moment: Hashable, Sendable {
        /// By the clock that nobody sets, which counts from the start of the machine.
        var instant: MonotonicInstant
        /// Which start that was.
        var boot: String
        /// By the wall clock, in seconds since 1970, for after the next start.
        var wall: Int64

        init(instant: MonotonicInstant, boot: String, wall: Int64) {
            (self.instant, self.boot, self.wall) = (instant, boot, wall)
        }

        /// The moment so much later than now.
        init(_ clock: any AuthClock, after wait: Duration) {
            instant = clock.now() + wait
            boot = clock.boot
            let (seconds, rest) = wait.components
            wall = Int64(clock.wall().timeIntervalSince1970.rounded(.up)) + seconds + (rest > 0 ? 1 : 0)
        }

        /// How long it is until then; after a restart by the wall clock, because there is no other.
        func rest(by clock: any AuthClock) -> Duration {
            guard clock.boot == boot else {
                return .seconds(Double(wall) - clock.wall().timeIntervalSince1970)
            }
            return instant - clock.now()
        }
    }

    var failures: UInt32 = 0
    var until: Moment?
}

/// On the disk: JSON.
extension AttemptCount {
    init?(_ bytes: [UInt8]) {
        do {
            let document = JSONField(try JSON.parse(bytes))
            guard try document["kind"].string() == "latchkey.tries" else { return nil }
            guard let failures = UInt32(exactly: try document["failures"].integer()) else { return nil }
            self.failures = failures
            if let instant = try document["until"].optional?.integer() {
                until = Moment(
                    instant: MonotonicInstant(nanoseconds: instant), boot: try document["boot"].string(),
                    wall: try document["wall"].integer())
            }
        } catch {
            return nil
        }
    }

    func bytes() -> [UInt8] {
        var members: [String: JSON] = ["kind": "latchkey.tries", "failures": .integer(Int64(failures))]
        if let until {
            members["until"] = .integer(until.instant.nanoseconds)
            members["boot"] = .string(until.boot)
            members["wall"] = .integer(until.wall)
        }
        return JSON.object(members).serialized()
    }
}
