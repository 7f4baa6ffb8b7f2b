import FoundationEssentials
import Latchkey
import LatchkeyJSON

/// The number of wrong tries in a row, and the time of the next one.
struct AttemptCount: Hashable, Sendable {
    /// A time by two clocks.
    struct Moment: Hashable, Sendable {
        /// The time by the monotonic clock, which counts from the start of the machine and cannot be set.
        var instant: MonotonicInstant
        /// The boot in which that clock counts.
        var boot: String
        /// The time by the wall clock, in seconds since 1970, for use after the next boot.
        var wall: Int64

        init(instant: MonotonicInstant, boot: String, wall: Int64) {
            (self.instant, self.boot, self.wall) = (instant, boot, wall)
        }

        /// Creates the moment that is `wait` later than now.
        init(_ clock: any AuthClock, after wait: Duration) {
            instant = clock.now() + wait
            boot = clock.boot
            let (seconds, rest) = wait.components
            wall = Int64(clock.wall().timeIntervalSince1970.rounded(.up)) + seconds + (rest > 0 ? 1 : 0)
        }

        /// Returns the time left until then, at most `longest`, the whole wait.
        ///
        /// After a reboot this goes by the wall clock, the only one that continues. That clock may have been ahead in the
        /// earlier boot, so it counts no longer than until this machine has run for the whole wait.
        func rest(by clock: any AuthClock, longest: Duration) -> Duration {
            guard clock.boot == boot else {
                let uptime = clock.now() - MonotonicInstant(nanoseconds: 0)
                // A double of many years is no duration.
                let byWall = min(Double(wall) - clock.wall().timeIntervalSince1970, longest.inSeconds)
                return byWall > 0 ? min(.seconds(byWall), longest - uptime) : .zero
            }
            return min(instant - clock.now(), longest)
        }

        /// Whether the moment is further away than a wait that began in this boot can be.
        func isBeyond(_ longest: Duration, by clock: any AuthClock) -> Bool {
            clock.boot == boot && instant - clock.now() > longest
        }
    }

    var failures: UInt32 = 0
    var until: Moment?
}

/// The file's format, JSON.
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
