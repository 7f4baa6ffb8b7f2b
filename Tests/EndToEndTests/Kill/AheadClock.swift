import FoundationEssentials
import Latchkey

/// The machine's clock, some time ahead: what a process of later sees, without waiting for it.
struct AheadClock: AuthClock {
    let ahead: Duration
    private let real = SystemClock()

    init(by ahead: Duration) { self.ahead = ahead }

    var boot: String { real.boot }

    func now() -> MonotonicInstant { real.now() + ahead }

    func wall() -> Date { real.wall().addingTimeInterval(Double(ahead.components.seconds)) }

    func sleep(until instant: MonotonicInstant) async throws { try await real.sleep(until: instant - ahead) }
}
