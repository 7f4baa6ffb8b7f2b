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
                typing: .init(right: Self.right, wrong: Self.wrong) { typist, context in
                    let unlock = PocketUnlock(at: await places.next(), limit: 3, context: context) { prompt in
                        try await typist.type(prompt.reason)
                    }
                    try await unlock.enrol(Self.right)
                    return unlock
                },
                { situation, context in
                    let place = await places.next()
                    let unlock = Self.unlock(place, situation, context)
                    if situation != .unavailable { try await unlock.enrol(Self.right) }
                    return unlock
                }
            ).run()
        }
    }

    private static let right = Secret("Sloop-4711-1891")
    private static let wrong = Secret("Ketch-0000-1891")

    private static func unlock(
        _ place: String, _ situation: UnlockContract<PocketUnlock>.Situation, _ context: PluginContext
    ) -> PocketUnlock {
        PocketUnlock(at: place, limit: 3, context: context) { _ in
            switch situation {
            case .right: return right
            case .wrong: return wrong
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
