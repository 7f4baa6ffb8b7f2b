public import Latchkey
import LatchkeySystem

/// The person at the keyboard, whom ``UnlockContract`` tells what to type.
public final class Typist: Sendable {
    /// What the person does at a prompt.
    enum Deed: Sendable {
        /// Types this.
        case types(Secret)
        /// Types this after so long, by the clock.
        case typesAfter(Duration, Secret)
        /// Says no.
        case declines
        /// Does nothing until the task is cancelled.
        case waits
        /// Does not notice that the task is cancelled, and types this once the latch is open.
        case typesLate(Secret, Latch)
        /// The prompt itself fails.
        case fails(AuthError)
    }

    private let state = Locked((deed: Deed.declines, reasons: [String](), closed: 0))
    private let prompts = Tally()
    private let clock: any AuthClock

    init(_ clock: any AuthClock) { self.clock = clock }

    /// Shows a prompt with this reason. Returns what the person types; `nil` for a no.
    public func type(_ reason: String) async throws -> Secret? {
        let deed = state.withLock { state in
            state.reasons.append(reason)
            return state.deed
        }
        prompts.add()
        switch deed {
        case .types(let secret): return secret
        case .typesAfter(let pause, let secret):
            try await clock.sleep(until: clock.now() + pause)
            return secret
        case .declines: return nil
        case .fails(let error): throw error
        case .typesLate(let secret, let latch):
            // As a screen that was not told to go away.
            await Task.detached { _ = try? await latch.wait() }.value
            return secret
        case .waits:
            defer { state.withLock { $0.closed += 1 } }
            try await Latch().wait()
            return nil
        }
    }

    /// Sets what the person does from now on.
    func will(_ deed: Deed) { state.withLock { $0.deed = deed } }

    /// The reasons that the prompts gave, in order.
    var reasons: [String] { state.withLock { $0.reasons } }

    /// The number of prompts that waited and were closed.
    var closed: Int { state.withLock { $0.closed } }

    /// Returns when there were this many prompts.
    func wait(for count: Int) async throws { try await prompts.wait(for: count) }
}
