import Latchkey
import LatchkeySystem

/// Shows instructions in plain lines on standard error, for scripts and logs. It asks no questions.
struct PlainPresenter: ChallengePresenter {
    let invocation: Invocation
    /// Takes the question that ends the command, because there is no terminal to ask it at.
    let unasked: Locked<TerminalQuestion?>

    /// Shows a device code, or where a link was sent, and waits until the engine has the answer.
    func answer(_ challenge: Challenge) async throws -> Answer {
        switch challenge.ask {
        case .device(let device):
            note("plain.open", ["url": device.at])
            note("plain.enter", ["code": device.userCode])
        case .openedLink(let address):
            if let address { note("plain.linkTo", ["address": address]) } else { note("plain.link") }
        case .captcha: throw Presenters.captcha(challenge, invocation)
        default:
            let question = TerminalQuestion(challenge.ask)
            unasked.withLock { $0 = question }
            throw invocation.failure(
                .configuration(.unsupported), "error.noTerminal", ["question": invocation.shown(question.text)])
        }
        let clock = invocation.world.clock
        while true { try await clock.sleep(until: clock.now() + .seconds(3_600)) }
    }

    private func note(_ key: String, _ values: [String: String] = [:]) {
        invocation.console.note(Console.printable(invocation.texts(key, values)))
    }
}
