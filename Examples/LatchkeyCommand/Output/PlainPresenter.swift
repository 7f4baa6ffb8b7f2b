import Latchkey

/// Shows what to do elsewhere in plain lines on standard error, for scripts and logs: nobody is asked anything here.
struct PlainPresenter: ChallengePresenter {
    let invocation: Invocation

    /// Shows a device code, and waits until the engine has its answer.
    func answer(_ challenge: Challenge) async throws -> Answer {
        guard case .device(let device) = challenge.ask else {
            throw AuthError(
                .configuration(.unsupported), "The service asks something, and there is no terminal to ask at.")
        }
        invocation.console.note("Open \(Console.printable(device.at))")
        invocation.console.note("and enter \(Console.printable(device.userCode))")
        let clock = invocation.world.clock
        while true { try await clock.sleep(until: clock.now() + .seconds(3_600)) }
    }
}
