import Latchkey

/// Says on a terminal for what a command waits, and how long, if it cannot send yet.
struct WaitObserver: AuthObserver {
    let invocation: Invocation

    func observe(_ observation: AuthObservation) {
        guard case .heldOff(_, let wait) = observation, wait >= .milliseconds(500),
            invocation.console.isTerminal(.error)
        else { return }
        // In whole seconds, the last one begun included.
        let time = Durations.describe(.seconds(wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)))
        invocation.console.note(invocation.texts("progress.heldOff", ["time": time]))
    }
}
