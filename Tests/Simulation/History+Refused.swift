import Latchkey
import LatchkeyLocked
import LatchkeyTesting

/// What a resource refused, and an app has said so.
extension History {
    struct RefusedToken {
        let process: Int
        /// The last call that had begun when it was noted.
        let call: Int
        let at: Duration
        /// Whether the store could keep it from others.
        let isKept: Bool
    }

    /// A resource refuses what the account has.
    func discard(_ running: Running, _ account: AccountID) async throws {
        guard let token = running.client.currentToken(of: account) else { return }
        try await running.client.discard(token.value)
        guard !running.process.isKilled else { return }
        state.withLock { state in
            state.refused[token.value.revealText()] = RefusedToken(
                process: running.number, call: state.nextCall, at: machine.elapsed,
                isKept: !state.hasStoreTrouble)
        }
    }

    /// Law 9: what a resource refused is not handed out again by its process, nor by one that begins later.
    func checkRefused(_ token: AccessToken, by call: Int, in running: Running) {
        let text = token.value.revealText()
        guard !running.process.isKilled, let refused = state.withLock({ $0.refused[text] }) else { return }
        // Minted tokens are in no record, so another process may have been given the same one.
        let isMinted = scenario.kind == .shares || scenario.kind == .mints
        let isLater = refused.isKept && running.started > refused.at && !isMinted
        guard running.number == refused.process ? call > refused.call : isLater else { return }
        violate(9, "\(text) was handed out in process \(running.number), and a resource had refused it")
    }
}
