import Latchkey
import LatchkeyTesting
import OutsiderUnlock
import Testing

@Suite("A PIN in a file")
struct PocketUnlockTests {
    @Test("The unlock keeps the contract of unlocks, its limit of tries included" /* .need("L5") */)
    func contract() async throws {
        try await TemporaryFolder.with { folder in
            let places = Places(folder)
            try await UnlockContract<PocketUnlock>(
                limit: .init(tries: 3) { _, situation, context in
                    await Self.unlock(places.last, situation, context)
                },
                { situation, context in
                    let place = await places.next()
                    let unlock = Self.unlock(place, situation, context)
                    if situation != .unavailable { try await unlock.enrol(Secret("4711")) }
                    return unlock
                }
            ).run()
        }
    }

    private static func unlock(
        _ place: String, _ situation: UnlockContract<PocketUnlock>.Situation, _ context: PluginContext
    ) -> PocketUnlock {
        PocketUnlock(at: place, limit: 3, context: context) { _ in
            switch situation {
            case .right: return Secret("4711")
            case .wrong: return Secret("0000")
            case .declined, .unavailable: return nil
            case .unanswered:
                while true { try await context.clock.sleep(until: context.clock.now() + .seconds(1)) }
            }
        }
    }
}

/// A folder for each instance that begins anew.
private actor Places {
    private let folder: TemporaryFolder
    private var count = 0

    init(_ folder: TemporaryFolder) { self.folder = folder }

    var last: String { folder["\(count)"] }

    func next() -> String {
        count += 1
        return last
    }
}
