import Latchkey
import LatchkeySystem

/// Counts the pages that are still to reach a browser, and waits until there are none.
final class Deliveries: Sendable {
    private struct State {
        var open = 0
        var isStopped = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            guard open == 0 || isStopped else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private let state = Locked(State())

    /// Notes that a page is to be sent.
    func begin() { state.withLock { $0.open += 1 } }

    /// Notes that a page was sent, or that its browser is gone.
    func end() {
        resume { $0.open -= 1 }
    }

    /// Notes that nothing is sent any more.
    func stop() {
        resume { $0.isStopped = true }
    }

    /// Returns when every page was sent. Stops waiting after `limit`, for a browser that is gone does not say so.
    func wait(atMost limit: Duration, by clock: any AuthClock) async {
        let isNeeded = state.withLock { $0.open > 0 && !$0.isStopped }
        guard isNeeded else { return }
        let end = clock.now() + limit
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.empty() }
            group.addTask {
                try? await clock.sleep(until: end)
                self.stop()
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func empty() async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                guard state.open > 0, !state.isStopped else { return true }
                state.waiting.append(continuation)
                return false
            }
            if goesOn { continuation.resume() }
        }
    }

    private func resume(after change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            return state.takeWaiting()
        }
        for one in waiting { one.resume() }
    }
}
