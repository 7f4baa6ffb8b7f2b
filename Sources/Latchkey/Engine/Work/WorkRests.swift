import LatchkeySystem

/// Until when work of an account rests, because a piece of it could not be done.
final class WorkRests: Sendable {
    private struct Rest {
        var failures = 0
        var until: MonotonicInstant
        /// The part of it that a service has asked for.
        var asked: MonotonicInstant
    }

    private let rests = Locked<[AccountID: Rest]>([:])

    /// Until when nothing is to be sent for `account`; `nil` if nothing went wrong.
    func until(_ account: AccountID) -> MonotonicInstant? { rests.withLock { $0[account]?.until } }

    /// Work failed. Those that were under way together fail together, which counts once.
    ///
    /// - Parameters:
    ///   - least: What the service said.
    ///   - pause: Returns the pause after so many failures in a row.
    func begin(
        _ account: AccountID, at now: MonotonicInstant, after least: Duration, _ pause: (Int) -> Duration
    ) {
        rests.withLock { rests in
            var rest = rests[account] ?? Rest(until: now, asked: now)
            if now >= rest.until {
                rest.failures += 1
                rest.until = now + pause(rest.failures)
            }
            rest.asked = max(rest.asked, now + least)
            rest.until = max(rest.until, rest.asked)
            rests[account] = rest
        }
    }

    /// The service is there again: nothing but what it asked for keeps from working.
    func lift(_ account: AccountID) {
        rests.withLock { rests in
            guard let rest = rests[account] else { return }
            rests[account]?.until = rest.asked
        }
    }

    /// Work succeeded. What a service has said of the time before that still holds.
    func end(_ account: AccountID, at now: MonotonicInstant) {
        rests.withLock { rests in
            guard let rest = rests[account], now >= rest.until else { return }
            rests[account] = nil
        }
    }
}
