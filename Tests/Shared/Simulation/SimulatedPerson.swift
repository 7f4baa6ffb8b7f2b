import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// Who is asked for a proof in a history: takes some time, and gives it, or a wrong one, or says no.
final class SimulatedPerson: Sendable {
    static let key = UnlockKey(.key(source: "simulation"), Secret("0123456789abcdef0123456789abcdef"))

    private struct State {
        var random: SplitMix
        var prompts = 0
        var isAsked = false
    }

    private let state: Locked<State>
    private let clock: any AuthClock
    private let granted: @Sendable (MonotonicInstant) -> Void

    /// - Parameter granted: Is told of each proof when it is given, before anybody else.
    init(seed: UInt64, clock: any AuthClock, granted: @escaping @Sendable (MonotonicInstant) -> Void) {
        state = Locked(State(random: SplitMix(seed: seed)))
        self.clock = clock
        self.granted = granted
    }

    /// How often the person was asked.
    var promptCount: Int { state.withLock { $0.prompts } }

    /// Whether a prompt is up.
    var isAsked: Bool { state.withLock { $0.isAsked } }

    /// Whether two prompts were ever up at once.
    let wasCrowded = Locked(false)

    func prove() async throws -> UnlockGrant {
        let (wait, outcome) = state.withLock { state in
            state.prompts += 1
            if state.isAsked { wasCrowded.withLock { $0 = true } }
            state.isAsked = true
            let wait = state.random.below(3) == 0 ? state.random.below(40_000) : 0
            return (Duration.milliseconds(wait), state.random.below(8))
        }
        defer { state.withLock { $0.isAsked = false } }
        if wait > .zero { try await clock.sleep(until: clock.now() + wait) }
        switch outcome {
        case 0: throw AuthError(.declined, "the person said no")
        case 1: throw AuthError(.refused(.wrongInput), "the proof is wrong")
        default:
            let now = clock.now()
            granted(now)
            return UnlockGrant(provenAt: now, method: "simulated")
        }
    }
}

/// Presence alone.
struct SimulatedPresence: UnlockAuthenticator {
    let person: SimulatedPerson
    func availability() -> UnlockAvailability { .available }
    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { try await person.prove() }
}

/// Presence that releases a key.
struct SimulatedKeyPresence: KeyReleasing {
    let person: SimulatedPerson
    func availability() -> UnlockAvailability { .available }
    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant { try await person.prove() }

    func unlock(
        _ prompt: UnlockPrompt, opening: @escaping @Sendable (UnlockKey) async throws -> Void
    ) async throws -> UnlockGrant {
        let grant = try await person.prove()
        try await opening(SimulatedPerson.key)
        return grant
    }
}
