import Latchkey

/// Shows instructions in plain lines on standard error, for scripts and logs. It asks no questions.
struct PlainPresenter: ChallengePresenter {
    let invocation: Invocation

    /// Shows a device code, or where a link was sent, and waits until the engine has the answer.
    func answer(_ challenge: Challenge) async throws -> Answer {
        switch challenge.ask {
        case .device(let device):
            note("plain.open", ["url": device.at])
            note("plain.enter", ["code": device.userCode])
        case .openedLink(let address):
            if let address { note("plain.linkTo", ["address": address]) } else { note("plain.link") }
        case .captcha: throw Presenters.captcha(challenge, invocation)
        default: throw invocation.failure(.configuration(.unsupported), "error.noTerminalDetach")
        }
        let clock = invocation.world.clock
        while true { try await clock.sleep(until: clock.now() + .seconds(3_600)) }
    }

    private func note(_ key: String, _ values: [String: String] = [:]) {
        invocation.console.note(Console.printable(invocation.texts(key, values)))
    }
}
