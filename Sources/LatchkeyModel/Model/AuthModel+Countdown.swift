import Latchkey

/// Pauses, counted down by the context's clock.
@available(macOS 14, iOS 17, *)
extension AuthModel {
    /// Begins the pause that the service demands.
    func count(_ pause: Duration) {
        countdown = Countdown(pause, from: context.clock.now())
        tick()
    }

    /// Counts down now and at each further second, as long as anything is counted.
    func tick() {
        numbers.ticking += 1
        let number = numbers.ticking
        guard let next = countDown() else { return }
        let clock = context.clock
        context.start("countdown") { [weak self] in
            var next = next
            while (try? await clock.sleep(until: next)) != nil, let later = await self?.tick(number) { next = later }
        }
    }

    private func tick(_ number: Int) -> MonotonicInstant? {
        // A newer one counts.
        guard number == numbers.ticking else { return nil }
        return countDown()
    }

    /// - Returns: When to count next; `nil` if nothing is counted any longer.
    private func countDown() -> MonotonicInstant? {
        let now = context.clock.now()
        var next: [MonotonicInstant] = []
        if var screen = stage.challenge, let at = screen.resend?.count(at: now) {
            replace(screen)
            next.append(at)
        } else if var screen = stage.challenge, screen.resend?.secondsLeft ?? 0 > 0 {
            screen.resend?.count(at: now)
            replace(screen)
        }
        if let at = countdown?.count(at: now) { next.append(at) } else if countdown != nil { waited() }
        return next.min()
    }

    /// The pause is over.
    private func waited() {
        notice = nil
        switch stage {
        case .formPause: move(.waited, to: .form)
        case .answerPause(let screen): move(.waited, to: .asked(screen))
        default: countdown = nil
        }
    }

    private func replace(_ screen: ChallengeScreen) {
        switch stage {
        case .asked: stage = .asked(screen)
        case .answering: stage = .answering(screen)
        case .answerPause: stage = .answerPause(screen)
        default: break
        }
    }
}
