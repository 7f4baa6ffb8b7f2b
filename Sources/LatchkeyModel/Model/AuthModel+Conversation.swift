import Latchkey

/// What follows from the service's answers.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Goes where the service leads.
    func take(_ step: SignInStep, in number: Int) async {
        switch step {
        case .signedIn:
            // First who is signed in, so that no screen shows a success and nobody with it.
            await look()
            guard conversation?.number == number else { return }
            succeed(.granted)
        case .asked(let challenge): show(challenge, .asked, in: number)
        case .continuesElsewhere(let place): move(.sentElsewhere, to: .elsewhere(place))
        }
    }

    /// Shows a challenge, and does what it needs meanwhile.
    func show(_ challenge: Challenge, _ trigger: ModelTrigger, in number: Int) {
        let screen = ChallengeScreen(challenge, at: context.clock.now())
        guard move(trigger, to: .asked(screen)) else { return }
        tick()
        if case .device(let device) = challenge.ask { poll(device, challenge.id, in: number) }
    }

    func succeed(_ trigger: ModelTrigger) {
        let purpose = conversation?.purpose
        guard move(trigger, to: .succeeded) else { return }
        succeeded = purpose
        conversation = nil
        notice = nil
        form.wipe()
    }

    /// Looks whether the conversation was finished in another window or process.
    func lookElsewhere(tries: Int = 4) async {
        guard underWay == nil, !expectsAnswer, let begun = conversation, begun.hasNewcomer(accounts) else { return }
        if let screen = stage.challenge, await isWaiting(screen.id) {
            // Who answered it takes it out of the store only after the person is signed in, and nothing tells of that.
            guard tries > 1 else { return }
            let (clock, number) = (context.clock, begun.number)
            context.start("look elsewhere") { [weak self] in
                guard (try? await clock.sleep(until: clock.now() + .seconds(1))) != nil else { return }
                await self?.lookElsewhere(again: tries - 1, in: number)
            }
            return
        }
        guard underWay == nil, !expectsAnswer, conversation?.number == begun.number else { return }
        succeed(.answeredElsewhere)
    }

    private func lookElsewhere(again tries: Int, in number: Int) async {
        if conversation?.number == number { await lookElsewhere(tries: tries) }
    }

    /// Something came although it was cancelled. A session that the service has granted stays, and
    /// the client's event shows it; a challenge is given up.
    func giveUp(late step: SignInStep) {
        if case .asked(let challenge) = step { giveUp(challenge.id) }
    }

    /// Tells the service that nobody will answer the challenge.
    func giveUp(_ id: String) {
        // It throws `declined` when it is done; when it is not, the challenge expires by itself.
        context.start("give up") { [client] in _ = try? await client.answer(.declined, to: id) }
    }
}

/// Devices: RFC 8628, sections 3.4 and 3.5.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Asks the service in its interval whether the other device has approved.
    private func poll(_ device: Ask.Device, _ id: String, in number: Int) {
        let clock = context.clock
        context.start("poll") { [weak self, client] in
            var interval = Self.interval(device)
            while true {
                guard (try? await clock.sleep(until: clock.now() + interval)) != nil,
                    await self?.beginPoll(id, in: number) ?? false
                else { return }
                do throws(AuthError) {
                    let step = try await client.answer(.poll, to: id)
                    guard case .asked(let later) = step, later.id == id else {
                        await self?.polled(.success(step), in: number)
                        return
                    }
                    if case .device(let device) = later.ask { interval = Self.interval(device) }
                } catch {
                    switch error.code {
                    // The next try may arrive. The challenge itself ends by its deadline.
                    case .offline, .serviceTrouble, .rateLimited, .busy, .locked:
                        interval = max(interval, error.retryAfter ?? .zero)
                    default:
                        await self?.polled(.failure(error), in: number)
                        return
                    }
                }
                await self?.endPoll(in: number)
            }
        }
    }

    private nonisolated static func interval(_ device: Ask.Device) -> Duration {
        min(max(device.interval, .seconds(1)), .seconds(300))
    }

    /// - Returns: `false` if the challenge is not shown any more, so that nobody asks about it.
    private func beginPoll(_ id: String, in number: Int) -> Bool {
        guard conversation?.number == number, stage.challenge?.id == id else { return false }
        expectsAnswer = true
        return true
    }

    /// The poll decided nothing.
    private func endPoll(in number: Int) async {
        guard conversation?.number == number else { return }
        expectsAnswer = false
        await lookElsewhere()
    }

    private func polled(_ result: Result<SignInStep, AuthError>, in number: Int) async {
        guard let begun = conversation, begun.number == number, let screen = stage.challenge else {
            if case .success(let step) = result { giveUp(late: step) }
            return
        }
        switch result {
        case .success(let step): await take(step, in: number)
        case .failure(let error):
            await look()
            guard conversation?.number == number else { return }
            if begun.hasNewcomer(accounts) { succeed(.answeredElsewhere) } else { end(screen, error) }
        }
        if conversation?.number == number { expectsAnswer = false }
    }
}
