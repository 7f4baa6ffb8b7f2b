import Latchkey
import LatchkeySystem
import LatchkeyTesting

/// Codes that work once: each is greater than all before it.
final class OneTimePIN: UnlockAuthenticator {
    private let last = Locked(0)
    private let worksTwice: Bool
    private let clock: any AuthClock
    private let ask: @Sendable (String) async throws -> Secret?

    init(worksTwice: Bool, _ clock: any AuthClock, asking ask: @escaping @Sendable (String) async throws -> Secret?) {
        self.worksTwice = worksTwice
        self.clock = clock
        self.ask = ask
    }

    static func code(_ number: Int) -> Secret { Secret("code-\(1_000_000 + number)-\(1_000_000 - number)") }

    func availability() -> UnlockAvailability { .available }

    func unlock(_ prompt: UnlockPrompt) async throws -> UnlockGrant {
        guard let typed = try await ask(prompt.reason) else { throw AuthError(.declined, "the person said no") }
        try Task.checkCancellation()
        let isRight = last.withLock { last in
            let words = typed.revealText().split(separator: "-")
            guard words.count == 3, let number = Int(words[1]).map({ $0 - 1_000_000 }), Self.code(number) == typed,
                number > last || worksTwice && number == last
            else { return false }
            last = number
            return true
        }
        guard isRight else { throw AuthError(.refused(.wrongInput), "the code is wrong") }
        return UnlockGrant(provenAt: clock.now(), method: "code")
    }
}
