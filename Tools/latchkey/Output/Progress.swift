import Latchkey
import LatchkeySystem
import LatchkeyTerminal

/// A line on the terminal while something takes long. It disappears at the end, and never appears if standard error
/// is not a terminal, or is one at which this process is in the background. A terminal that knows lines alone keeps it.
final class Progress: Sendable {
    private enum State {
        case waiting, shown, ended
    }

    private let state = Locked(State.waiting)
    private let console: Console
    private let isKept: Bool

    /// Shows `words` after a second.
    init(_ words: String, _ invocation: Invocation) {
        console = invocation.console
        isKept = TerminalLook(environment: invocation.environment) == .lines
        guard console.isTerminal(.error), TerminalFront.isHeld(Console.Stream.error.rawValue) else { return }
        let clock = invocation.world.clock
        invocation.world.start("progress") { [weak self] in
            try? await clock.sleep(until: clock.now() + .seconds(1))
            self?.show(words)
        }
    }

    /// Removes the line.
    func end() {
        state.withLock { state in
            if state == .shown, !isKept { try? console.write(.error, Array("\r\u{1B}[K".utf8)) }
            state = .ended
        }
    }

    private func show(_ words: String) {
        state.withLock { state in
            guard state == .waiting else { return }
            state = .shown
            try? console.write(.error, Array("\(words) …\(isKept ? "\n" : "")".utf8))
        }
    }
}
