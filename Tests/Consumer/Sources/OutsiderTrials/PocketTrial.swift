public import Latchkey
import LatchkeyTesting

/// What the unlock is put through: the contract of unlocks with three tries, on a disk in memory.
@available(macOS 15, *)
public enum PocketTrial {
    /// Shows a prompt and brings what the person types.
    public typealias Asking = @Sendable (UnlockPrompt) async throws -> Secret?

    /// Runs the contract over what `make` makes in a directory, where `enrol` sets a PIN.
    ///
    /// - Parameter timeLimit: How long a clause may take, in real time.
    public static func run<Unlock: UnlockAuthenticator>(
        timeLimit: Duration = .seconds(30),
        _ make: @escaping @Sendable (_ directory: String, _ limit: Int, PluginContext, @escaping Asking) -> Unlock,
        enrol: @escaping @Sendable (Unlock, Secret) async throws -> Void
    ) async throws {
        let world = World()
        let prompts = Counter()
        let right = Secret("Sloop-4711-1891")
        let wrong = Secret("Ketch-0000-1891")
        let unlock: @Sendable (String, UnlockContract<Unlock>.Situation, PluginContext) -> Unlock = {
            place, situation, context in
            make(place, 3, context) { _ in
                prompts.add()
                switch situation {
                case .right: return right
                case .wrong: return wrong
                case .declined, .unavailable: return nil
                case .unanswered:
                    while true { try await context.clock.sleep(until: context.clock.now() + .seconds(1)) }
                }
            }
        }
        try await UnlockContract<Unlock>(
            context: world.context, prompts: { _ in prompts.value },
            limit: .init(tries: 3) { _, situation, context in unlock(world.last, situation, context) },
            typing: .init(right: right, wrong: wrong) { typist, context in
                let made = make(world.next(), 3, context) { try await typist.type($0.reason) }
                try await enrol(made, right)
                return made
            },
            timeLimit: timeLimit
        ) { situation, context in
            let made = unlock(world.next(), situation, context)
            if situation != .unavailable { try await enrol(made, right) }
            prompts.reset()
            return made
        }.run()
    }
}
