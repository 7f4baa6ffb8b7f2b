import Latchkey
import LatchkeySystem

/// How one redirect ended: the page that its browser waits for.
final class Ending: Sendable {
    private struct State {
        var page: Page?
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var number = 0
        /// Whether a browser was told to come back for the page, and has not come yet.
        var isOwed = false
    }

    private let state = Locked(State())

    /// The page; `nil` while the sign-in goes on.
    var page: Page? { state.withLock { $0.page } }

    /// Sets the page. The first one counts.
    func settle(_ page: Page) {
        let waiting = state.withLock { state in
            guard state.page == nil else { return [CheckedContinuation<Void, Never>]() }
            state.page = page
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for one in waiting { one.resume() }
    }

    /// Waits for the page, at most for `limit`; `nil` if it is not there then, or the task was cancelled.
    func page(within limit: Duration, by clock: any AuthClock) async -> Page? {
        let end = clock.now() + limit
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.settled() }
            group.addTask { try? await clock.sleep(until: end) }
            await group.next()
            group.cancelAll()
        }
        return page
    }

    /// Notes that a browser comes back for the page later; `false` if one was to come already.
    func owe() -> Bool {
        state.withLock { state in
            defer { state.isOwed = true }
            return !state.isOwed
        }
    }

    /// Notes that a browser has come back; `false` if none was to come.
    func redeem() -> Bool {
        state.withLock { state in
            defer { state.isOwed = false }
            return state.isOwed
        }
    }

    /// Returns when the page is there, or the task is cancelled.
    private func settled() async {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    // Under the lock, a cancellation is either seen here or finds the continuation.
                    guard state.page == nil, !Task.isCancelled else { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
