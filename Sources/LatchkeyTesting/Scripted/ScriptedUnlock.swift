public import Latchkey
import LatchkeySystem

/// An authenticator that answers from a script and counts its prompts. Without a script it grants every unlock.
public final class ScriptedUnlock: UnlockAuthenticator {
    /// The outcome of a prompt.
    public indirect enum Step: Sendable {
        /// Returns a grant.
        case granted
        /// Throws this error: `declined`, `refused(.wrongInput)`, `unlockUnavailable`.
        case failed(AuthError)
        /// Does the step after the latch is opened.
        case held(Latch, then: Step)
    }

    private let state = Locked((steps: [Step](), availability: UnlockAvailability.available, prompts: [UnlockPrompt]()))
    private let clock: any AuthClock
    private let prompted = Tally()

    /// Creates an authenticator whose grants are dated by `clock`.
    public init(clock: any AuthClock, _ steps: Step...) {
        self.clock = clock
        state.withLock { $0.steps = steps }
    }

    /// Adds the outcomes of the next prompts, in order.
    public func script(_ steps: Step...) { state.withLock { $0.steps += steps } }

    /// Sets what ``availability()`` returns.
    public func set(_ availability: UnlockAvailability) { state.withLock { $0.availability = availability } }

    /// How often the person was asked.
    public var promptCount: Int { prompted.count }

    /// The prompts that the person saw, in order.
    public var prompts: [UnlockPrompt] { state.withLock { $0.prompts } }

    /// Returns when the person has been asked at least `count` times.
    public func waitForPrompts(_ count: Int) async throws { try await prompted.wait(for: count) }

    /// Returns what ``set(_:)`` set; `available` by default.
    public func availability() -> UnlockAvailability { state.withLock { $0.availability } }

    /// Runs the script's next step. If it was made unavailable, throws `unlockUnavailable` without asking.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        var step = try state.withLock { state in
            if let reason = state.availability.refusal {
                throw AuthError(.unlockUnavailable(reason), "the scripted authenticator is not available")
            }
            state.prompts.append(prompt)
            return state.steps.isEmpty ? .granted : state.steps.removeFirst()
        }
        prompted.add()
        while case .held(let latch, let then) = step {
            try await latch.wait()
            step = then
        }
        if case .failed(let error) = step { throw error }
        return UnlockGrant(provenAt: clock.now(), method: "scripted")
    }
}

/// A ``ScriptedUnlock`` whose grant comes with a key.
public struct ScriptedKeyUnlock: KeyReleasing {
    /// The script that asks and counts.
    public let script: ScriptedUnlock
    /// The key that is released.
    public let key: UnlockKey

    /// Creates an authenticator that releases `key` when `script` grants.
    public init(_ script: ScriptedUnlock, key: UnlockKey) {
        self.script = script
        self.key = key
    }

    /// Returns the script's availability.
    public func availability() -> UnlockAvailability { script.availability() }

    /// Runs the script's next step.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { try await script.unlock(prompt) }

    /// Runs the script's next step, and passes the key to `opening`.
    public func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        let grant = try await script.unlock(prompt)
        try await opening(key)
        return grant
    }
}

extension UnlockAvailability {
    /// Why an authenticator in this state cannot ask.
    fileprivate var refusal: AuthError.UnlockUnavailableReason? {
        switch self {
        case .available: nil
        case .notEnrolled: .notEnrolled
        case .lockedOut: .lockedOut
        case .invalidated: .invalidated
        case .missing: .missing
        @unknown default: .missing
        }
    }
}
