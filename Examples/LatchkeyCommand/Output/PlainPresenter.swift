import Latchkey

/// Shows what to do elsewhere in plain lines on standard error, for scripts and logs: nobody is asked anything here.
struct PlainPresenter: ChallengePresenter {
    let invocation: Invocation

    /// Shows a device code or where a link was sent, and waits until the engine has its answer.
    func answer(_ challenge: Challenge) async throws -> Answer {
        switch challenge.ask {
        case .device(let device):
            invocation.console.note("Open \(Console.printable(device.at))")
            invocation.console.note("and enter \(Console.printable(device.userCode))")
        case .openedLink(let address):
            let place = address.map { " to \(Console.printable($0))" } ?? ""
            invocation.console.note("A link was sent\(place). Open it on this machine")
        case .captcha: throw Presenters.captcha(challenge)
        default:
            throw AuthError(
                .configuration(.unsupported),
                "The service asks something, and there is no terminal to ask at; \"latchkey login --detach\" leaves it"
                    + " to \"latchkey answer\".")
        }
        let clock = invocation.world.clock
        while true { try await clock.sleep(until: clock.now() + .seconds(3_600)) }
    }
}
