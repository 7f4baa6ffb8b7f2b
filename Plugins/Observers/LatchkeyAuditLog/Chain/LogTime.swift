import FoundationEssentials
import Latchkey

/// A moment by the log's own clock, which nobody can set back.
///
/// A line's age must not depend on what somebody made the wall clock say. So each line carries how long the log has
/// existed: what the line before it says, and the time between the two. Within one boot that time is taken from the
/// clock that runs from boot and through sleep. Between two boots only the wall clock knows it; then it counts as at
/// least nothing, and as at most half of the age at which lines go. So no single wrong clock makes a line go that is
/// younger than half of its age, and no line stays longer than that age of running time.
struct LogTime: Sendable {
    /// Milliseconds by the log's own clock.
    var at: Int64
    /// Milliseconds since boot.
    var up: Int64
    /// The hash of the boot's name.
    var boot: String
    /// The wall clock; `nil` if it is not to be known.
    var wall: Date?

    /// What the machine's clocks say, before it is known how long the log has existed.
    struct Reading: Sendable {
        var up: Int64
        var boot: String
        var wall: Date

        init(_ clock: any AuthClock) {
            up = clock.now().nanoseconds / 1_000_000
            boot = clock.boot
            wall = clock.wall()
        }
    }

    /// The moment of `reading`, which came after `last`; `nil` if there is no line yet.
    init(_ reading: Reading, after last: LogTime?, age: Duration, _ keys: AuditKeys) {
        up = reading.up
        boot = keys.identifier(.boot, reading.boot)
        wall = reading.wall
        guard let last else {
            at = 0
            return
        }
        guard last.boot != boot else {
            at = last.at &+ max(0, up - last.up)
            return
        }
        let seconds = last.wall.map { reading.wall.timeIntervalSince($0) } ?? 0
        let most = age.milliseconds / 2
        // Compared before it is converted: a wall clock may say anything.
        let passed = seconds <= 0 ? 0 : seconds >= Double(most) / 1_000 ? most : Int64(seconds * 1_000)
        at = last.at &+ passed
    }

    init(at: Int64, up: Int64, boot: String, wall: Date?) {
        (self.at, self.up, self.boot, self.wall) = (at, up, boot, wall)
    }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
