public import Latchkey
import LatchkeyLocked

/// An authenticator that answers from a script and counts its prompts. Without a script it grants.
public final class ScriptedUnlock: UnlockAuthenticator {
    /// What a prompt comes to.
    public indirect enum Step: Sendable {
        /// The person proved it.
        case granted
        /// This error: `declined`, `refused(.wrongInput)`, `unlockUnavailable`.
        case failed(AuthError)
        /// The step, after the latch was opened.
        case held(Latch, then: Step)
    }

    private let state = Locked((steps: [Step](), availability: UnlockAvailability.available, prompts: [UnlockPrompt]()))
    private let clock: any AuthClock
    private let prompted = Tally()

    /// An authenticator whose grants are dated by `clock`.
    public init(clock: any AuthClock, _ steps: Step...) {
        self.clock = clock
        state.withLock { $0.steps = steps }
    }

    /// Adds what prompts come to, in order.
    public func script(_ steps: Step...) { state.withLock { $0.steps += steps } }

    /// Changes what ``availability()`` says.
    public func set(_ availability: UnlockAvailability) { state.withLock { $0.availability = availability } }

    /// How often the person was asked.
    public var promptCount: Int { prompted.count }

    /// What the person was shown, in order.
    public var prompts: [UnlockPrompt] { state.withLock { $0.prompts } }

    /// Returns when the person was asked `count` times or more.
    public func waitForPrompts(_ count: Int) async throws { try await prompted.wait(for: count) }

    /// What was set; available without.
    public func availability() -> UnlockAvailability { state.withLock { $0.availability } }

    /// Asks the script; `unlockUnavailable` when it was made unavailable, and then nobody is asked.
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

/// A ``ScriptedUnlock`` whose grant carries a key.
public struct ScriptedKeyUnlock: KeyReleasing {
    /// Asks and counts.
    public let script: ScriptedUnlock
    /// What is released.
    public let key: UnlockKey

    /// An authenticator that releases `key` when `script` grants.
    public init(_ script: ScriptedUnlock, key: UnlockKey) {
        self.script = script
        self.key = key
    }

    /// What the script says.
    public func availability() -> UnlockAvailability { script.availability() }

    /// What the script says.
    public func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { try await script.unlock(prompt) }

    /// What the script says, with the key.
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
